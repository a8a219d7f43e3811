"""What agents see of each engine, and that none of it changes without a new version (spec A 3 and 4)."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

import searchengines.migrations
from apps.marketplace.models import AppVersion
from extensions.registry import all_builtins
from searchengines.providers import ALL, ENGINES
from tests.road import Road

SLUGS = [provider.slug for provider in ALL]

INPUT = {
    "type": "object",
    "required": ["query"],
    "additionalProperties": False,
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 512},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5},
    },
}
RESULT_MEMBERS = ["url", "title", "snippet"]


def pinned() -> dict[str, tuple[str, str]]:
    """App id to version and digest, as the last migration that speaks of it says."""
    found = {}
    for module in sorted(item.name for item in iter_modules(searchengines.migrations.__path__) if item.name[0] != "_"):
        for engine in import_module(f"searchengines.migrations.{module}").ENGINES:
            found[engine.app_id] = (engine.definition_version, engine.definition_digest)
    return found


def test_each_engine_has_the_digest_that_its_migration_pins() -> None:
    registered = {
        builtin.engine.app_id: (builtin.definition.version, builtin.definition.digest) for builtin in all_builtins()
    }
    assert registered.keys() == {engine.app_id for engine in ENGINES}
    assert registered == pinned()


@pytest.mark.usefixtures("road")
def test_the_rows_pin_domain_version_digest_name_and_default() -> None:
    rows = AppVersion.objects.values_list(
        *("app_id", "definition_domain", "definition_version", "definition_digest", "default_name", "default_enabled")
    )
    assert set(rows) == {
        (engine.app_id, engine.slug, *pinned()[engine.app_id], engine.slug, True) for engine in ENGINES
    }


def test_catalog_help_and_schemas_of_each_engine(road: Road) -> None:
    for slug in SLUGS:
        road.connect(slug)
    entries = {entry["name"]: entry for entry in road.agent("GET", "exec").json()["extensions"]}
    assert sorted(entries) == sorted(SLUGS)
    for provider in ALL:
        entry = entries[provider.slug]
        version, digest = pinned()[provider.app_id]
        assert entry["displayName"] == provider.display_name
        assert entry["definition"] == {
            "domain": provider.slug,
            "version": version,
            "revision": provider.revision,
            "digest": digest,
        }
        (action,) = entry["actions"]
        assert (action["name"], action["readOnly"], action["idempotent"], action["destructive"]) == (
            *("search", True, True),
            False,
        )
        assert without_descriptions(action["inputSchema"]) == INPUT
        results = action["outputSchema"]["properties"]["results"]
        assert action["outputSchema"]["required"] == ["results"]
        assert list(results["items"]["properties"]) == results["items"]["required"] == RESULT_MEMBERS
        assert road.agent("GET", f"exec/{provider.slug}").json() == entry


def without_descriptions(schema: object) -> object:
    """The rules of a schema, without its words."""
    if not isinstance(schema, dict):
        return schema
    return {
        name: without_descriptions(value)
        for name, value in schema.items()
        if not (name in ("description", "title", "examples", "pattern") and not isinstance(value, dict))
    }
