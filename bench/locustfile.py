"""What one client of the load does, for locust: the same search over and over on one connection."""

import json
import os

from locust import FastHttpUser, task

BODY = json.loads(os.environ["BENCH_BODY"])


class Agent(FastHttpUser):
    connection_timeout = network_timeout = 30.0

    @task
    def search(self) -> None:
        headers = {"Authorization": f"Bearer {os.environ['BENCH_TOKEN']}"}
        self.client.post(os.environ["BENCH_URL"], json=BODY, headers=headers)
