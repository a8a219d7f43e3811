"""Providers' dates as ISO 8601 in UTC, where they can be read (contract section 1)."""

import re
from datetime import UTC, datetime, timedelta, timezone

_MAX_LENGTH = 64
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9].*)?")
_DAY_FIRST = re.compile(
    r"(?:[A-Za-z]{3,9},? )?([0-9]{1,2}) ([A-Za-z]{3,9})\.?,? ([0-9]{4})"
    r"(?: ([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?: (?:GMT|UTC|Z|([+-])([0-9]{2}):?([0-9]{2})))?)?"
)
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2}), ([0-9]{4})")
_NAMES = "january february march april may june july august september october november december"
_MONTHS = {"sept": 9}
for _number, _name in enumerate(_NAMES.split(), 1):
    _MONTHS[_name] = _MONTHS[_name[:3]] = _number


def iso_utc(value: object) -> str | None:
    """`value` as ``YYYY-MM-DDTHH:MM:SSZ``, or None when it is not a date that can be read.

    Reads ISO 8601, RFC 1123 and English dates (``Mar 2, 2026``, ``2 March 2026``). A time without offset is UTC,
    a date without time is its first second; a relative date (``3 days ago``) is not read.
    """
    if not isinstance(value, str) or len(value) > _MAX_LENGTH:
        return None
    text = value.strip()
    try:
        moment = _read(text)
        return None if moment is None else f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat('T', 'seconds')}Z"
    except (ValueError, OverflowError):
        return None


def _read(text: str) -> datetime | None:
    if _ISO.fullmatch(text):
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if match := _DAY_FIRST.fullmatch(text):
        day, name, year, hour, minute, second, sign, hours, minutes = match.groups()
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
        return _moment(year, name, day, int(hour or 0), int(minute or 0), int(second or 0), timezone(offset))
    if match := _MONTH_FIRST.fullmatch(text):
        return _moment(match[3], match[1], match[2])
    return None


def _moment(
    year: str, name: str, day: str, hour: int = 0, minute: int = 0, second: int = 0, zone: timezone = UTC
) -> datetime | None:
    month = _MONTHS.get(name.lower())
    return datetime(int(year), month, int(day), hour, minute, second, tzinfo=zone) if month else None
