"""SearXNG, Brave Search, Tavily Search and Serper Search become Apps of the marketplace."""

from django.db import migrations

from searchengines.migrations._introduction import IntroducedEngine, hide, introduce

ENGINES = (
    IntroducedEngine(
        app_id="app_searxng",
        slug="searxng",
        display_name="SearXNG",
        description="Web search through a SearXNG instance of your own.",
        definition_version="1.0.0",
        definition_digest="sha256:d894235b88dc2223a73d84a0cff5f51ad8178124264eb94cf771360ddf6380b2",
    ),
    IntroducedEngine(
        app_id="app_brave_search",
        slug="brave",
        display_name="Brave Search",
        description="Web search on Brave's own index.",
        definition_version="1.0.0",
        definition_digest="sha256:9a1e8476e5e7049154e7421325abf068c9fcfa0a6ebdd5d3c8573c7a5a502553",
    ),
    IntroducedEngine(
        app_id="app_tavily",
        slug="tavily",
        display_name="Tavily Search",
        description="Web search made for language models; can add a written answer.",
        definition_version="1.0.0",
        definition_digest="sha256:4a4ea645292d27fe6292884602bd97c463595e44e7ce64fa52417275ba85ccf4",
    ),
    IntroducedEngine(
        app_id="app_serper",
        slug="serper",
        display_name="Serper Search",
        description="Google results through Serper.",
        definition_version="1.0.0",
        definition_digest="sha256:65eb116fddcdad67769450bd16fa3606df5542976dbf6778a7471d7f0b25ea67",
    ),
)


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0001_initial")]
    operations = [migrations.RunPython(introduce(*ENGINES), hide(*ENGINES))]
