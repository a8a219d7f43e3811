"""What this process can serve: the registered Definition of each Product App, told by the room that runs it."""

from dataclasses import dataclass
from typing import Any

from apps.marketplace.models import AppVersion


@dataclass(frozen=True, slots=True)
class Capability:
    """A registered Definition's identity, as an App version pins it; ``revision`` is of the implementation."""

    domain: str
    version: str
    revision: int
    digest: str

    def is_pinned(self, domain: str | None, version: str | None, digest: str | None) -> bool:
        """Whether what an App version fixes is exactly this."""
        return (self.domain, self.version, self.digest) == (domain, version, digest)

    def document(self) -> dict[str, Any]:
        """How it is shown, to administrators and to agents alike (contract section 4)."""
        return {"domain": self.domain, "version": self.version, "revision": self.revision, "digest": self.digest}


_capabilities: dict[str, Capability] = {}


def register(app_id: str, capability: Capability) -> None:
    """Raises `ValueError` when the App has one already."""
    if app_id in _capabilities:
        raise ValueError(f"the capability of {app_id} is registered already")
    _capabilities[app_id] = capability


def capability_of(app_id: str) -> Capability | None:
    return _capabilities.get(app_id)


def pin_holds(app_id: str, version: AppVersion | None) -> bool:
    """Whether what this process would run is what the installation's version fixed."""
    capability = capability_of(app_id)
    if capability is None or version is None:
        return False
    return capability.is_pinned(version.definition_domain, version.definition_version, version.definition_digest)
