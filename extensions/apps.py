from django.apps import AppConfig


class ExtensionsConfig(AppConfig):
    name = "extensions"
    label = "extensions"
    verbose_name = "Extensions"

    def ready(self) -> None:
        from extensions import checks, web_engines  # noqa: F401

        web_engines.register()
