"""The keys that an answer may be signed with: those that the app ships, and those it learned of."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from .._strict import Members
from ..errors import CountersignError, VerificationError
from ..verify import Keys, parse_key_list, read_keys
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

    What was fetched once is not believed by an app that pins: it could never ask again.
    """
    if is_pinned:
        return read_keys(pinned)
    fetched: List[Mapping[str, Any]] = record.get("keys", [])
    at: Dict[str, str] = record.get("revokedAt", {})
    revoked = [{"kid": kid, "status": "revoked", "revoked_at": at.get(kid)} for kid in record.get("revokedKids", [])]
    return read_keys([*pinned, *_beside(pinned, fetched), *revoked])


def learn(body: bytes, pinned: Sequence[Mapping[str, Any]]) -> Members:
    """What the answer of `GET /api/v1/system/public-keys` teaches beside the pinned keys, as members of a record.

    It takes the place of all that was learned before. Raises a `VerificationError` for what is no list.
    """
    listed = parse_key_list(body)
    keys, revoked = ([key for key in listed[part] if _is_key(key)] for part in ("data", "revoked"))
    return {
        "keys": [{name: key[name] for name in _NAMES} for key in _beside(pinned, keys)],
        "revokedKids": [key["kid"] for key in revoked],
        "revokedAt": {key["kid"]: key["revoked_at"] for key in revoked if isinstance(key.get("revoked_at"), str)},
    }


def is_of_unknown_key(error: CountersignError) -> bool:
    """Whether a verification failed for a key that the service may list by now.

    Also one that a list called revoked: nothing vouched for that list, and it may have been somebody else's.
    """
    return isinstance(error, VerificationError) and error.code == "unknown_key"


class Listing(threading.local):
    """The list of keys as a thread had it in the check that it makes.

    Attributes:
        is_open: Whether the thread makes a check, in which the list is fetched once at most.
        learned: What it taught.
        error: Why it was not had.
    """

    is_open = False
    learned: Optional[Members] = None
    error: Optional[CountersignError] = None

    @contextmanager
    def once(self) -> Iterator[None]:
        """A block in which the list is fetched once at most."""
        self.is_open, self.learned, self.error = True, None, None
        try:
            yield
        finally:
            self.is_open, self.learned, self.error = False, None, None

    def get(self, fetch: Callable[[], Members]) -> Members:
        """What the list teaches. Raises why it cannot be had."""
        if self.error is not None:
            raise self.error
        if self.learned is not None:
            return self.learned
        try:
            learned = fetch()
        except CountersignError as error:
            self.error = error if self.is_open else None
            raise
        self.learned = learned if self.is_open else None
        return learned


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
