"""An engine's stored options (contract section 1)."""

from collections.abc import Mapping

from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.members import clean_members
from apps.marketplace.models import EngineOptions
from apps.marketplace.services.connections import engine_installation
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from searchengines.contract import Json


def save_options(
    workspace_id: str, installation_id: str, options: Mapping[str, object], actor: audit.Actor
) -> dict[str, Json]:
    """Replace the stored options. Raises `Problem`: not_found (also for a custom App), invalid_input."""
    with app_mutation_lock(workspace_id):
        installation, engine = engine_installation(workspace_id, installation_id)
        problems: dict[str, str] = {}
        cleaned: dict[str, Json] = clean_members(options, engine.options, "", problems)
        if problems:
            raise Problem.invalid(problems)
        EngineOptions.objects.update_or_create(installation=installation, defaults={"options": cleaned})
        audit.record(
            workspace_id, actor, "options.saved", "installation", installation.id, {"options": sorted(cleaned)}
        )
        return cleaned
