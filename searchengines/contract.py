"""The words that engines, their transport and their callers share.

An engine declares what it is, which fields connect it and which options it takes; forms, masking,
validation, schemas and help derive from these declarations. A web engine (`Provider`) adds two pure
functions: one makes a request, one reads an answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, ClassVar, NoReturn, Protocol, TypeAlias

from searchengines.errors import Code, SearchFailure

Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Secret:
    """Text that no repr, log line, pickle or error report may show; `reveal` is the only way in."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "<secret>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")


class Needs(StrEnum):
    """What an administrator has to bring (contract section 4, `needs`)."""

    API_KEY = "api_key"
    SELF_HOSTED = "self_hosted"
    NOTHING = "nothing"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a connection: of `credentials` when secret, else of `config`.

    ``clean`` takes the JSON value and returns the text to store, or raises `InvalidValue`.
    ``reference`` names the kind of workspace object that the value must be the id of.
    """

    name: str
    label: str
    clean: Callable[[object], str]
    required: bool = False
    secret: bool = False
    help: str = ""
    placeholder: str = ""
    reference: str | None = None


class OptionKind(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    DOMAINS = "domains"


@dataclass(frozen=True, slots=True)
class Option:
    """One optional member of `search-engine-options`.

    ``document_name`` is its name in specification B's documents. Bounds are inclusive; for text they
    count characters. ``clean`` takes the JSON value and returns the value to store, or raises
    `InvalidValue`. ``default`` is what applies when unset (documentation only: unset members are not sent).
    """

    name: str
    label: str
    kind: OptionKind
    clean: Callable[[object], Json]
    document_name: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    default: Json = None
    help: str = ""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, and through which installation. Agents and services both; ids are opaque text."""

    workspace_id: str
    installation_id: str
    agent_id: str | None = None
    agent_member_id: str | None = None


class Reach(Enum):
    """Which addresses a request may be sent to (egress-and-secrets section 4)."""

    GLOBAL = "global"
    PRIVATE = "private"
    LOOPBACK = "loopback"


