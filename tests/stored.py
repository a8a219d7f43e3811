"""What the database holds, to show that a refused call changed nothing."""

from typing import Any

from apps.activity.models import AuditRow, Execution
from apps.activity.writer import writer
from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    Connection,
    Credential,
    EngineOptions,
    ExtensionSelection,
    Installation,
    WorkspaceSecret,
)

MODELS = (
    App,
    Installation,
    ExtensionSelection,
    AgentAuthorization,
    AppRequest,
    Connection,
    Credential,
    EngineOptions,
    WorkspaceSecret,
    AuditRow,
    Execution,
)


def rows() -> dict[str, list[Any]]:
    """Every row of Apps, audit log and executions, the queued ones too."""
    writer.flush()
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in MODELS}


def bytes_of(text: str) -> list[str]:
    """Where `text` stands in clear in any column of any of these rows: "Model.column"."""
    return [
        f"{model}.{column}"
        for model, found in rows().items()
        for row in found
        for column, value in row.items()
        if text.encode() in (bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode())
    ]


def code(response: Any) -> tuple[int, str]:
    """Status and stable code of an error."""
    return response.status_code, response.json()["error"]["code"]


def fields(response: Any) -> dict[str, str]:
    """The members that an invalid_input names."""
    assert code(response) == (400, "invalid_input")
    return dict(response.json()["error"].get("fields", {}))
