"""The Knowledge Base's own Definition: passages instead of pages, and a score (contract section 1)."""

from extensions.search_action import SNIPPET, TITLE, search_definition
from searchengines.knowledge_base import KnowledgeBase

RESULT_MEMBERS = {
    "url": {"type": "string", "description": "Always empty: a passage has no address."},
    "title": {**TITLE, "description": "The passage's id: its document and its place in it."},
    "snippet": SNIPPET,
    "score": {"type": "number", "minimum": 0, "maximum": 1, "description": "Similarity, best first."},
}

KNOWLEDGE_DEFINITION = search_definition(
    KnowledgeBase(), RESULT_MEMBERS, "Search the team's own documents by meaning, not by words."
)
