"""The local servers that egress talks to."""

from tests.upstream import tls_upstream, upstream

__all__ = ["tls_upstream", "upstream"]
