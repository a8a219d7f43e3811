from django.urls import path

from apps.activity.api.views import ActivityView

urlpatterns = [path("workspaces/<str:workspace_id>/activity", ActivityView.as_view())]
