"""Operators see every row of this room, and no key in whatever form."""

import pytest
from django.contrib.admin.utils import quote
from django.test import Client

from apps.knowledge.models import EmbeddingModel
from apps.workspaces.models import User
from tests.knowledge.library import KEY, Library


@pytest.mark.parametrize("name", ["embeddingmodel", "embeddingstore", "document", "passage"])
def test_lists_and_details_show_no_key(empty_library: Library, name: str) -> None:
    library = empty_library
    library.make_model(apiKey=KEY)
    library.make_store()
    library.add("a.md", "Every hour.")
    operator = User.objects.create_superuser("operator@harbour.example", "password")
    client = Client()
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    listed = client.get(f"/admin/knowledge/{name}/?q=a")
    assert listed.status_code == 200
    from django.apps import apps

    row = apps.get_model("knowledge", name).objects.get()
    detail = client.get(f"/admin/knowledge/{name}/{quote(row.pk)}/change/")
    assert detail.status_code == 200
    envelope = bytes(EmbeddingModel.objects.get().envelope)
    for content in (listed.content, detail.content):
        assert KEY.encode() not in content
        assert envelope not in content
        assert envelope.hex().encode() not in content
