"""Which keys verify: those that a program ships, and those it learned of. test/vectors/key-lists.json holds every kit to one table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, FrozenSet, List, Mapping, Optional, Sequence, Union

from ._strict import Members, instant, parse_object
from .errors import VerificationError
from .verify import Keys, parse_key_list, read_keys, verify_signed

# What a signed list of keys says of itself, so that nothing else that is signed can be taken for one.
_LIST_TYPE = "signing_keys"
_NAMES = ("kid", "algorithm", "public_key")
_NEVER = datetime.min.replace(tzinfo=timezone.utc)

Listed = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class EndorsedList:
    """A list that one of the keys signed which a program trusts."""

    issued_at: datetime
    keys: Listed
    revoked: Listed


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
    kept = _parsed(learned.get("endorsement"))
    endorsed = _open(kept, read_keys(_roots(kept, pinned)))
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

    Raises a `VerificationError` for what is no list, or must be signed by a key that is trusted and is not: what was
    learned stays.
    """
    listed = parse_key_list(body)
    trust = trust_of(pinned, learned)
    before, endorsement = trust.endorsed, parse_object(body).get("endorsement")
    following = _open(endorsement, trust.keys if before is not None else _first_roots(endorsement, pinned, learned))
    # A pinned key must have signed it too, be it a revoked one: by that it is verified when the program starts again.
    if following is not None and _open(endorsement, read_keys(_roots(endorsement, pinned))) is not None:
        if before is not None and following.issued_at < before.issued_at:
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


def with_learned(kept: Mapping[str, Any], learned: Mapping[str, Any]) -> Members:
    """What was kept, with what was learned: of two signed lists the later one, whichever process had it."""
    return dict(kept) if _issued_at(kept) > _issued_at(learned) else {**kept, **learned}


def beside(pinned: Listed, keys: Listed) -> List[Mapping[str, Any]]:
    """A learned key never takes the place of a pinned one."""
    kids = {key.get("kid") for key in pinned if isinstance(key, Mapping)}
    return [key for key in keys if key["kid"] not in kids]


def _issued_at(learned: Mapping[str, Any]) -> datetime:
    endorsement = _parsed(learned.get("endorsement"))
    found = _list_of(endorsement.get("data")) if isinstance(endorsement, dict) else None
    return _NEVER if found is None else found.issued_at


def _first_roots(endorsement: Any, pinned: Listed, learned: Mapping[str, Any]) -> Keys:
    """By which keys the first signed list is believed. A program that ships no keys believes the list that it has first."""
    return read_keys(_roots(endorsement, pinned or learned.get("keys", [])))


def _roots(endorsement: Any, pinned: Listed) -> Listed:
    """By which keys a list is believed that was kept: those that are pinned; where none is, its own, as it was had first."""
    found = _list_of(endorsement.get("data")) if isinstance(endorsement, dict) and not pinned else None
    return pinned if found is None else found.keys


def _parsed(text: Any) -> Any:
    try:
        return parse_object(text) if isinstance(text, str) else None
    except VerificationError:
        return None


def _open(endorsement: Any, keys: Keys) -> Optional[EndorsedList]:
    """The list of an endorsement that one of the keys signed; None where none did, or it is no list of keys."""
    if not isinstance(endorsement, dict) or not isinstance(endorsement.get("signatures"), list):
        return None
    data = endorsement.get("data")
    found = _list_of(data)
    if found is None:
        return None
    for signature in endorsement["signatures"]:
        if not isinstance(signature, dict) or not isinstance(signature.get("kid"), str) or signature["kid"] not in keys:
            continue
        try:
            verify_signed({"data": data, "signature": signature}, keys)
            return found
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

