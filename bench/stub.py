"""An upstream that answers every GET with ten results in Brave's shape, at once or after a delay.

One epoll loop without any framework: it takes about a hundredth of what the measured servers take.
`python -m bench.stub PORT MILLISECONDS`
"""

import json
import select
import socket
import sys
from collections import deque
from time import monotonic

END = b"\r\n\r\n"


def payload() -> bytes:
    results = [
        {
            "url": f"https://harbour{number}.example/ferries/timetable?line={number}&season=summer",
            "title": f"Ferry timetable, line <strong>{number}</strong> &amp; connections",
            "description": f"Line {number} leaves the <strong>harbour</strong> every hour from six in the morning "
            "until ten at night; on Sundays every two hours. Bicycles are carried free of charge.",
            "page_age": "2026-05-04T08:00:00",
            "language": "en",
            "profile": {"name": "Harbour", "long_name": f"harbour{number}.example"},
        }
        for number in range(10)
    ]
    return json.dumps({"type": "search", "web": {"type": "search", "results": results}}).encode()


def answer() -> bytes:
    body = payload()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Stub:
    """``delay`` in seconds is the same for every request, so those that wait form a queue."""

    def __init__(self, port: int, delay: float) -> None:
        self.delay = delay
        self.answer = answer()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=4096)
        self.listener.setblocking(False)
        self.poll = select.epoll()
        self.poll.register(self.listener, select.EPOLLIN)
        self.peers: dict[int, socket.socket] = {}
        self.waiting: deque[tuple[float, int, socket.socket]] = deque()

    def run(self) -> None:
        listening = self.listener.fileno()
        while True:
            for descriptor, _ in self.poll.poll(self._timeout()):
                if descriptor == listening:
                    self._accept()
                else:
                    self._read(descriptor)
            self._answer_due()

    def _timeout(self) -> float:
        return max(0.0, self.waiting[0][0] - monotonic()) if self.waiting else -1

    def _accept(self) -> None:
        try:
            while True:
                peer, _ = self.listener.accept()
                peer.setblocking(False)
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.peers[peer.fileno()] = peer
                self.poll.register(peer, select.EPOLLIN)
        except BlockingIOError:
            return

    def _read(self, descriptor: int) -> None:
        peer = self.peers[descriptor]
        try:
            data = peer.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.poll.unregister(peer)
            del self.peers[descriptor]
            peer.close()
        elif not data.endswith(END):
            sys.exit("the stub reads requests without a body, which arrive in one piece")
        elif self.delay:
            self.waiting.append((monotonic() + self.delay, descriptor, peer))
        else:
            self._send(peer)

    def _answer_due(self) -> None:
        now = monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            _, descriptor, peer = self.waiting.popleft()
            if self.peers.get(descriptor) is peer:
                self._send(peer)

    def _send(self, peer: socket.socket) -> None:
        try:
            peer.send(self.answer)
        except OSError:
            return


if __name__ == "__main__":
    Stub(int(sys.argv[1]), int(sys.argv[2]) / 1000).run()
