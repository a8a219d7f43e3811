"""The Knowledge Base becomes an App of the marketplace."""

from django.db import migrations

from searchengines.migrations._introduction import IntroducedEngine, hide, introduce

ENGINES = (
    IntroducedEngine(
        app_id="app_knowledge",
        slug="rag",
        display_name="Knowledge Base",
        description="Searches your own documents by meaning and returns the passages that match best.",
        definition_version="1.0.0",
        definition_digest="sha256:413ca19b2ac1824267c6e35d6ec2d25764bb8146a858626920aa4849faa2e4ce",
    ),
)


class Migration(migrations.Migration):
    dependencies = [("searchengines", "0002_more_engines")]
    operations = [migrations.RunPython(introduce(*ENGINES), hide(*ENGINES))]
