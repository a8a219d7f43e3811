"""Routes of the pages."""

from django.urls import path

from apps.console import (
    activity,
    agents,
    app_detail,
    connection,
    documents,
    home,
    knowledge,
    marketplace,
    people,
    playground,
    secrets,
    sign_in,
)

app_name = "console"

WORKSPACE = "w/<str:workspace_id>"
APP = f"{WORKSPACE}/apps/<str:slug>"
KNOWLEDGE = f"{WORKSPACE}/knowledge"
STORE = f"{KNOWLEDGE}/stores/<str:store_id>"
AGENT = f"{WORKSPACE}/agents/<str:agent_id>"

urlpatterns = [
    path("", home.Home.as_view(), name="home"),
    path("sign-in", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", sign_in.SignOut.as_view(), name="sign-out"),
    path("account", people.Account.as_view(), name="account"),
    path("account/password", people.ChangePassword.as_view(), name="change-password"),
    path("account/tokens", people.OwnTokens.as_view(), name="own-tokens"),
    path("account/tokens/<str:token_id>/revoke", people.RevokeOwnToken.as_view(), name="revoke-own-token"),
    path(f"{WORKSPACE}/", marketplace.Marketplace.as_view(), name="marketplace"),
    path(f"{WORKSPACE}/custom-apps/new", marketplace.NewCustomApp.as_view(), name="custom-app"),
    path(APP, app_detail.AppOverview.as_view(), name="app"),
    path(f"{APP}/install", marketplace.Install.as_view(), name="install"),
    path(f"{APP}/request", marketplace.RequestApp.as_view(), name="request"),
    path(f"{APP}/connection", connection.SaveConnection.as_view(), name="app-connection"),
    path(f"{APP}/connection/test", connection.TestConnection.as_view(), name="app-test"),
    path(f"{APP}/disconnect", connection.Disconnect.as_view(), name="disconnect"),
    path(f"{APP}/options", app_detail.AppOptions.as_view(), name="app-options"),
    path(f"{APP}/extension", app_detail.AppExtension.as_view(), name="app-extension"),
    path(f"{APP}/agents", app_detail.AppAgents.as_view(), name="app-agents"),
    path(f"{APP}/activity", app_detail.AppActivity.as_view(), name="app-activity"),
    path(f"{APP}/uninstall", app_detail.Uninstall.as_view(), name="uninstall"),
    path(f"{WORKSPACE}/agents", agents.Agents.as_view(), name="agents"),
    path(AGENT, agents.AgentDetail.as_view(), name="agent"),
    path(f"{AGENT}/delete", agents.DeleteAgent.as_view(), name="delete-agent"),
    path(f"{AGENT}/tokens", agents.AgentTokens.as_view(), name="agent-tokens"),
    path(f"{AGENT}/tokens/<str:token_id>/revoke", agents.RevokeAgentToken.as_view(), name="revoke-agent-token"),
    path(f"{WORKSPACE}/service-tokens", agents.ServiceTokens.as_view(), name="service-tokens"),
    path(
        f"{WORKSPACE}/service-tokens/<str:token_id>/revoke",
        agents.RevokeServiceToken.as_view(),
        name="revoke-service-token",
    ),
    path(f"{WORKSPACE}/members", people.Members.as_view(), name="members"),
    path(f"{WORKSPACE}/members/<str:member_id>/role", people.ChangeRole.as_view(), name="change-role"),
    path(f"{WORKSPACE}/members/<str:member_id>/remove", people.RemoveMember.as_view(), name="remove-member"),
    path(f"{WORKSPACE}/requests/<str:request_id>", people.DecideRequest.as_view(), name="decide-request"),
    path(f"{WORKSPACE}/secrets", secrets.Secrets.as_view(), name="secrets"),
    path(f"{WORKSPACE}/secrets/<str:name>/delete", secrets.DeleteSecret.as_view(), name="delete-secret"),
    path(f"{WORKSPACE}/activity", activity.Activity.as_view(), name="activity"),
    path(f"{WORKSPACE}/activity.csv", activity.ActivityExport.as_view(), name="activity-export"),
    path(f"{WORKSPACE}/playground", playground.Playground.as_view(), name="playground"),
    path(f"{WORKSPACE}/playground/<str:slug>", playground.PlaygroundRun.as_view(), name="playground-run"),
    path(KNOWLEDGE, knowledge.KnowledgeBase.as_view(), name="knowledge"),
    path(f"{KNOWLEDGE}/models", knowledge.NewModel.as_view(), name="new-model"),
    path(f"{KNOWLEDGE}/models/<str:model_id>", knowledge.ChangeModel.as_view(), name="change-model"),
    path(f"{KNOWLEDGE}/models/<str:model_id>/delete", knowledge.DeleteModel.as_view(), name="delete-model"),
    path(f"{KNOWLEDGE}/stores", knowledge.NewStore.as_view(), name="new-store"),
    path(STORE, documents.Store.as_view(), name="store"),
    path(f"{STORE}/documents", documents.Documents.as_view(), name="documents"),
    path(f"{STORE}/documents/<str:document_id>/delete", documents.DeleteDocument.as_view(), name="delete-document"),
    path(f"{STORE}/model", documents.MoveStore.as_view(), name="move-store"),
    path(f"{STORE}/try", documents.TryStore.as_view(), name="try-store"),
    path(f"{STORE}/delete", knowledge.DeleteStore.as_view(), name="delete-store"),
]
