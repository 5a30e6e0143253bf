"""Floating seats: taken at the start, kept by heartbeats, given back at the end."""

from __future__ import annotations

import secrets
import threading
import time
from datetime import datetime
from types import TracebackType
from typing import Callable, Optional, Type

from ._asking import Asking
from ._strict import instant
from .errors import CountersignError, ServiceError, UnavailableError
from .verify import Verified


class Floating:
    """`License.floating`."""

    def __init__(self, license: Asking) -> None:
        self._license = license

    def checkout(self, *, process_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> Verified:
        """Takes a seat: `data["lease_token"]`, until `data["lease_expires_at"]` if no heartbeat extends it.

        Where the terms give each process a seat (`data["lease_unit"]` is then `process`), it is of the process with this
        name: one that it makes at its start, or the same again to have its seat back after a crash. Otherwise the seat
        is the device's, and a checkout replaces the token of the one before.
        """
        more = {} if process_id is None else {"process_id": process_id}
        return self._license._ask("floating/checkout", more, idempotency_key)

    def heartbeat(self, lease_token: str, *, once_within: Optional[float] = None) -> Verified:
        """Keeps a seat. Use the fresh `lease_token` of the answer from then on.

        With `once_within` it is sent once, and no longer than that many seconds are waited for the answer.
        """
        members = {"lease_token": lease_token}
        return self._license._ask("floating/heartbeat", members, is_bound=False, once_within=once_within)

    def checkin(self, lease_token: str, *, idempotency_key: Optional[str] = None) -> Verified:
        """Gives a seat back."""
        return self._license._ask("floating/checkin", {"lease_token": lease_token}, idempotency_key, is_bound=False)

    def seat(
        self,
        *,
        interval: Optional[float] = None,
        on_lost: Optional[Callable[[CountersignError], object]] = None,
        process_id: Optional[str] = None,
    ) -> Seat:
        """A seat for a `with` block: taken at its beginning, kept by a thread, given back at its end.

        Args:
            interval: Seconds between heartbeats; a third of the lease if it is not given, so that two may get lost.
            on_lost: Called once, in that thread, when the seat is lost, with what told so.
            process_id: What this seat is told from others of the device by, where the terms give each process one; a
                random one if it is not given.
        """
        return Seat(self, interval, on_lost, process_id)


class Seat:
    """A floating seat that a thread keeps. `lost` is set when it is gone: save the work, and stop."""

    def __init__(
        self,
        floating: Floating,
        interval: Optional[float],
        on_lost: Optional[Callable[[CountersignError], object]],
        process_id: Optional[str] = None,
    ) -> None:
        self.lost = threading.Event()
        self.error: Optional[CountersignError] = None
        self._floating = floating
        self._interval = interval
        self._on_lost = on_lost
        self._process_id = secrets.token_hex(16) if process_id is None else process_id
        self._closing = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._answer: Optional[Verified] = None
        self._ends = 0.0

    @property
    def answer(self) -> Verified:
        """The newest verified answer about the seat."""
        if self._answer is None:
            raise RuntimeError("The seat was not taken: use it in a with statement")
        return self._answer

    @property
    def expires_at(self) -> datetime:
        """When the seat comes free unless another heartbeat arrives."""
        return instant(self.answer.data["lease_expires_at"])

    def __enter__(self) -> Seat:
        self._take(self._checkout())
        self._thread = threading.Thread(target=self._keep, name="countersign-heartbeat", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        if self.lost.is_set():
            return
        try:
            self._floating.checkin(self._token)
        except ServiceError as refused:
            if refused.code not in ("LEASE_NOT_FOUND", "LEASE_EXPIRED"):
                raise
        except UnavailableError:
            pass  # The seat comes free by itself when its lease runs out.

    @property
    def _token(self) -> str:
        return str(self.answer.data["lease_token"])

    def _take(self, answer: Verified) -> None:
        """Takes over an answer. The lease is measured on the monotonic clock, which nobody can set back."""
        data = answer.data
        length = instant(data["lease_expires_at"]) - instant(data["issued_at"])
        self._answer = answer
        self._ends = time.monotonic() + length.total_seconds()

    @property
    def _left(self) -> float:
        """Of the lease, in seconds."""
        return self._ends - time.monotonic()

    def _keep(self) -> None:
        """Sends heartbeats until the block or the seat ends; after a failure sooner, as the end comes near."""
        pause = self._pause()
        while not self._closing.wait(pause):
            retry_after: Optional[float] = None
            try:
                self._take(self._floating.heartbeat(self._token, once_within=max(1.0, self._left)))
            except (ServiceError, UnavailableError) as error:
                retry_after = error.retry_after
                gone = isinstance(error, ServiceError) and error.code in ("LEASE_NOT_FOUND", "LEASE_EXPIRED")
                if gone and getattr(error, "detail", None) != "released":
                    # A seat that nobody took meanwhile is ours at once; one that a person took from this device is not.
                    if not self._retake():
                        return
                elif self._left <= 0 or not says_nothing(error):
                    return self._lose(error)
            except CountersignError as error:
                return self._lose(error)
            pause = self._pause(retry_after)

    def _checkout(self) -> Verified:
        return self._floating.checkout(process_id=self._process_id)

    def _retake(self) -> bool:
        try:
            self._take(self._checkout())
            return True
        except CountersignError as error:
            self._lose(error)
            return False

    def _pause(self, retry_after: Optional[float] = None) -> float:
        if self._interval is not None:
            return self._interval
        return max(1.0, self._left / 3, min(retry_after or 0, self._left))

    def _lose(self, error: CountersignError) -> None:
        self.error = error
        self.lost.set()
        if self._on_lost is not None:
            self._on_lost(error)


def says_nothing(error: CountersignError) -> bool:
    """Whether a heartbeat failed in a way that tells nothing about the seat."""
    if isinstance(error, ServiceError):
        # Too many requests, an earlier attempt that still runs, or a service that cannot answer now.
        return error.status in (408, 429) or error.status >= 500 or error.code == "IDEMPOTENCY_IN_FLIGHT"
    return True
