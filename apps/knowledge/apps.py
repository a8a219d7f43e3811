from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "apps.knowledge"
    label = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        from apps.knowledge import executor, selectors
        from apps.knowledge.definition import KNOWLEDGE_DEFINITION
        from apps.marketplace import references
        from extensions.registry import register_builtin

        register_builtin(executor.ENGINE, KNOWLEDGE_DEFINITION, executor.search, executor.ENGINE.revision)
        references.register("embedding_store", selectors.store_choices)
        references.register("embedding_model", selectors.model_choices)
