"""The envelope opens for its own row under its own key, and for nothing else."""

import base64
import pickle
import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.marketplace.envelope import (
    HEADER_BYTES,
    Keyring,
    MalformedKey,
    MasterKey,
    Tampered,
    UnknownKey,
    key_id_of,
)

PLACE = ("ws_a", "inst_a", "conn_a", "apiKey")
PLACES = st.lists(st.text(max_size=12), min_size=1, max_size=6)


def master_key(first: int) -> MasterKey:
    return MasterKey.parse(base64.b64encode(bytes(range(first, first + 32))).decode())


RING = Keyring(master_key(0))

# Sealed by release 1.0.0. Whatever comes later must open it (its key is `master_key(100)`).
FIRST_RELEASE = "AfLDD0zVGKSE2JZNC3Y27PRDSVBLLBvU3Sp7kMaVGN8enHRLq976E4noQx/j1z3WBrs1wfbQ"
FIRST_RELEASE_PLACE = ("ws_first", "inst_first", "conn_first", "apiKey")


def test_an_envelope_of_the_first_release_opens() -> None:
    """SE-13."""
    envelope = base64.b64decode(FIRST_RELEASE)
    ring = Keyring(master_key(0), (master_key(100),))
    assert ring.open(envelope, FIRST_RELEASE_PLACE) == "demo-0000"
    assert key_id_of(envelope) == "f2c30f4cd518a484d8964d0b7636ecf4"


@given(st.text(max_size=600), PLACES)
def test_what_is_sealed_opens_in_its_place(plaintext: str, place: list[str]) -> None:
    assert RING.open(RING.seal(plaintext, place), place) == plaintext


@given(st.text(min_size=1, max_size=40), PLACES, PLACES)
def test_it_opens_in_no_other_place(plaintext: str, place: list[str], other: list[str]) -> None:
    envelope = RING.seal(plaintext, place)
    if place != other:
        with pytest.raises(Tampered):
            RING.open(envelope, other)


@settings(max_examples=300)
@given(st.data())
def test_no_changed_cut_or_extended_envelope_opens(data: st.DataObject) -> None:
    envelope = RING.seal("demo-0000", PLACE)
    start = data.draw(st.integers(0, len(envelope)))
    end = data.draw(st.integers(start, len(envelope)))
    changed = envelope[:start] + data.draw(st.binary(max_size=8)) + envelope[end:]
    if changed != envelope:
        with pytest.raises((Tampered, UnknownKey)):
            RING.open(changed, PLACE)


def test_every_flipped_bit_is_noticed() -> None:
    envelope = RING.seal("demo-0000", PLACE)
    for position in range(len(envelope)):
        for bit in range(8):
            changed = bytearray(envelope)
            changed[position] ^= 1 << bit
            # A changed key id names a key that is not there; everything else fails to authenticate.
            expected = UnknownKey if 1 <= position < 17 else Tampered
            with pytest.raises(expected):
                RING.open(bytes(changed), PLACE)


def test_every_truncation_is_noticed() -> None:
    envelope = RING.seal("demo-0000", PLACE)
    for length in range(len(envelope)):
        with pytest.raises(Tampered):
            RING.open(envelope[:length], PLACE)


@pytest.mark.parametrize("member", range(4))
def test_an_envelope_moved_to_another_row_does_not_open(member: int) -> None:
    elsewhere = list(PLACE)
    elsewhere[member] = "other"
    with pytest.raises(Tampered):
        RING.open(RING.seal("demo-0000", PLACE), elsewhere)


@pytest.mark.parametrize(
    "other",
    [
        ("ws_ainst_a", "", "conn_a", "apiKey"),
        ("ws_a", "inst_aconn_a", "", "apiKey"),
        ("ws_a", "inst_a", "conn_aapiKey"),
        ("ws_ainst_aconn_aapiKey",),
        ("inst_a", "ws_a", "conn_a", "apiKey"),
        (*PLACE, ""),
    ],
)
def test_names_cannot_run_together(other: tuple[str, ...]) -> None:
    with pytest.raises(Tampered):
        RING.open(RING.seal("demo-0000", PLACE), other)


def test_a_missing_key_is_told_from_tampering_and_named_by_its_id_alone() -> None:
    envelope = Keyring(master_key(40)).seal("demo-0000", PLACE)
    with pytest.raises(UnknownKey) as unknown:
        RING.open(envelope, PLACE)
    assert str(unknown.value) == f"no key for id {master_key(40).id[:8]}"
    with pytest.raises(Tampered):
        Keyring(master_key(40)).open(envelope, ("elsewhere",))


def test_previous_keys_open_and_the_primary_seals() -> None:
    old, new = master_key(1), master_key(2)
    ring = Keyring(new, (old,))
    assert ring.open(Keyring(old).seal("demo-0000", PLACE), PLACE) == "demo-0000"
    assert key_id_of(ring.seal("demo-0000", PLACE)) == new.id


def test_each_envelope_has_its_own_nonce_and_a_fixed_overhead() -> None:
    envelopes = [RING.seal("demo-0000", PLACE) for _ in range(200)]
    assert len({envelope[17:HEADER_BYTES] for envelope in envelopes}) == 200
    assert {len(envelope) for envelope in envelopes} == {1 + 16 + 12 + 9 + 16}


def test_neither_key_nor_keyring_shows_or_gives_away_its_material() -> None:
    assert repr(RING.primary) == f"MasterKey(id='{RING.primary.id}')"
    assert repr(RING) == f"Keyring(primary=MasterKey(id='{RING.primary.id}'), previous=())"
    with pytest.raises(TypeError):
        pickle.dumps(RING)


GOOD = base64.b64encode(bytes(range(32))).decode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not base64!", "not base64"),
        (GOOD[:-1], "not base64"),
        (GOOD + "\n", "not base64"),
        (" " + GOOD, "not base64"),
        ("é" * 44, "not base64"),
        (base64.b64encode(bytes(31)).decode(), "not 32 bytes"),
        (base64.b64encode(bytes(33)).decode(), "not 32 bytes"),
        (bytes(range(32)).hex(), "not 32 bytes"),
        (base64.urlsafe_b64encode(b"\xff" * 32).decode(), "not base64"),
        ("", "not 32 bytes"),
    ],
)
def test_a_master_key_is_base64_of_32_bytes_and_nothing_else(text: str, why: str) -> None:
    """SE-13; the message never quotes the value."""
    with pytest.raises(MalformedKey) as malformed:
        MasterKey.parse(text)
    assert str(malformed.value) == why
    shown = "".join(traceback.format_exception(malformed.value))
    assert not text or text not in shown
