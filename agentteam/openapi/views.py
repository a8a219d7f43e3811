"""The API's document for programs, and for people a page that needs nothing from elsewhere."""

from typing import Any

from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from agentteam.openapi.document import document
from apps.workspaces.api.views import APIBase

# What the page is made of comes from this site; its images are in its stylesheet.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class DocumentView(APIBase):
    """The document in OpenAPI 3.1."""

    def get(self, request: Request) -> Response:
        return Response(document())


class PageView(SpectacularSwaggerSplitView):
    """The document as a page; its script is a request of its own, so that the policy allows nothing inline."""

    authentication_classes = []
    template_name = "api/docs.html"
    template_name_js = "api/docs.js"
    url = "/api/v1/schema"
    url_self = "/api/docs"

    def _get_schema_url(self, request: Request) -> str:
        """Without the page's own query, so that nothing of an address gets into the script."""
        return self.url

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Content-Security-Policy"] = PAGE_POLICY
        return response
