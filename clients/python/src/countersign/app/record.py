"""What an app keeps of its license, as text. Apps of other languages keep the same text, so the names are as theirs."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Callable, Dict, List, Mapping, Optional

from .._keys import read_license_key
from .._strict import Members

_HEAD = "countersign-license/1"

# A record is a JSON object whose members are never changed in place:
#   version      grows with each write, whichever process makes it
#   licenseKey   the key that the app has
#   isFloating   whether the license is used by floating seats, and not by an activation
#   answer       the last signed answer as it was received (text), the nonce of its question, and issuedAt
#   envelope     the offline envelope as it was received (text), and its deviceId
#   counter      the highest counter of an envelope that was accepted
#   refusal      the last refusal (code, message, detail), the version with which it came, so that no older question undoes it, and
#                its proof: the signed statement, and the binding to its question. One without a proof counts for nothing
#   lease        the floating seat (token, expiresAt), and until when each process holds it: holders, by its name
#   seats        the floating seats of processes that have one each, by their names: token, expiresAt
#   user         the person who is signed in: id, token, until, and email and name where they are known; renewal (token, until, at),
#                where a mail has signed the person in
#   floor        it is never earlier than this: the latest signed instant, and the time for which the app ran since
#   ahead        by how much the machine's clock was ahead when the service was heard last
#   isGivenBack  whether the seat of this device was given back, so that no check takes one again
#   pending      uses that were written down before they were sent: licenseKey, eventId, featureCode, amount, dimensions
#   endorsement  the list of keys as the keys signed it, as text; where it is believed, none of the next three counts
#   keys         keys that were fetched because an answer was signed with one that is not pinned
#   revokedKids, revokedAt: keys that were revoked, and when (RFC 3339, by id)
# Instants are in Unix milliseconds.
Record = Mapping[str, Any]

EMPTY: Record = {"version": 0, "floor": 0, "pending": []}


def changed(record: Record, **members: Any) -> Record:
    """A record with other members; those that are None are left out."""
    merged = {**record, **members}
    return {name: value for name, value in merged.items() if value is not None}


# What stays when a license goes.
_LASTING = ("version", "floor", "pending", "endorsement", "keys", "revokedKids", "revokedAt")


def of_nobody(record: Record) -> Record:
    """What stays of a record when its license goes."""
    return {**EMPTY, **{name: record[name] for name in _LASTING if name in record}}


def for_key(record: Record, license_key: str) -> Record:
    """A record for a license key: another license has nothing of this one's, but what is to be counted."""
    kept = record.get("licenseKey")
    if kept is not None and read_license_key(kept)[0] == license_key:
        return {**record, "licenseKey": license_key}
    return {**of_nobody(record), "licenseKey": license_key}


def write_record(record: Record) -> str:
    """A record as it is kept: a line with its digest, then JSON. The digest shows what was torn, not who wrote it."""
    text = json.dumps(record, separators=(",", ":"))
    return f"{_HEAD} {_digest(text)}\n{text}"


def read_record(text: str) -> Optional[Record]:
    """Reads a record; None where the text was torn, or is something else."""
    first, _, body = text.partition("\n")
    try:
        if first != f"{_HEAD} {_digest(body)}":
            return None
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if _is_record(value) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


Check = Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _has(**members: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(check(value.get(name)) for name, check in members.items())


def _perhaps(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(one) for one in value)


def _map_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(check(one) for one in value.values())


_REQUIRED: Dict[str, Check] = {
    "version": _is_number,
    "floor": _is_number,
    "pending": _list_of(_has(licenseKey=_is_text, eventId=_is_text, featureCode=_is_text, amount=_is_number,
                             dimensions=_perhaps(_map_of(_is_text)))),
}
_OPTIONAL: Dict[str, Check] = {
    "licenseKey": _is_text,
    "isFloating": _is_flag,
    "answer": _has(text=_is_text, nonce=_is_text, issuedAt=_is_number),
    "envelope": _has(text=_is_text, deviceId=_is_text),
    "counter": _is_number,
    "refusal": _has(code=_is_text, message=_is_text, version=_is_number, proof=_perhaps(_has(binding=_map_of(_is_text)))),
    "lease": _has(token=_is_text, expiresAt=_is_number, holders=_map_of(_is_number)),
    "seats": _map_of(_has(token=_is_text, expiresAt=_is_number)),
    "user": _has(id=_is_text, token=_is_text, until=_is_number, email=_perhaps(_is_text), name=_perhaps(_is_text),
                 renewal=_perhaps(_has(token=_is_text, until=_is_number, at=_is_number))),
    "ahead": _is_number,
    "isGivenBack": _is_flag,
    "endorsement": _is_text,
    "keys": _list_of(_has(kid=_is_text, algorithm=_is_text, public_key=_is_text)),
    "revokedKids": _list_of(_is_text),
    "revokedAt": _map_of(_is_text),
}


def _is_record(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(check(value.get(name)) for name, check in _REQUIRED.items()) and all(
        check(value[name]) for name, check in _OPTIONAL.items() if name in value
    )


def pending_of(record: Record) -> List[Members]:
    """The uses that wait for the service."""
    return list(record["pending"])
