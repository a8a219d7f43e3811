"""What the pages say: states, needs, error codes and reasons in words, each failure with its next step."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from apps.marketplace.selectors import State
from apps.workspaces.errors import Problem
from searchengines.contract import DropReason, Needs

Words = str | Promise

STATES: Mapping[State, Words] = {
    State.NOT_INSTALLED: _("Not installed"),
    State.REQUESTED: _("Requested"),
    State.NEEDS_SETUP: _("Needs setup"),
    State.CONNECTED: _("Connected"),
    State.ATTENTION: _("Attention"),
    State.UNAVAILABLE: _("Unavailable"),
}

NEEDS: Mapping[Needs, Words] = {
    Needs.API_KEY: _("API key"),
    Needs.SELF_HOSTED: _("Self-hosted"),
    Needs.NOTHING: _("No key"),
    Needs.KNOWLEDGE: _("Knowledge base"),
}

DROPS: Mapping[DropReason, Words] = {
    DropReason.MALFORMED: _("not in the expected form"),
    DropReason.NO_URL: _("no URL"),
    DropReason.BAD_SCHEME: _("neither http nor https"),
    DropReason.BAD_URL: _("a URL that cannot be used"),
    DropReason.DUPLICATE: _("a duplicate"),
    DropReason.DOMAIN_RULE: _("left out by your domain rules"),
    DropReason.LOW_SCORE: _("below the minimum similarity"),
    DropReason.OVER_LIMIT: _("more than were asked for"),
}

PROBLEM_TITLES: Mapping[str, Words] = {
    "permission_denied": _("This is for administrators"),
    "not_found": _("There is nothing here"),
    "throttled": _("A little slower, please"),
    "unavailable": _("Not available right now"),
    "internal_error": _("Something went wrong on our side"),
}


@dataclass(frozen=True, slots=True)
class Advice:
    """A failure in words: what happened, and what to do next."""

    title: Words
    next_step: Words


CODES: Mapping[str, Advice] = {
    "provider_auth_unavailable": Advice(
        _("There is no usable key"),
        _("The stored key is missing, cannot be decrypted, or refers to a secret that is not there. Replace the key."),
    ),
    "rate_limited": Advice(
        _("The provider limits how often you may ask"),
        _("It answered 429: the key may be valid. Wait a little and test again, or look at your plan."),
    ),
    "upstream_failure": Advice(
        _("The provider did not give a usable answer"), _("Test again in a moment. If it stays, ask the provider.")
    ),
    "throttled": Advice(_("Too many tests in a short time"), _("Wait a minute and test again.")),
    "conflict": Advice(_("There is nothing to test yet"), _("Fill in the connection and save it first.")),
    "connection_ambiguous": Advice(
        _("More than one connection is active"), _("Disconnect, which removes all of them, and connect once.")
    ),
    "unavailable": Advice(_("The service is not available now"), _("Try again later.")),
}

REASONS: Mapping[str, Advice] = {
    "timeout": Advice(
        _("The provider took too long"),
        _("No complete answer came within the time limit. Test again, or raise the timeout among the options."),
    ),
    "unreachable": Advice(
        _("The address cannot be reached"),
        _("Check that the address is right, that the service runs, and that this server may connect to it."),
    ),
    "dns": Advice(_("The host's name is not known"), _("Check the address for a typing error.")),
    "tls": Advice(
        _("The secure connection failed"),
        _("Check that the certificate is valid for this host and signed by an authority that this server trusts."),
    ),
    "address_denied": Advice(
        _("This address is not allowed"), _("Use an address that the operator of this server allows.")
    ),
    "redirected": Advice(
        _("The service answered with a redirect"),
        _("Redirects are not followed. Enter the address that the service really answers on."),
    ),
    "too_large": Advice(
        _("The answer was too large"), _("Ask for fewer results or less text among the options, then test again.")
    ),
    "bad_status": Advice(
        _("The provider answered with an error"),
        _("Check the options that you set. If they are right, try again later."),
    ),
    "not_json": Advice(
        _("The answer was not JSON"),
        _("Something else answers at this address, such as a login page or a proxy. Check the address."),
    ),
    "bad_shape": Advice(
        _("The answer did not have the expected form"),
        _("Check that the address belongs to this search engine, and save the connection again."),
    ),
    "json_disabled": Advice(
        _("The instance does not answer in JSON"),
        _("Enable `json` under `search.formats` in the settings.yml of the instance, and restart it."),
    ),
    "engines_failed": Advice(
        _("Every engine behind the instance failed"),
        _("The connection works. Look at the engines that the instance is set up with, or choose others."),
    ),
    "credentials_rejected": Advice(
        _("The provider refused the key"),
        _("Check the key in the provider's own console: it may be mistyped, expired or without this API. Replace it."),
    ),
    "quota_exhausted": Advice(
        _("The plan or its credits are used up"), _("The key is valid. Add credits or raise the plan at the provider.")
    ),
}

LOCALHOST = _(
    "The address names this server itself: inside a container, `localhost` is that container and not your machine. "
    "Use the host's name or address instead."
)


def advice(code: str, reason: str = "", config: Mapping[str, object] | None = None) -> Advice:
    """A failed call or test in words. ``config`` tells whether the address was this server's own."""
    found = REASONS.get(reason) or CODES.get(code) or CODES["upstream_failure"]
    if reason == "unreachable" and any(is_localhost(value) for value in (config or {}).values()):
        return Advice(found.title, LOCALHOST)
    return found


def is_localhost(value: object) -> bool:
    """Whether a value is a URL whose host is the machine itself."""
    try:
        host = urlsplit(value).hostname if isinstance(value, str) else None
        return host is not None and (host == "localhost" or ip_address(host).is_loopback)
    except ValueError:
        return False


def problem_words(problem: Problem) -> Words:
    """A problem in one or two sentences."""
    if problem.code == "invalid_input" and problem.fields:
        return _("Some of it cannot be taken as it is. Look at the marked fields.")
    if problem.retry_after is not None:
        wait = ngettext_lazy("Try again in %d second.", "Try again in %d seconds.", problem.retry_after)
        return f"{problem.message.removesuffix(' Try again later.')} {wait % problem.retry_after}"
    return problem.message
