"""Reads specification B's engine documents into what this product stores (contract section 1).

B's names of members are those of the declarations: an option's `document_name`, a field's own name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.marketplace.importing.notes import Notes
from apps.marketplace.product_apps import ENGINES_BY_SLUG
from searchengines.contract import Engine, Field, Json, Option, Provider
from searchengines.errors import InvalidValue

# Members of B's documents that have no place here.
NO_PLACE = {
    "id": "an engine is known by its App",
    "name": "an engine has its App's name",
    "kind": "every document here is a search engine",
}
MEMBERS = (*NO_PLACE, "description", "provider", "config")
CONNECTION_MEMBERS = ("base_url", "token", "timeout")
# B's name of a reference, where it is not the name of a field here (knowledge base).
REFERENCES = {"embedding_store": "embeddingStore", "embedding_model": "embeddingModel"}
TIMEOUT_OPTION = "timeoutMs"
BASE_URL_FIELD = "baseUrl"
DEFAULT_BASE_URL = "http://localhost:8080"
DESCRIPTION_FIELD = "description"


@dataclass(slots=True)
class ImportedEngine:
    """What one document comes to. ``engine`` is None when its provider is not known."""

    engine: Engine | None
    config: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict, repr=False)
    options: dict[str, Json] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)


def read_document(document: object, operator_origins: Mapping[str, str]) -> ImportedEngine:
    """Never raises for what is in the document: what is wrong is a refusal among the notes.

    ``operator_origins`` maps a slug to the origin that the operator set for it.
    """
    if not isinstance(document, dict):
        return _unreadable("document", "an engine is a JSON object")
    provider = document.get("provider")
    engine = ENGINES_BY_SLUG.get(provider) if isinstance(provider, str) else None
    if engine is None:
        return _unreadable("provider", f"one of: {', '.join(ENGINES_BY_SLUG)}")
    imported = ImportedEngine(engine)
    _read_top(document, engine, imported)
    config = _object(document.get("config", {}), "config", imported.notes)
    options = _object(config.get("options", {}), "config.options", imported.notes)
    if isinstance(engine, Provider):
        connection = _object(config.get("connection", {}), "config.connection", imported.notes)
        _read_connection(connection, engine, imported, operator_origins)
        _refuse_unknown(config, ("connection", "options"), "config", imported.notes)
    else:
        _read_references(config, engine, imported)
        _refuse_unknown(config, (*REFERENCES, "options"), "config", imported.notes)
    _read_options(options, engine, imported)
    _require(engine, imported)
    return imported


def _unreadable(member: str, why: str) -> ImportedEngine:
    imported = ImportedEngine(None)
    imported.notes.refused(member, why)
    return imported


def _object(value: object, path: str, notes: Notes) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    notes.refused(path, "an object")
    return {}


def _refuse_unknown(given: Mapping[str, Any], known: tuple[str, ...], path: str, notes: Notes) -> None:
    for name in given:
        if name not in known:
            notes.refused(f"{path}.{name}", f"unknown member; known here: {', '.join(known)}")


def _read_top(document: Mapping[str, Any], engine: Engine, imported: ImportedEngine) -> None:
    for name in document:
        if name in NO_PLACE:
            imported.notes.ignored(name, NO_PLACE[name])
        elif name not in MEMBERS:
            imported.notes.refused(name, f"unknown member; known here: {', '.join(MEMBERS)}")
    if "description" not in document:
        return
    described = _field(engine, DESCRIPTION_FIELD)
    if described is None:
        imported.notes.ignored("description", "a web engine describes itself")
    else:
        _set_config(imported, described, document["description"], "description")


def _read_connection(
    connection: Mapping[str, Any], engine: Provider, imported: ImportedEngine, operator_origins: Mapping[str, str]
) -> None:
    _refuse_unknown(connection, CONNECTION_MEMBERS, "config.connection", imported.notes)
    _read_base_url(connection, engine, imported, operator_origins)
    _read_token(connection, engine, imported)
    if "timeout" in connection:
        _read_timeout(connection["timeout"], engine, imported)


def _read_base_url(
    connection: Mapping[str, Any], engine: Provider, imported: ImportedEngine, operator_origins: Mapping[str, str]
) -> None:
    path = "config.connection.base_url"
    own = _field(engine, BASE_URL_FIELD)
    if own is not None:
        _set_config(imported, own, connection.get("base_url", DEFAULT_BASE_URL), path)
        return
    given = connection.get("base_url", engine.origin)
    allowed = {engine.origin, operator_origins.get(engine.slug, engine.origin)}
    if not isinstance(given, str) or given.rstrip("/") not in {(origin or "").rstrip("/") for origin in allowed}:
        imported.notes.refused(
            path,
            f"not this engine's origin; an operator sets another one as AGENTTEAM_SEARCH_ORIGIN_{engine.slug.upper()}",
        )


def _read_token(connection: Mapping[str, Any], engine: Provider, imported: ImportedEngine) -> None:
    path = "config.connection.token"
    token = connection.get("token", "")
    if not engine.secret_fields:
        if token != "":
            imported.notes.ignored(path, "this engine takes no key")
        return
    secret = engine.secret_fields[0]
    if token == "":
        imported.notes.refused(path, "required")
        return
    try:
        imported.credentials[secret.name] = secret.clean(token)
    except InvalidValue as wrong:
        imported.notes.refused(path, wrong.message)


def _read_timeout(value: object, engine: Provider, imported: ImportedEngine) -> None:
    path = "config.connection.timeout"
    option = _option(engine, TIMEOUT_OPTION)
    if option is None or option.minimum is None or option.maximum is None:
        imported.notes.ignored(path, "this engine waits for no server")
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        imported.notes.refused(path, "a number of milliseconds")
        return
    bounded = int(min(max(value, option.minimum), option.maximum))
    if bounded != value:
        imported.notes.clamped(path, f"{bounded} ms, the nearest that is taken here")
    imported.options[option.name] = bounded


def _read_references(config: Mapping[str, Any], engine: Engine, imported: ImportedEngine) -> None:
    for document_name, name in REFERENCES.items():
        reference = _field(engine, name)
        if reference is not None and document_name in config:
            _set_config(imported, reference, config[document_name], f"config.{document_name}")


def _read_options(options: Mapping[str, Any], engine: Engine, imported: ImportedEngine) -> None:
    by_document_name = {option.document_name: option for option in engine.options if option.document_name}
    for name, value in options.items():
        path = f"config.options.{name}"
        own = _field(engine, name)
        if own is not None:
            _set_config(imported, own, value, path)
        elif name in by_document_name:
            _set_option(imported, by_document_name[name], value, path)
        else:
            known = (*by_document_name, *(item.name for item in engine.config_fields if item.name != BASE_URL_FIELD))
            imported.notes.refused(path, f"unknown option; known here: {', '.join(known) or 'none'}")


def _require(engine: Engine, imported: ImportedEngine) -> None:
    document_names = {name: document_name for document_name, name in REFERENCES.items()}
    if imported.notes.has_refusal:
        return
    for item in engine.config_fields:
        if item.required and item.name not in imported.config:
            imported.notes.refused(f"config.{document_names.get(item.name, f'options.{item.name}')}", "required")


def _set_config(imported: ImportedEngine, item: Field, value: object, path: str) -> None:
    try:
        imported.config[item.name] = item.clean(value)
    except InvalidValue as wrong:
        imported.notes.refused(path, wrong.message)


def _set_option(imported: ImportedEngine, option: Option, value: object, path: str) -> None:
    try:
        imported.options[option.name] = option.clean(value)
    except InvalidValue as wrong:
        imported.notes.refused(path, wrong.message)


def _field(engine: Engine, name: str) -> Field | None:
    return next((item for item in engine.config_fields if item.name == name), None)


def _option(engine: Engine, name: str) -> Option | None:
    return next((item for item in engine.options if item.name == name), None)
