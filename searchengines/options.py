"""Short ways to declare options, and the options that every web engine takes (contract section 2)."""

from searchengines import cleaning
from searchengines.contract import Json, Option, OptionKind

MAX_TIMEOUT_MS = 15_000


def text_option(
    name: str,
    label: str,
    pattern: str,
    takes: str,
    *,
    maximum: int,
    document_name: str = "",
    default: Json = None,
    help: str = "",
) -> Option:
    """Text that matches `pattern`; `takes` says in words what that is."""
    clean = cleaning.matching_text(pattern, takes)
    return Option(
        name,
        label,
        OptionKind.TEXT,
        clean,
        document_name or name,
        minimum=1,
        maximum=maximum,
        default=default,
        help=help or f"{takes[:1].upper()}{takes[1:]}.",
    )


def names_option(name: str, label: str, *, maximum: int = 512, help: str = "") -> Option:
    """Comma-separated names."""
    clean = cleaning.name_list(maximum)
    return Option(name, label, OptionKind.TEXT, clean, name, minimum=1, maximum=maximum, help=help)


def integer_option(
    name: str, label: str, minimum: int, maximum: int, *, document_name: str = "", default: Json = None, help: str = ""
) -> Option:
    clean = cleaning.integer(minimum, maximum)
    return Option(
        name,
        label,
        OptionKind.INTEGER,
        clean,
        document_name,
        minimum=minimum,
        maximum=maximum,
        default=default,
        help=help,
    )


def number_option(
    name: str, label: str, minimum: float, maximum: float, *, document_name: str, default: Json = None, help: str = ""
) -> Option:
    clean = cleaning.number(minimum, maximum)
    return Option(
        name,
        label,
        OptionKind.NUMBER,
        clean,
        document_name,
        minimum=minimum,
        maximum=maximum,
        default=default,
        help=help,
    )


def boolean_option(name: str, label: str, *, document_name: str, default: Json = None, help: str = "") -> Option:
    return Option(name, label, OptionKind.BOOLEAN, cleaning.boolean, document_name, default=default, help=help)


def choice_option(
    name: str, label: str, choices: tuple[str, ...], *, document_name: str, default: Json = None, help: str = ""
) -> Option:
    clean = cleaning.choice(choices)
    return Option(name, label, OptionKind.CHOICE, clean, document_name, choices, default=default, help=help)


def domains_option(name: str, label: str, *, help: str) -> Option:
    return Option(name, label, OptionKind.DOMAINS, cleaning.domain_list, maximum=cleaning.MAX_DOMAINS, help=help)


WEB_OPTIONS: tuple[Option, ...] = (
    integer_option(
        "timeoutMs",
        "Timeout (ms)",
        1000,
        MAX_TIMEOUT_MS,
        default=MAX_TIMEOUT_MS,
        help="How long a search may take in all, in milliseconds.",
    ),
    domains_option(
        "allowDomains",
        "Only these domains",
        help="Only results from these domains and their sub-domains are returned. Empty: from anywhere.",
    ),
    domains_option(
        "denyDomains",
        "Never these domains",
        help="Results from these domains and their sub-domains are left out, also when they are allowed above.",
    ),
)
