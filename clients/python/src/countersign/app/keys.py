"""Where an app learns of keys that it does not ship."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from .._strict import Members
from ..errors import CountersignError

# The loopback interface by name; the rest of it is 127.0.0.0/8.
_LOOPBACK = ("localhost", "::1")


def is_trusted_way(base_url: str) -> bool:
    """Whether a list of keys from there may be believed: the way to it is TLS, or does not leave the machine."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    is_loopback = host in _LOOPBACK or (host.startswith("127.") and host.replace(".", "").isdigit())
    return parts.scheme == "https" or is_loopback


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


def listed_keys(listed: Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]) -> List[Mapping[str, Any]]:
    """The keys of an answer of the service, or of its `data` alone."""
    return [*listed["data"], *listed.get("revoked", [])] if isinstance(listed, Mapping) else list(listed)
