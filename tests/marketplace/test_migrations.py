"""The migrations that introduce the engines: custom Apps that stand in the way, and running them again (spec A 2)."""

import ast
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations import RunPython
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import QuerySet

import searchengines.migrations
from apps.marketplace.models import App, AppVersion
from searchengines.providers import ENGINES
from tests.marketplace.migrating import (  # noqa: F401 - fixtures
    apps_of,
    backward,
    before_engines,
    dump,
    forward,
    legacy,
    run_again,
    squat,
    with_availability,
)
from tests.workspaces.conftest import build_house

SLUGS = [engine.slug for engine in ENGINES]
IDS = [engine.app_id for engine in ENGINES]

# The values of case MI-03.
CUSTOM_ID, MOVED_SLUG = "app_custom_0001", "brave-legacy-e55f38b8a7572605"

ALONE = {
    "searchengines.migrations._introduction",
    "django.db",
    "django.apps.registry",
    "django.db.backends.base.schema",
}
STANDARD = {"hashlib", "logging", "unicodedata", "collections.abc", "typing"}


@pytest.mark.usefixtures("before_engines")
class TestSquatters:
    def test_a_custom_app_on_each_slug_moves_away_with_all_that_depends_on_it(self) -> None:
        house = build_house("harbour")
        for slug in SLUGS:
            squat(slug, f"app_custom_{slug}", house)
        before = dump()

        forward()
        after = dump()
        for slug in SLUGS:
            row = apps_of(before)[f"app_custom_{slug}"]
            moved = legacy(slug, row["id"])
            assert apps_of(after)[row["id"]] == {
                **row,
                "slug": moved,
                "manifest": {"slug": moved, "kept": [1]},
            }
        product = [row for row in after["marketplace.App"] if row["id"] in IDS]
        assert {(row["id"], row["slug"], row["kind"], row["available"], row["enabled"]) for row in product} == {
            (engine.app_id, engine.slug, "product", True, True) for engine in ENGINES
        }
        assert without_apps(after) == without_apps(before)

        backward()
        assert dump() == with_availability(after, False, IDS)
        forward()
        assert dump() == after

    def test_the_stated_slug_and_nothing_changes_the_second_time(self) -> None:
        squat("brave", CUSTOM_ID)
        forward()
        custom, product = App.objects.get(pk=CUSTOM_ID), App.objects.get(slug="brave")
        assert (custom.slug, custom.manifest["slug"]) == (MOVED_SLUG, MOVED_SLUG)
        assert (product.id, product.kind) == ("app_brave_search", "product")
        after = dump()
        run_again()
        assert dump() == after

    def test_a_taken_legacy_slug_gets_the_next_number(self) -> None:
        squat(MOVED_SLUG, "app_custom_0002")
        squat(f"{MOVED_SLUG}-2", "app_custom_0003")
        squat("brave", CUSTOM_ID)
        forward()
        moved = App.objects.get(pk=CUSTOM_ID)
        assert (moved.slug, moved.manifest["slug"]) == (f"{MOVED_SLUG}-3", f"{MOVED_SLUG}-3")
        assert App.objects.get(pk="app_custom_0002").slug == MOVED_SLUG
        assert App.objects.get(pk="app_custom_0003").slug == f"{MOVED_SLUG}-2"

    def test_what_looks_like_a_reserved_slug_moves_and_keeps_its_spelling(self) -> None:
        alike = [
            "Brave",
            "BRAVE",
            "br\u200bave",
            "\ufeffbrave",
            "brave\u00ad",
            "ｂｒａｖｅ",
            "ⓑrave",
            "b\u2060r\u200dave",
        ]
        expected = {}
        for number, slug in enumerate(alike):
            squat(slug, f"app_custom_{number}")
            expected[f"app_custom_{number}"] = legacy(slug, f"app_custom_{number}")
        squat("Searxng", CUSTOM_ID)
        forward()
        assert {row.pk: row.slug for row in custom_apps()} == expected | {CUSTOM_ID: "Searxng-legacy-e55f38b8a7572605"}
        assert all(row.manifest["slug"] == row.slug for row in custom_apps())
        assert App.objects.get(slug="brave").pk == "app_brave_search"

    def test_another_slug_stays(self) -> None:
        for number, slug in enumerate(["brave2", "brave-search", "bravé", "searx", "brave-legacy-0", "b\u0440ave"]):
            squat(slug, f"app_custom_{number}")
        before = list(custom_apps().values())
        forward()
        assert list(custom_apps().values()) == before

    def test_several_on_one_slug_each_move(self) -> None:
        harbour, lighthouse = build_house("harbour"), build_house("lighthouse")
        squat("brave", "app_custom_1", harbour)
        squat("Brave", "app_custom_2", harbour)
        squat("brave", "app_custom_3", lighthouse)
        squat("brave", "app_custom_4")
        forward()
        assert dict(custom_apps().values_list("pk", "slug")) == {
            "app_custom_1": legacy("brave", "app_custom_1"),
            "app_custom_2": legacy("Brave", "app_custom_2"),
            "app_custom_3": legacy("brave", "app_custom_3"),
            "app_custom_4": legacy("brave", "app_custom_4"),
        }

    def test_the_longest_slug_has_room_for_its_suffix(self) -> None:
        hidden = "\u200b" * 59
        squat(f"brave{hidden}", CUSTOM_ID)
        squat(legacy(f"brave{hidden}", CUSTOM_ID), "app_custom_0002")
        forward()
        assert App.objects.get(pk=CUSTOM_ID).slug == legacy(f"brave{hidden}", CUSTOM_ID) + "-2"

    def test_only_a_slug_in_the_manifest_is_changed(self) -> None:
        manifests: list[Any] = [{}, {"other": 1}, [], "text", {"slug": None}]
        for number, manifest in enumerate(manifests):
            house = build_house(f"house-{number}")
            squat("brave", f"app_custom_{number}", house, manifest=manifest)
        forward()
        moved = legacy("brave", "app_custom_4")
        assert [row.manifest for row in custom_apps()] == [{}, {"other": 1}, [], "text", {"slug": moved}]

    def test_a_row_with_only_the_id_of_an_engine_is_left_alone(self) -> None:
        squat("elsewhere", "app_brave_search")
        before = dump()
        forward()
        after = dump()
        assert apps_of(after)["app_brave_search"] == apps_of(before)["app_brave_search"]
        assert [row["app_id"] for row in after["marketplace.AppVersion"]].count("app_brave_search") == 1
        assert not App.objects.filter(slug="brave").exists()
        assert App.objects.filter(pk__in=IDS, kind="product").count() == len(IDS) - 1
        backward()
        assert apps_of(dump())["app_brave_search"] == apps_of(before)["app_brave_search"]


