"""The routes of connections, options and secrets, documented."""

from apps.marketplace.api.schema import EXAMPLE_CONNECTION, EXAMPLE_SECRET, connection_body, options_body
from apps.workspaces.api.documentation import (
    ADMINISTRATORS,
    PAGING,
    Content,
    Operation,
    Who,
    body_of,
    named,
    page_of,
)

WORKSPACE = "/api/v1/workspaces/{workspaceId}"
INSTALLATION = f"{WORKSPACE}/app-installations/{{installationId}}"
CONNECTION = f"{INSTALLATION}/search-engine-connection"
OPTIONS = f"{INSTALLATION}/search-engine-options"
SECRET = f"{WORKSPACE}/secrets/{{secretName}}"

CONNECTIONS = (
    Operation(
        "getConnection",
        "get",
        CONNECTION,
        Who.PERSON,
        "Connections",
        "An installation's connection, without what is secret",
        {200: named("Connection", EXAMPLE_CONNECTION)},
        ADMINISTRATORS,
    ),
    Operation(
        "saveConnection",
        "put",
        CONNECTION,
        Who.PERSON,
        "Connections",
        "Connect an App, or change its connection",
        {200: named("Connection", EXAMPLE_CONNECTION)},
        f"{ADMINISTRATORS} `config` replaces the whole; a credential that is left out stays. Which engine is meant "
        "follows from the installation. A key may be several, separated by commas, or `${vault://local/NAME}`.",
        body=Content(connection_body(), {"credentials": {"apiKey": "BSA-…"}}),
        codes=("unavailable",),
    ),
    Operation(
        "disconnect",
        "delete",
        CONNECTION,
        Who.PERSON,
        "Connections",
        "Disconnect an App and destroy its stored credential",
        {204: None},
        f"{ADMINISTRATORS} Also where there is none; options stay.",
    ),
    Operation(
        "getOptions",
        "get",
        OPTIONS,
        Who.PERSON,
        "Connections",
        "The stored options of an engine",
        {200: Content(options_body(), {"country": "DE", "safesearch": "moderate"})},
        ADMINISTRATORS,
    ),
    Operation(
        "replaceOptions",
        "put",
        OPTIONS,
        Who.PERSON,
        "Connections",
        "Replace the stored options of an engine",
        {200: Content(options_body(), {"country": "DE", "timeoutMs": 5000})},
        ADMINISTRATORS,
        body=Content(options_body(), {"country": "DE", "timeoutMs": 5000}),
    ),
    Operation(
        "listSecrets",
        "get",
        f"{WORKSPACE}/secrets",
        Who.PERSON,
        "Secrets",
        "List the names of the workspace's secrets",
        {200: page_of("Secret", EXAMPLE_SECRET)},
        ADMINISTRATORS,
        query=PAGING,
    ),
    Operation(
        "putSecret",
        "put",
        SECRET,
        Who.PERSON,
        "Secrets",
        "Write a secret, which is never read back",
        {
            200: named("Secret", EXAMPLE_SECRET),
            201: named("Secret", EXAMPLE_SECRET),
        },
        f"{ADMINISTRATORS} A connection refers to it as `${{vault://local/NAME}}`.",
        body=Content(body_of({"value": {"type": "string", "minLength": 1, "writeOnly": True}}), {"value": "BSA-…"}),
        codes=("unavailable",),
    ),
    Operation(
        "deleteSecret",
        "delete",
        SECRET,
        Who.PERSON,
        "Secrets",
        "Delete a secret",
        {204: None},
        ADMINISTRATORS,
    ),
)
