"""What a deployment decides about egress."""

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class EgressSettings:
    """Bounds of every upstream call. Times in seconds, sizes in bytes.

    ``connect_seconds`` covers names, all addresses and the TLS handshake together; ``total_seconds`` the whole
    call (spec A 6: 5 and 15). ``max_bytes`` holds on the wire and again after decoding. ``own_ca_file`` is trusted,
    beside the public roots, for targets with ``own_ca``. ``own_ports`` are the ports we listen on: never reached on
    an address of this machine. ``resolver_slots`` bounds the lookups under way, for public and for private
    targets separately.
    """

    connect_seconds: float = 5.0
    total_seconds: float = 15.0
    max_bytes: int = MEBIBYTE
    user_agent: str = "AgentTeam-Search/1.0"
    own_ca_file: str | None = None
    own_ports: frozenset[int] = frozenset()
    idle_seconds: float = 60.0
    max_idle_per_pool: int = 64
    max_idle: int = 256
    resolver_slots: int = 16
