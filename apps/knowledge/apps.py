from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "apps.knowledge"
    label = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        from apps.knowledge import executor, selectors
        from apps.knowledge.definition import KNOWLEDGE_DEFINITION
        from apps.knowledge.keys import key_place
        from apps.knowledge.models import EmbeddingModel
        from apps.marketplace import references, sealed
        from extensions.registry import register_builtin

        register_builtin(executor.ENGINE, KNOWLEDGE_DEFINITION, executor.search, executor.ENGINE.revision)
        references.register("embedding_store", selectors.store_choices)
        references.register("embedding_model", selectors.model_choices)
        with_a_key = EmbeddingModel.objects.exclude(envelope=None)
        sealed.register(sealed.SealedSource("embedding model", with_a_key.all, key_place))
