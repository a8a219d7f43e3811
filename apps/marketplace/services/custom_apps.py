"""A workspace's own Apps: entries of its marketplace without product behaviour."""

import re

from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import App
from apps.marketplace.product_apps import is_reserved
from apps.workspaces import audit
from apps.workspaces.errors import Problem

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


def create_custom_app(workspace_id: str, slug: str, display_name: str, description: str, actor: audit.Actor) -> App:
    """Raises `Problem`: slug_reserved (also for look-alikes), invalid_input, conflict (slug taken)."""
    if is_reserved(slug):
        raise Problem("slug_reserved")
    if not SLUG.fullmatch(slug):
        raise Problem.invalid({"slug": "1 to 64 lower-case letters, digits and inner hyphens."})
    with app_mutation_lock(workspace_id):
        if App.objects.filter(workspace_id=workspace_id, slug=slug).exists():
            raise Problem.conflict("An App of this workspace has this slug.")
        app = App.objects.create(
            workspace_id=workspace_id,
            slug=slug,
            display_name=display_name,
            description=description,
            manifest={"slug": slug},
        )
        audit.record(workspace_id, actor, "custom_app.created", "app", app.id, {"slug": slug})
        return app
