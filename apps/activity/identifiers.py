"""Identifiers of what this room keeps."""

import secrets

from apps.workspaces.identifiers import new_id


def new_audit_id() -> str:
    return new_id("audit")


def new_execution_id() -> str:
    """120 random bits. One is made for every call, so it is made in one step."""
    return f"exec_{secrets.token_hex(15)}"
