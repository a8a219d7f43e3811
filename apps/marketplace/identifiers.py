"""Identifiers of what this room keeps (contract section 3)."""

from apps.workspaces.identifiers import new_id


def new_app_id() -> str:
    return new_id("app")


def new_installation_id() -> str:
    return new_id("inst")


def new_request_id() -> str:
    return new_id("req")


def new_connection_id() -> str:
    return new_id("conn")


def new_secret_id() -> str:
    return new_id("secret")
