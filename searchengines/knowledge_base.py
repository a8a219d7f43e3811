"""What the knowledge-base engine declares. It embeds and compares instead of asking a provider (spec B)."""

from searchengines import cleaning
from searchengines.contract import Engine, Field, Needs
from searchengines.options import integer_option, number_option

_clean_id = cleaning.matching_text(r"[A-Za-z0-9._:-]{1,128}", "the id of an object of this workspace")


class KnowledgeBase(Engine):
    app_id = "app_knowledge"
    slug = "rag"
    display_name = "Knowledge Base"
    description = "Searches your own documents by meaning and returns the passages that match best."
    needs = Needs.KNOWLEDGE
    data_notice = "Queries go to the embedding model that you choose; the documents stay in this deployment."
    fields = (
        Field(
            "embeddingStore",
            "Embedding store",
            _clean_id,
            required=True,
            reference="embedding_store",
            help="Where the passages are kept.",
        ),
        Field(
            "embeddingModel",
            "Embedding model",
            _clean_id,
            required=True,
            reference="embedding_model",
            help="Turns queries into vectors. Use the model that the store was filled with.",
        ),
        Field(
            "description",
            "Description",
            cleaning.bounded_text(1000),
            help="Tells agents what the documents are about, so that they know when to search them.",
        ),
    )
    options = (
        integer_option(
            "maxResults",
            "Passages",
            1,
            50,
            document_name="max_results",
            default=5,
            help="How many passages are returned at most.",
        ),
        number_option(
            "minScore",
            "Minimum similarity",
            0,
            1,
            document_name="min_score",
            default=0.5,
            help="Passages below this similarity are left out.",
        ),
    )
    count_option = "maxResults"
    count_range = (1, 50)
    default_count = 5
    takes_min_score = True
