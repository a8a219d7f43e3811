"""How an engine is introduced and hidden. Frozen: migrations that have run depend on it; imports no live code.

Introducing moves a custom App that holds the slug out of the way, then creates the Product App and its
version, or makes an earlier one available again. Hiding clears `available` and touches nothing else.
"""

import hashlib
import logging
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

INVISIBLE = frozenset("\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufeff")

log = logging.getLogger("agentteam.migrations")


class IntroducedEngine(NamedTuple):
    app_id: str
    slug: str
    display_name: str
    description: str
    definition_version: str
    definition_digest: str


Step = Callable[[Apps, BaseDatabaseSchemaEditor], None]


def introduce(*engines: IntroducedEngine) -> Step:
    def forward(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for engine in engines:
            _move_squatters(apps, engine)
            _claim(apps, engine)

    return forward


def hide(*engines: IntroducedEngine) -> Step:
    def backward(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for engine in engines:
            apps.get_model("marketplace", "App").objects.filter(pk=engine.app_id, slug=engine.slug).update(
                available=False
            )

    return backward


def _move_squatters(apps: Apps, engine: IntroducedEngine) -> None:
    app_model = apps.get_model("marketplace", "App")
    for app in app_model.objects.exclude(pk=engine.app_id).order_by("pk"):
        if _normalised(app.slug) != engine.slug:
            continue
        app.slug = _free_slug(app_model, app)
        if isinstance(app.manifest, dict) and "slug" in app.manifest:
            app.manifest = {**app.manifest, "slug": app.slug}
        app.save(update_fields=["slug", "manifest"])


def _free_slug(app_model: Any, app: Any) -> str:
    digest = hashlib.sha256(app.pk.encode()).hexdigest()[:16]
    wanted = f"{app.slug}-legacy-{digest}"
    slug, number = wanted, 2
    while app_model.objects.filter(slug=slug).exclude(pk=app.pk).exists():
        slug, number = f"{wanted}-{number}", number + 1
    return slug


def _claim(apps: Apps, engine: IntroducedEngine) -> None:
    app_model = apps.get_model("marketplace", "App")
    app = app_model.objects.filter(pk=engine.app_id).first()
    if app is None:
        app = app_model.objects.create(
            pk=engine.app_id,
            slug=engine.slug,
            kind="product",
            display_name=engine.display_name,
            description=engine.description,
            manifest={"slug": engine.slug},
        )
    elif app.slug != engine.slug:
        log.warning("App %s has another slug than its own; its engine stays unavailable", engine.app_id)
        return
    elif not app.available:
        app.available = True
        app.save(update_fields=["available"])
    apps.get_model("marketplace", "AppVersion").objects.get_or_create(
        app=app,
        version=engine.definition_version,
        defaults={
            "definition_domain": engine.slug,
            "definition_version": engine.definition_version,
            "definition_digest": engine.definition_digest,
            "default_name": engine.slug,
            "default_enabled": True,
        },
    )


def _normalised(slug: str) -> str:
    visible = "".join(
        character
        for character in unicodedata.normalize("NFKC", slug)
        if character not in INVISIBLE and unicodedata.category(character) != "Cf"
    )
    return unicodedata.normalize("NFKC", visible.casefold())
