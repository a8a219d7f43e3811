"""The application that a WSGI server serves."""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentteam.settings")

application = get_wsgi_application()

# Everything that any request needs is loaded before the server forks its workers. The collector leaves it alone from
# then on, so that it stays in memory that the workers share.
get_resolver().url_patterns  # noqa: B018 - reading it imports every view
gc.collect()
gc.freeze()
# A call makes hundreds of objects and next to no cycles: by default the collector would run several times a call.
gc.set_threshold(3_000, 20, 20)

# Seconds after which a thread must let another one run. A call computes for a millisecond and then waits, so it is
# hardly ever interrupted; and the threads that wait for their turn wake up four times more rarely to ask for it.
sys.setswitchinterval(0.02)
