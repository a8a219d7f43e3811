"""AES-256-GCM envelope of one secret, bound to the row that holds it. Knows no ORM and no settings.

Layout: version (1 byte, 0x01) | key id (16) | nonce (12) | ciphertext and tag. Encryption key and key id
are both derived from the master key by HKDF-SHA256, so that the id commits to the key. The associated data
is the header and the length-prefixed names of the row: an envelope copied to another row does not open.
"""

import base64
import binascii
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION = b"\x01"
KEY_ID_BYTES = 16
NONCE_BYTES = 12
TAG_BYTES = 16
HEADER_BYTES = len(VERSION) + KEY_ID_BYTES + NONCE_BYTES
MASTER_KEY_BYTES = 32


class EnvelopeError(Exception):
    """Base of what can go wrong; messages name key ids at most."""


class MalformedKey(EnvelopeError):
    """A master key that is not base64 of exactly 32 bytes."""


class MissingKey(EnvelopeError):
    """No master key is configured."""


class UnknownKey(EnvelopeError):
    """The envelope is under a master key that is not configured."""


class Tampered(EnvelopeError):
    """The envelope was changed, cut, or belongs to another row."""


@dataclass(frozen=True, slots=True)
class MasterKey:
    """One derived key. ``id`` is 32 hex digits and safe to show."""

    id: str
    cipher: AESGCM = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "MasterKey":
        """From base64 (standard alphabet) of 32 bytes. Raises `MalformedKey`."""
        try:
            master = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise MalformedKey("not base64") from None
        if len(master) != MASTER_KEY_BYTES:
            raise MalformedKey(f"not {MASTER_KEY_BYTES} bytes")
        return cls(id=_derive(master, b"key id", KEY_ID_BYTES).hex(), cipher=AESGCM(_derive(master, b"encryption", 32)))


def _derive(master: bytes, purpose: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=b"agentteam app credentials " + purpose).derive(master)


@dataclass(frozen=True, slots=True)
class Keyring:
    """The primary key encrypts; it and the previous ones decrypt."""

    primary: MasterKey
    previous: tuple[MasterKey, ...] = ()

    def find(self, key_id: str) -> MasterKey:
        """Raises `UnknownKey`."""
        for key in (self.primary, *self.previous):
            if key.id == key_id:
                return key
        raise UnknownKey(f"no key for id {key_id[:8]}")

    def seal(self, plaintext: str, place: Sequence[str]) -> bytes:
        """Encrypt for the row named by `place`, e.g. workspace, installation, connection and field."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        header = VERSION + bytes.fromhex(self.primary.id) + nonce
        return header + self.primary.cipher.encrypt(nonce, plaintext.encode(), header + _associated(place))

    def open(self, envelope: bytes, place: Sequence[str]) -> str:
        """Raises `UnknownKey` or `Tampered`."""
        key_id = key_id_of(envelope)
        header, sealed = envelope[:HEADER_BYTES], envelope[HEADER_BYTES:]
        cipher = self.find(key_id).cipher
        try:
            return cipher.decrypt(header[-NONCE_BYTES:], sealed, header + _associated(place)).decode()
        except (InvalidTag, UnicodeDecodeError):
            raise Tampered(f"envelope under key {key_id[:8]} does not open") from None


def key_id_of(envelope: bytes) -> str:
    """Which key an envelope is under, 32 hex digits. Raises `Tampered` when it is no envelope."""
    if len(envelope) < HEADER_BYTES + TAG_BYTES or not envelope.startswith(VERSION):
        raise Tampered("not an envelope")
    return envelope[len(VERSION) : len(VERSION) + KEY_ID_BYTES].hex()


def _associated(place: Sequence[str]) -> bytes:
    return b"".join(len(encoded).to_bytes(4, "big") + encoded for encoded in (part.encode() for part in place))
