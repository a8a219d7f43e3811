"""What this process can serve: the registered Definition of each Product App, told by the room that runs it."""

from dataclasses import dataclass

from apps.marketplace.models import AppVersion


@dataclass(frozen=True, slots=True)
class Capability:
    """A registered Definition's identity, as an App version pins it; ``revision`` is of the implementation."""

    domain: str
    version: str
    revision: int
    digest: str

    def is_pinned_by(self, version: AppVersion) -> bool:
        """Whether domain, version and digest are exactly those of the pin."""
        return (self.domain, self.version, self.digest) == (
            version.definition_domain,
            version.definition_version,
            version.definition_digest,
        )


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
    return capability is not None and version is not None and capability.is_pinned_by(version)
