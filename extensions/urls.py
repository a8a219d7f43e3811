from django.urls import path

from extensions import api

urlpatterns = [
    path("exec", api.CatalogView.as_view()),
    path("exec/<str:name>", api.CatalogEntryView.as_view()),
    path("exec/<str:name>/<str:action>", api.ExecView.as_view()),
    path("search-engines/<str:name>/search", api.ServiceSearchView.as_view()),
    path(
        "workspaces/<str:workspace_id>/app-installations/<str:installation_id>/search-engine-connection:test",
        api.ConnectionTestView.as_view(),
    ),
    path(
        "workspaces/<str:workspace_id>/agents/<str:agent_id>/extensions/<str:name>:explain",
        api.ExplainView.as_view(),
    ),
]
