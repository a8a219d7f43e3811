"""Which Apps are ours: the trusted pairs of id and slug, and the slugs nobody else may take (spec A 2).

A row of the database never makes a Product App. Its id and its slug must both be in this table, together.
"""

import unicodedata

from apps.marketplace.models import App
from searchengines.contract import Engine
from searchengines.providers import ENGINES

ENGINES_BY_APP: dict[str, Engine] = {engine.app_id: engine for engine in ENGINES}
ENGINES_BY_SLUG: dict[str, Engine] = {engine.slug: engine for engine in ENGINES}

# Characters that are not seen: two slugs that differ only in these look the same.
INVISIBLE = frozenset("\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufeff")


def trusted_engine(app_id: str, slug: str) -> Engine | None:
    """The engine behind exactly this pair, or None."""
    engine = ENGINES_BY_APP.get(app_id)
    return engine if engine is not None and engine.slug == slug else None


def engine_of(app: App) -> Engine | None:
    return trusted_engine(app.id, app.slug)


def normalised_slug(slug: str) -> str:
    """How a slug is compared with the reserved ones: NFKC, case folded, without invisible characters."""
    visible = "".join(
        character
        for character in unicodedata.normalize("NFKC", slug)
        if character not in INVISIBLE and unicodedata.category(character) != "Cf"
    )
    return unicodedata.normalize("NFKC", visible.casefold())


def is_reserved(slug: str) -> bool:
    return normalised_slug(slug) in ENGINES_BY_SLUG