@pytest.mark.usefixtures("before_engines")
class TestRollback:
    def test_an_app_that_the_operator_disabled_stays_disabled(self) -> None:
        forward()
        App.objects.filter(pk="app_brave_search").update(enabled=False)
        before = dump()
        backward()
        assert dump() == with_availability(before, False, IDS)
        forward()
        assert dump() == before
        assert App.objects.get(pk="app_brave_search").enabled is False

    def test_each_step_hides_its_own_engines_only(self) -> None:
        forward()
        MigrationExecutor(connection).migrate([("searchengines", "0001_first_engines")])
        available = App.objects.filter(available=True).values_list("slug", flat=True)
        assert set(available) == {"searxng", "brave", "tavily", "serper"}

    def test_a_version_is_introduced_once(self) -> None:
        forward()
        versions = list(AppVersion.objects.values_list("app_id", "version"))
        backward()
        forward()
        assert list(AppVersion.objects.values_list("app_id", "version")) == versions
        assert len(versions) == len(IDS)


def sources() -> list[Path]:
    return sorted(Path(searchengines.migrations.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("source", sources(), ids=lambda path: path.stem)
def test_migrations_import_no_live_code(source: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module)
    assert imported <= ALONE | STANDARD


def test_engines_are_introduced_by_data_and_every_step_has_a_way_back() -> None:
    nodes = MigrationLoader(None).graph.nodes
    steps = [nodes[key] for key in nodes if key[0] == "searchengines"]
    assert steps
    for migration in steps:
        assert [type(operation) for operation in migration.operations] == [RunPython]
        assert migration.operations[0].reversible


def test_schema_and_data_never_share_a_migration() -> None:
    nodes = MigrationLoader(None).graph.nodes
    for key, migration in nodes.items():
        if key[0] in ("workspaces", "marketplace", "activity", "knowledge"):
            kinds = {isinstance(operation, RunPython) for operation in migration.operations}
            assert len(kinds) == 1, key


def custom_apps() -> QuerySet[App]:
    return App.objects.filter(pk__startswith="app_custom").order_by("pk")


def without_apps(rows: dict[str, Any]) -> dict[str, Any]:
    """All rows but those of the product's Apps and of custom Apps themselves."""
    versions = [row for row in rows["marketplace.AppVersion"] if row["app_id"] not in IDS]
    return {**rows, "marketplace.App": [], "marketplace.AppVersion": versions}
