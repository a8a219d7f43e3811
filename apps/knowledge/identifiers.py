"""Identifiers of what this room keeps.

A store and a model have two: the row's own, and the public one, which the caller may give and which is unique
within its workspace only.
"""

from apps.workspaces.identifiers import new_id


def new_model_key() -> str:
    return new_id("emk")


def new_store_key() -> str:
    return new_id("esk")


def new_document_id() -> str:
    return new_id("doc")


def new_public_model_id() -> str:
    return new_id("embedding-model")


def new_public_store_id() -> str:
    return new_id("embedding-store")
