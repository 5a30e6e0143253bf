"""Which keys verify: those that a program ships, and those it learned of. test/vectors/key-lists.json holds every kit to one table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, FrozenSet, List, Mapping, Optional, Sequence, Union

from ._strict import Members, canonical, decode_base64, instant, parse_object
from .errors import VerificationError
from .verify import Keys, parse_key_list, read_keys, verify_bytes

# What a signed list of keys says of itself, so that nothing else that is signed can be taken for one.
_LIST_TYPE = "signing_keys"
_NAMES = ("kid", "algorithm", "public_key")

# How many keys a list has at most, the revoked ones among them, and how many signatures; and how long it is at most. No service
# lists more, and what comes is anybody's.
_MOST = 1000
_LONGEST = 1_000_000

Listed = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class EndorsedList:
    """A list that one of the keys signed which a program trusts."""

    issued_at: datetime
    keys: Listed
    revoked: Listed


@dataclass(frozen=True)
class Endorsement:
    """A list as keys signed it, whoever they are: what is signed, and one signature of each key."""

    listed: EndorsedList
    text: bytes
    signatures: Sequence[Members]


@dataclass(frozen=True)
class KeyTrust:
    """What a program verifies with.

    Attributes:
        keys: The keys that verify, and which were revoked.
        endorsed: The signed list that was learned; None where there is none.
        is_strict: Whether keys are taken over from a signed list only.
        doubtful: The dates of revocations for which nobody vouched: another list may say otherwise.
    """

    keys: Keys
    endorsed: Optional[EndorsedList]
    is_strict: bool
    doubtful: FrozenSet[str]


def trust_of(pinned: Listed, learned: Mapping[str, Any]) -> KeyTrust:
    """What a program verifies with, that ships some keys and learned of others.

    A learned key never takes the place of a pinned one, and what was revoked verifies nothing. Where there is an
    `endorsement`, nothing else that was learned counts.
    """
    kept = _kept(learned)
    endorsed = _signed_by(kept, read_keys(_roots(kept, pinned)))
    if endorsed is not None:
        keys = read_keys([*pinned, *beside(pinned, endorsed.keys), *endorsed.revoked])
        return KeyTrust(keys, endorsed, True, frozenset())
    if any(isinstance(key, Mapping) and key.get("endorses") is True for key in pinned):
        return KeyTrust(read_keys(pinned), None, True, frozenset())
    at: Mapping[str, str] = learned.get("revokedAt", {})
    revoked = [_word(kid, at.get(kid)) for kid in learned.get("revokedKids", [])]
    keys = read_keys([*pinned, *beside(pinned, learned.get("keys", [])), *revoked])
    return KeyTrust(keys, None, False, frozenset(at.values()))


def is_to_be_listed(error: BaseException, trust: KeyTrust) -> bool:
    """Whether a verification failed for a key of which another list may say otherwise.

    It is unknown, or was said to be revoked by whoever it was. What the program ships stays, and what a signed list said.
    """
    if not isinstance(error, VerificationError) or error.code != "unknown_key":
        return False
    return error.revoked_at is None or error.revoked_at in trust.doubtful


def learn(body: Union[str, bytes], pinned: Listed, learned: Mapping[str, Any]) -> Members:
    """What the answer of `GET /api/v1/system/public-keys` teaches beside the pinned keys, and what was learned before.

    Raises a `VerificationError` for what is no list, or larger than any is, or must be signed by a key that is trusted and is not: what was
    learned stays.
    """
    if len(body) > _LONGEST:
        raise VerificationError("malformed", f"The list of keys is longer than {_LONGEST} characters")
    listed = parse_key_list(body)
    if len(listed["data"]) + len(listed["revoked"]) > _MOST:
        raise _too_many()
    trust = trust_of(pinned, learned)
    before, endorsement = trust.endorsed, parse_object(body).get("endorsement")
    signed = _read(endorsement)
    following = _signed_by(signed, trust.keys if before is not None else _first_roots(signed, pinned, learned))
    # A pinned key must have signed it too, be it a revoked one: by that it is verified when the program starts again.
    if following is not None and _signed_by(signed, read_keys(_roots(signed, pinned))) is not None:
        if before is not None and not _is_no_earlier(following, before):
            raise VerificationError("unknown_key", "The list of keys is older than the one that was had before")
        return {"endorsement": json.dumps(endorsement), "keys": [], "revokedKids": [], "revokedAt": {}}
    if trust.is_strict:
        raise VerificationError("unknown_key", "The list of keys is signed by no key that is trusted")
    keys, revoked = ([key for key in listed[part] if _is_key(key)] for part in ("data", "revoked"))
    return {
        "keys": [_bare(key) for key in beside(pinned, keys)],
        "revokedKids": [key["kid"] for key in revoked],
        "revokedAt": {key["kid"]: key["revoked_at"] for key in revoked if isinstance(key.get("revoked_at"), str)},
    }


def with_learned(pinned: Listed, kept: Mapping[str, Any], learned: Mapping[str, Any]) -> Members:
    """What was kept, with what was learned, whichever process had it: of two signed lists the later one.

    What was kept counts where it verifies by the pinned keys, and what was learned must then be signed by a key that it lists.
    """
    trust = trust_of(pinned, kept)
    if trust.endorsed is None:
        return {**kept, **learned}
    following = _signed_by(_kept(learned), trust.keys)
    is_newer = following is not None and _is_no_earlier(following, trust.endorsed)
    return {**kept, **learned} if is_newer else dict(kept)


def beside(pinned: Listed, keys: Listed) -> List[Mapping[str, Any]]:
    """A learned key never takes the place of a pinned one."""
    kids = {key.get("kid") for key in pinned if isinstance(key, Mapping)}
    return [key for key in keys if key["kid"] not in kids]


def _is_no_earlier(following: EndorsedList, before: EndorsedList) -> bool:
    """Whether a list takes the place of another: it is later, or of the same instant and says of no revoked key that it is none.

    By the same instant alone whoever kept the list of before a revocation could bring it back.
    """
    if following.issued_at != before.issued_at:
        return following.issued_at > before.issued_at
    return {key["kid"] for key in before.revoked} <= {key["kid"] for key in following.revoked}


def _too_many() -> VerificationError:
    return VerificationError("malformed", f"The list of keys has more than {_MOST} keys or signatures")


def _first_roots(signed: Optional[Endorsement], pinned: Listed, learned: Mapping[str, Any]) -> Keys:
    """By which keys the first signed list is believed. A program that ships no keys believes the list that it has first."""
    return read_keys(_roots(signed, pinned or learned.get("keys", [])))


def _roots(signed: Optional[Endorsement], pinned: Listed) -> Listed:
    """By which keys a list is believed that was kept: those that are pinned; where none is, its own, as it was had first."""
    return pinned if pinned or signed is None else signed.listed.keys


def _kept(learned: Mapping[str, Any]) -> Optional[Endorsement]:
    """What was kept of a signed list; None where that is none."""
    text = learned.get("endorsement")
    try:
        return _read(parse_object(text)) if isinstance(text, str) else None
    except VerificationError:
        return None


def _read(endorsement: Any) -> Optional[Endorsement]:
    """Reads an endorsement; None where it is none. Raises a `VerificationError` where it is larger than any is."""
    if not isinstance(endorsement, dict) or not isinstance(endorsement.get("signatures"), list):
        return None
    data, signatures = endorsement.get("data"), endorsement["signatures"]
    found = _list_of(data)
    if found is None:
        return None
    if len(data["keys"]) + len(data["revoked"]) > _MOST or len(signatures) > _MOST:
        raise _too_many()
    # The first of each key that has the form of one: what more there is would be work for nothing.
    of_keys = {signature["kid"]: signature for signature in reversed(signatures) if _is_signature(signature)}
    return Endorsement(found, canonical(data), list(of_keys.values()))


def _is_signature(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("kid"), str) or value.get("alg") != "Ed25519":
        return False
    try:
        return len(decode_base64(value.get("value"), 64)) == 64
    except VerificationError:
        return False


def _signed_by(signed: Optional[Endorsement], keys: Keys) -> Optional[EndorsedList]:
    """The list of an endorsement that one of the keys signed; None where none did."""
    for signature in () if signed is None else signed.signatures:
        try:
            verify_bytes(signature, keys, lambda: signed.text)
            return signed.listed
        except VerificationError:
            continue
    return None


def _list_of(data: Any) -> Optional[EndorsedList]:
    """The keys that a signed list names, whoever signed it; None where it is none."""
    if not isinstance(data, dict) or data.get("type") != _LIST_TYPE:
        return None
    keys, revoked = data.get("keys"), data.get("revoked")
    if not isinstance(keys, list) or not isinstance(revoked, list):
        return None
    try:
        issued_at = instant(data.get("issued_at"))
    except VerificationError:
        return None
    gone = [_word(key["kid"], key.get("revoked_at")) for key in revoked if _is_key(key)]
    return EndorsedList(issued_at, [_bare(key) for key in keys if _is_key(key)], gone)


def _word(kid: str, at: Any) -> Members:
    """A word that a key was revoked, without the bytes of a key."""
    return {"kid": kid, "status": "revoked", "revoked_at": at}


def _bare(key: Mapping[str, Any]) -> Members:
    return {name: key[name] for name in _NAMES}


def _is_key(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in _NAMES)

