"""Staan, Google Custom Search, SearchApi, DuckDuckGo and Exa become Apps of the marketplace."""

from django.db import migrations

from searchengines.migrations._introduction import IntroducedEngine, hide, introduce

ENGINES = (
    IntroducedEngine(
        app_id="app_staan",
        slug="staan",
        display_name="Staan",
        description="European web search, by Qwant.",
        definition_version="1.0.0",
        definition_digest="sha256:b7c6ea8f18761e54657b60f7f99d495bf89e56fea40ba11143f637ef1dc2ab22",
    ),
    IntroducedEngine(
        app_id="app_google_search",
        slug="google",
        display_name="Google Custom Search",
        description="Google results through a Programmable Search Engine of your own.",
        definition_version="1.0.0",
        definition_digest="sha256:597857433ceb96bcc2af497ff40de9551273f945cf7c94d4061b5b9d1c56cd66",
    ),
    IntroducedEngine(
        app_id="app_searchapi",
        slug="searchapi",
        display_name="SearchApi",
        description="Results of Google and other engines through SearchApi.",
        definition_version="1.0.0",
        definition_digest="sha256:ac89e30b368d60b635acd8e5df596389c2ac12717bb92a762153ca3de72f5d38",
    ),
    IntroducedEngine(
        app_id="app_duckduckgo",
        slug="duckduckgo",
        display_name="DuckDuckGo",
        description="DuckDuckGo's instant answers: a summary and related topics.",
        definition_version="1.0.0",
        definition_digest="sha256:f0fecdfbec69470a6d0c1f858ddc69baf915cd3558152633cafadaad56f87278",
    ),
    IntroducedEngine(
        app_id="app_exa",
        slug="exa",
        display_name="Exa",
        description="Web search by meaning, with highlights of each page.",
        definition_version="1.0.0",
        definition_digest="sha256:e9fff0b4adac091ba24302fc9617346f1c511825424b437fbb52124689baa761",
    ),
)


class Migration(migrations.Migration):
    dependencies = [("searchengines", "0001_first_engines")]
    operations = [migrations.RunPython(introduce(*ENGINES), hide(*ENGINES))]
