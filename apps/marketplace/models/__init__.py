from apps.marketplace.models.connections import Connection, Credential, EngineOptions, WorkspaceSecret
from apps.marketplace.models.installations import AgentAuthorization, AppRequest, ExtensionSelection, Installation
from apps.marketplace.models.registry import App, AppVersion

__all__ = [
    "AgentAuthorization",
    "App",
    "AppRequest",
    "AppVersion",
    "Connection",
    "Credential",
    "EngineOptions",
    "ExtensionSelection",
    "Installation",
    "WorkspaceSecret",
]
