from django.urls import path

from apps.marketplace.api import apps, connections

WORKSPACE = "workspaces/<str:workspace_id>"
INSTALLATION = f"{WORKSPACE}/app-installations/<str:installation_id>"

urlpatterns = [
    path(f"{WORKSPACE}/apps", apps.AppList.as_view()),
    path(f"{WORKSPACE}/apps/<str:slug>", apps.AppDetail.as_view()),
    path(f"{WORKSPACE}/custom-apps", apps.CustomAppList.as_view()),
    path(f"{WORKSPACE}/app-requests", apps.AppRequestList.as_view()),
    path(f"{WORKSPACE}/app-requests/<str:request_id>:approve", apps.AppRequestApproval.as_view()),
    path(f"{WORKSPACE}/app-requests/<str:request_id>:decline", apps.AppRequestRefusal.as_view()),
    path(f"{WORKSPACE}/app-installations", apps.InstallationList.as_view()),
    path(INSTALLATION, apps.InstallationDetail.as_view()),
    path(f"{INSTALLATION}/extension", apps.ExtensionDetail.as_view()),
    path(f"{INSTALLATION}/search-engine-connection", connections.ConnectionDetail.as_view()),
    path(f"{INSTALLATION}/search-engine-options", connections.OptionsDetail.as_view()),
    path(f"{WORKSPACE}/agents/<str:agent_id>/extension-authorizations/<str:name>", apps.AuthorizationDetail.as_view()),
    path(f"{WORKSPACE}/secrets", connections.SecretList.as_view()),
    path(f"{WORKSPACE}/secrets/<str:name>", connections.SecretDetail.as_view()),
]
