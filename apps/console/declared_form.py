"""Forms built from an engine's declarations, and the bodies that the services take, read back from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from apps.console.wording import Words
from apps.marketplace import references
from searchengines.contract import Engine, Field, Json, Option, OptionKind

CONFIG = "config"
CREDENTIALS = "credentials"


class Control(StrEnum):
    TEXT = "text"
    SECRET = "secret"  # noqa: S105 - a kind of control
    NUMBER = "number"
    SELECT = "select"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class FormField:
    """One control. ``name`` is also the path under which a service says what is wrong with it.

    ``value`` is never a secret; ``configured`` says that one is stored.
    """

    name: str
    label: str
    control: Control
    value: str = ""
    help: str = ""
    placeholder: str = ""
    required: bool = False
    configured: bool = False
    error: str = ""
    choices: tuple[tuple[str, Words], ...] = ()
    minimum: str = ""
    maximum: str = ""
    step: str = ""

    @property
    def id(self) -> str:
        return f"field-{self.name.replace('.', '-')}"


def connection_fields(
    engine: Engine,
    workspace_id: str,
    values: Mapping[str, str],
    configured: frozenset[str],
    errors: Mapping[str, str],
) -> list[FormField]:
    """``values`` are of config members; ``configured`` names the secrets that are stored."""
    return [
        _secret_field(item, item.name in configured, errors)
        if item.secret
        else _config_field(item, workspace_id, values.get(item.name, ""), errors)
        for item in engine.fields
    ]


def connection_body(engine: Engine, data: QueryDict) -> dict[str, object]:
    """The body of the connection's PUT. A blank secret is left out, so that the stored one stays."""
    config = {item.name: data.get(f"{CONFIG}.{item.name}", "").strip() for item in engine.config_fields}
    secrets = {item.name: data.get(f"{CREDENTIALS}.{item.name}", "") for item in engine.secret_fields}
    body: dict[str, object] = {CONFIG: {name: text for name, text in config.items() if text}}
    given = {name: text for name, text in secrets.items() if text.strip()}
    if given:
        body[CREDENTIALS] = given
    return body


def option_fields(engine: Engine, values: Mapping[str, Json], errors: Mapping[str, str]) -> list[FormField]:
    """``values`` are stored ones, or what was typed."""
    return [_option_field(item, values.get(item.name), errors.get(item.name, "")) for item in engine.options]


def option_body(engine: Engine, data: QueryDict) -> dict[str, Json]:
    """The options that were filled in, each in the JSON type of its kind where it reads as one."""
    typed = {item.name: _read(item.kind, data.get(item.name, "").strip()) for item in engine.options}
    return {name: value for name, value in typed.items() if value not in ("", [])}


def _config_field(item: Field, workspace_id: str, value: str, errors: Mapping[str, str]) -> FormField:
    name = f"{CONFIG}.{item.name}"
    choices: tuple[tuple[str, Words], ...] = ()
    if item.reference is not None:
        known = [(choice.id, choice.label) for choice in references.choices(item.reference, workspace_id)]
        choices = (("", _("Choose…")), *known)
    return FormField(
        name,
        item.label,
        Control.TEXT if item.reference is None else Control.SELECT,
        value,
        item.help,
        item.placeholder,
        item.required,
        error=errors.get(name, ""),
        choices=choices,
    )


def _secret_field(item: Field, configured: bool, errors: Mapping[str, str]) -> FormField:
    name = f"{CREDENTIALS}.{item.name}"
    return FormField(
        name,
        item.label,
        Control.SECRET,
        help=item.help,
        placeholder=item.placeholder,
        required=item.required and not configured,
        configured=configured,
        error=errors.get(name, ""),
    )


def _option_field(item: Option, value: Json, error: str) -> FormField:
    text = _shown(value)
    common: dict[str, Any] = {"value": text, "help": item.help, "error": error}
    unset = _("Default") if item.default is None else _("Default (%(value)s)") % {"value": _words(item.default)}
    if item.kind is OptionKind.BOOLEAN:
        return FormField(
            item.name,
            item.label,
            Control.SELECT,
            **common,
            choices=(("", unset), ("true", _("Yes")), ("false", _("No"))),
        )
    if item.kind is OptionKind.CHOICE:
        choices = (("", unset), *((choice, choice) for choice in item.choices))
        return FormField(item.name, item.label, Control.SELECT, **common, choices=choices)
    if item.kind is OptionKind.DOMAINS:
        return FormField(item.name, item.label, Control.LINES, **common, placeholder="example.com")
    default = "" if item.default is None else unset
    if item.kind is OptionKind.TEXT:
        limit = "" if item.maximum is None else f"{item.maximum:g}"
        return FormField(item.name, item.label, Control.TEXT, **common, placeholder=default, maximum=limit)
    return FormField(
        item.name,
        item.label,
        Control.NUMBER,
        **common,
        placeholder=default,
        minimum=_shown(item.minimum),
        maximum=_shown(item.maximum),
        step="1" if item.kind is OptionKind.INTEGER else "any",
    )


def _words(default: Json) -> str:
    if isinstance(default, bool):
        return _("yes") if default else _("no")
    return _shown(default)


def _shown(value: Json) -> str:
    """A value as it stands in a control."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "\n".join(_shown(item) for item in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _read(kind: OptionKind, text: str) -> Json:
    """What is no number stays text: the service says what it takes."""
    if kind is OptionKind.DOMAINS:
        return [part for part in text.replace(",", " ").split() if part]
    if kind is OptionKind.BOOLEAN and text in ("true", "false"):
        return text == "true"
    try:
        if kind is OptionKind.INTEGER:
            return int(text)
        if kind is OptionKind.NUMBER:
            return float(text)
    except ValueError:
        pass
    return text
