"""Identifiers of what this room keeps."""

from apps.workspaces.identifiers import new_id


def new_audit_id() -> str:
    return new_id("audit")


def new_execution_id() -> str:
    return new_id("exec")
