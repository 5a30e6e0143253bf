"""The keys that an answer may be signed with: those that the app ships, and those it learned of."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Sequence, Union
from urllib.parse import urlsplit

from .._strict import Members, parse_object
from ..errors import VerificationError
from ..verify import Keys, read_keys
from .record import Record

# The loopback interface by name; the rest of it is 127.0.0.0/8.
_LOOPBACK = ("localhost", "::1")


def is_trusted_way(base_url: str) -> bool:
    """Whether a list of keys from there may be believed: the way to it is TLS, or does not leave the machine."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    is_loopback = host in _LOOPBACK or (host.startswith("127.") and host.replace(".", "").isdigit())
    return parts.scheme == "https" or is_loopback


def known_keys(pinned: Sequence[Mapping[str, Any]], record: Record, *, is_pinned: bool) -> Keys:
    """What verifies: the pinned keys, those that were fetched for a `kid` that is not pinned, and none that was revoked.

    What was fetched once is not believed by an app that pins.
    """
    fetched: List[Mapping[str, Any]] = [] if is_pinned else record.get("keys", [])
    at: Dict[str, str] = record.get("revokedAt", {})
    revoked = [{"kid": kid, "status": "revoked", "revoked_at": at.get(kid)} for kid in record.get("revokedKids", [])]
    return read_keys([*pinned, *_beside(pinned, fetched), *revoked])


def learn(body: bytes, pinned: Sequence[Mapping[str, Any]]) -> Members:
    """What the answer of `GET /api/v1/system/public-keys` teaches beside the pinned keys, as members of a record."""
    listed = parse_object(body)
    if not isinstance(listed.get("data"), list):
        return {}
    keys = [key for key in listed["data"] if _is_key(key)]
    revoked = [key for key in listed.get("revoked") or [] if _is_key(key)]
    return {
        "keys": [{name: key[name] for name in _NAMES} for key in _beside(pinned, keys)],
        "revokedKids": [key["kid"] for key in revoked],
        "revokedAt": {key["kid"]: key["revoked_at"] for key in revoked if isinstance(key.get("revoked_at"), str)},
    }


def may_be_listed(error: VerificationError) -> bool:
    """Whether a verification failed for a key that the service may list by now. One that was revoked stays so."""
    return error.code == "unknown_key" and error.revoked_at is None


_NAMES = ("kid", "algorithm", "public_key")


def _is_key(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in _NAMES)


def _beside(pinned: Sequence[Mapping[str, Any]], keys: Sequence[Mapping[str, Any]]) -> List[Mapping[str, Any]]:
    """A fetched key never takes the place of a pinned one."""
    kids = {key.get("kid") for key in pinned}
    return [key for key in keys if key["kid"] not in kids]


def listed_keys(listed: Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]) -> List[Mapping[str, Any]]:
    """The keys of an answer of the service, or of its `data` alone."""
    return [*listed["data"], *listed.get("revoked", [])] if isinstance(listed, Mapping) else list(listed)
