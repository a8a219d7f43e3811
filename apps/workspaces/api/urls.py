"""Routes of people, workspaces, agents and tokens, under `/api/v1/` (contract section 4)."""

from django.urls import path

from apps.workspaces.api import agents, people

_WORKSPACE = "workspaces/<str:workspace_id>"

urlpatterns = [
    path("workspaces", people.WorkspaceList.as_view()),
    path(_WORKSPACE, people.WorkspaceDetail.as_view()),
    path("me/tokens", people.OwnTokenList.as_view()),
    path("me/tokens/<str:token_id>", people.OwnTokenDetail.as_view()),
    path(f"{_WORKSPACE}/members", people.MemberList.as_view()),
    path(f"{_WORKSPACE}/members/<str:member_id>", people.MemberDetail.as_view()),
    path(f"{_WORKSPACE}/agents", agents.AgentList.as_view()),
    path(f"{_WORKSPACE}/agents/<str:agent_id>", agents.AgentDetail.as_view()),
    path(f"{_WORKSPACE}/agents/<str:agent_id>/tokens", agents.AgentTokenList.as_view()),
    path(f"{_WORKSPACE}/agents/<str:agent_id>/tokens/<str:token_id>", agents.AgentTokenDetail.as_view()),
    path(f"{_WORKSPACE}/service-tokens", agents.ServiceTokenList.as_view()),
    path(f"{_WORKSPACE}/service-tokens/<str:token_id>", agents.ServiceTokenDetail.as_view()),
]
