"""The deployment's keyring, parsed from settings on first use and kept out of them."""

from functools import lru_cache

from django.conf import settings

from apps.marketplace.envelope import Keyring, MalformedKey, MasterKey, MissingKey

PRIMARY = "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY"
PREVIOUS = "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS"


def keyring() -> Keyring:
    """Raises `MissingKey` or `MalformedKey`."""
    return _parse(getattr(settings, PRIMARY), tuple(getattr(settings, PREVIOUS)))


def unusable() -> str | None:
    """What is wrong with the configured keys, naming the variable and never its value; None when nothing is."""
    primary = getattr(settings, PRIMARY)
    if not primary:
        return f"{PRIMARY} is not set"
    for name, texts in ((PRIMARY, [primary]), (PREVIOUS, getattr(settings, PREVIOUS))):
        for text in filter(None, texts):
            try:
                MasterKey.parse(text)
            except MalformedKey:
                return f"{name} is not base64 of 32 bytes"
    return None


@lru_cache(maxsize=4)
def _parse(primary: str, previous: tuple[str, ...]) -> Keyring:
    if not primary:
        raise MissingKey(f"{PRIMARY} is not set")
    return Keyring(MasterKey.parse(primary), tuple(MasterKey.parse(text) for text in previous if text))