@dataclass(frozen=True, slots=True)
class Target:
    """Where an engine lives: ``base_url`` is scheme, host, optional port and path, no trailing slash.

    ``reach`` is the widest class of address allowed: GLOBAL only global ones, PRIVATE also private
    ones, LOOPBACK private ones and loopback. ``own_ca`` adds the deployment's CA file to the roots.
    ``label`` is what the sockets are counted under.
    """

    base_url: str
    reach: Reach = Reach.GLOBAL
    own_ca: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionSnapshot:
    """One connection as it was when the call began; valid for this call only.

    ``secrets`` holds what this call may use, already decrypted, resolved and (with several keys) chosen;
    ``key_ordinal`` is the position of the chosen key, from 1, or None. ``pool`` names the set of kept
    sockets this call may use: it changes with every change of the connection.
    """

    target: Target
    config: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict, repr=False)
    options: Mapping[str, Json] = field(default_factory=dict)
    pool: tuple[str, int] = ("", 0)
    key_ordinal: int | None = None

    def secret(self, name: str) -> Secret:
        """The secret member `name`. Raises `SearchFailure` provider_auth_unavailable when it is absent."""
        try:
            return self.secrets[name]
        except KeyError:
            raise SearchFailure(Code.AUTH_UNAVAILABLE) from None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request an adapter asks for. ``path`` is appended to the target's base URL.

    Values of ``params`` and ``headers`` may be `Secret`: transports reveal them on the wire only.
    ``json`` is the body, sent as application/json. ``accept_gzip`` asks for gzip and sends
    ``Accept-Language: *`` (SearXNG's limiter wants both); otherwise identity is asked for.
    The repr, like that of `SearchQuery`, leaves out what is searched for.
    """

    method: str
    path: str
    params: tuple[tuple[str, str | Secret], ...] = field(default=(), repr=False)
    headers: Mapping[str, str | Secret] = field(default_factory=dict)
    json: Json = field(default=None, repr=False)
    accept_gzip: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """A complete answer: ``headers`` by lower-case name, ``body`` decoded from its content coding."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Transport(Protocol):
    """Sends one request, once. The only implementation that opens sockets is `searchengines.egress`."""

    def send(self, outgoing: Outgoing, target: Target, *, pool: tuple[str, int], timeout: float) -> Incoming:
        """``timeout`` is the total deadline in seconds. Raises `SearchFailure` upstream_failure with a reason."""
        ...


@dataclass(frozen=True, slots=True)
class RawResult:
    """One entry as a provider gave it; any member may be of any type. Normalisation makes sense of it."""

    url: object
    title: object = None
    snippet: object = None
    score: object = None
    published: object = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an adapter read out of one payload."""

    results: Iterable[RawResult]
    answer: object = None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for. ``query`` is already trimmed and validated.

    An agent gives ``limit`` (1 to 10) and never receives more; a service may give ``max_results`` and
    ``min_score`` and has no ``limit``.
    """

    query: str = field(repr=False)
    limit: int | None = None
    max_results: int | None = None
    min_score: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A normalised result. ``url`` is absolute http(s), or "" for a knowledge base."""

    url: str
    title: str
    snippet: str
    score: float | None = None
    published_date: str | None = None


class DropReason(StrEnum):
    """Why normalisation left an entry out."""

    MALFORMED = "malformed"
    NO_URL = "no_url"
    BAD_SCHEME = "bad_scheme"
    BAD_URL = "bad_url"
    DUPLICATE = "duplicate"
    DOMAIN_RULE = "domain_rule"
    LOW_SCORE = "low_score"
    OVER_LIMIT = "over_limit"


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The outcome of a search. ``dropped`` counts entries left out, by reason.

    ``upstream_seconds`` is the time spent waiting for the provider; 0.0 when none was asked.
    """

    results: tuple[Result, ...]
    answer: str | None = None
    dropped: Mapping[DropReason, int] = field(default_factory=dict)
    upstream_seconds: float = 0.0


class Engine(ABC):
    """What every engine declares, web engine or knowledge base. Subclasses set the class attributes.

    ``definition_version`` and ``revision`` are the engine's own: a change of the action's schema or of
    its behaviour raises them (spec A 3). ``data_notice`` says where a query goes. ``count_option`` names
    the stored option that decides how many results are asked for; ``count_range`` is the provider's own
    range and ``default_count`` what a service gets when nothing is said. ``takes_min_score``: a service may
    give the lowest score of a result.
    """

    app_id: ClassVar[str]
    slug: ClassVar[str]
    display_name: ClassVar[str]
    description: ClassVar[str]
    needs: ClassVar[Needs]
    data_notice: ClassVar[str]
    notice: ClassVar[str] = ""
    definition_version: ClassVar[str] = "1.0.0"
    revision: ClassVar[int] = 1
    fields: ClassVar[tuple[Field, ...]] = ()
    options: ClassVar[tuple[Option, ...]] = ()
    count_option: ClassVar[str | None] = None
    count_range: ClassVar[tuple[int, int]] = (1, 10)
    default_count: ClassVar[int] = 10
    takes_min_score: ClassVar[bool] = False

    @property
    def config_fields(self) -> tuple[Field, ...]:
        return tuple(item for item in self.fields if not item.secret)

    @property
    def secret_fields(self) -> tuple[Field, ...]:
        return tuple(item for item in self.fields if item.secret)


class Provider(Engine):
    """A web engine behind HTTP. ``origin`` is its fixed HTTPS origin; None: the `baseUrl` field has it."""

    origin: ClassVar[str | None]
    max_query_characters: ClassVar[int | None] = None
    max_query_words: ClassVar[int | None] = None

    @abstractmethod
    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        """The one request for `count` results; None when nothing is left to ask (success, empty)."""

    @abstractmethod
    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        """Read a decoded JSON payload of a successful answer. Raises `SearchFailure` (bad_shape, ...)."""

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        """What an unsuccessful status means when the body says more than the status; None: the common rules.

        ``payload`` is the decoded JSON body, or None when it is not JSON. Also asked, with None, when a normal
        answer's body is not JSON (a challenge page).
        """
        return None

    def accepts(self, status: int) -> bool:
        """Whether a status carries a normal answer."""
        return status == 200


__all__ = [
    "CallContext",
    "ConnectionSnapshot",
    "DropReason",
    "Engine",
    "Field",
    "Incoming",
    "Json",
    "Needs",
    "Option",
    "OptionKind",
    "Outgoing",
    "Parsed",
    "Provider",
    "RawResult",
    "Reach",
    "Result",
    "SearchAnswer",
    "SearchQuery",
    "Secret",
    "Target",
    "Transport",
]
