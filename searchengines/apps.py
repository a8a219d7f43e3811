from django.apps import AppConfig


class SearchEnginesConfig(AppConfig):
    """Here only for its migrations, which introduce the engines (contract section 2)."""

    name = "searchengines"
    label = "searchengines"
    verbose_name = "Search engines"
