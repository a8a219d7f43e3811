"""The routes: the API of each room, the pages, the operators' admin site and the health routes."""

from django.contrib import admin
from django.urls import include, path, re_path

from agentteam import errors, health, metrics
from agentteam.openapi.views import DocumentView, PageView
from apps.console.sign_in import admin_sign_in
from extensions.mcp.view import McpView

# The road of agents' and services' calls comes first: patterns are tried in order.
urlpatterns = [
    path("api/v1/", include("extensions.urls")),
    path("api/v1/", include("apps.workspaces.api.urls")),
    path("api/v1/", include("apps.marketplace.api.urls")),
    path("api/v1/", include("apps.activity.api.urls")),
    path("api/v1/", include("apps.knowledge.api.urls")),
    path("api/v1/schema", DocumentView.as_view()),
    path("api/docs", PageView.as_view()),
    path("mcp", McpView.as_view()),
    re_path(r"^api/", errors.api_not_found),
    path("healthz", health.process),
    path("readyz", health.ready),
    path("metrics", metrics.metrics),
    path("admin/login/", admin_sign_in),
    path("admin/", admin.site.urls),
    path("", include("apps.console.urls")),
]

handler404 = "apps.console.error_pages.not_found"
handler500 = "apps.console.error_pages.server_error"
