"""Routes of the knowledge base, under `/api/v1/` (contract section 4)."""

from django.urls import path

from apps.knowledge.api import views

_WORKSPACE = "workspaces/<str:workspace_id>"
_MODELS = f"{_WORKSPACE}/embedding-models"
_STORES = f"{_WORKSPACE}/embedding-stores"
_DOCUMENTS = f"{_STORES}/<str:store_id>/documents"

urlpatterns = [
    path(_MODELS, views.ModelList.as_view()),
    path(f"{_MODELS}/<str:model_id>", views.ModelDetail.as_view()),
    path(_STORES, views.StoreList.as_view()),
    path(f"{_STORES}/<str:store_id>", views.StoreDetail.as_view()),
    path(_DOCUMENTS, views.DocumentList.as_view()),
    path(f"{_DOCUMENTS}/<str:document_id>", views.DocumentDetail.as_view()),
]
