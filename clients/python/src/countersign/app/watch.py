"""Checks while the app runs."""

from __future__ import annotations

import random
import threading
from types import TracebackType
from typing import Callable, Optional, Type

from ..errors import VerificationError
from .floating import FloatingSeat
from .questions import milliseconds
from .session import Session

# The longest sleep, in milliseconds: so often a process looks what others have learned.
_LONGEST = 10 * 60_000
# The waits between checks that got no answer: the first, and the longest.
_FIRST_RETRY = 30_000
_LAST_RETRY = 15 * 60_000


def next_check(now: int, next_check_at: Optional[int], failures: int, chance: float) -> float:
    """When the service is to be asked next, in Unix milliseconds.

    `failures` counts the checks since it last granted something; `chance`, from 0 to below 1, spreads the apps of a vendor.
    """
    if failures == 0 and next_check_at is not None:
        return next_check_at + max(0, next_check_at - now) * chance / 10
    return now + min(_LAST_RETRY, _FIRST_RETRY * 2.0 ** max(0, failures - 1)) * (0.5 + chance / 2)


class Watch:
    """A thread that checks while the app runs. `stop()` ends it, and so does the end of a `with` block."""

    def __init__(
        self, session: Session, floating: FloatingSeat, check: Callable[[], object], silence: Callable[[], None]
    ) -> None:
        self._session = session
        self._floating = floating
        self._check = check
        self._silence = silence
        self._failures = 0
        self._stopped = threading.Event()
        self._due = self._plan()
        self._thread = threading.Thread(target=self._run, name="countersign-license", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it, after a check that is on its way, and waits for that unless a listener calls."""
        self._silence()
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    def _plan(self, has_ended: bool = True) -> float:
        """When the next check is due: after one that did not end, as after one that got no answer."""
        session = self._session
        granted = has_ended and session.standing.state == "active" and session.trouble is None
        self._failures = 0 if granted else self._failures + 1
        if self._floating.is_held and granted:
            return self._floating.due_at(random.random())
        return next_check(session.time.now(), self._signed(), self._failures, random.random())

    def _signed(self) -> Optional[int]:
        """When the service said that it is to be asked again."""
        try:
            return milliseconds((self._session.data or {}).get("next_check_at"))
        except VerificationError:
            return None

    def _run(self) -> None:
        session = self._session
        while not self._stopped.is_set():
            now, until = session.time.now(), session.standing.until
            # A moment after its end, so that the standing then is another one.
            ends = now + _LONGEST if until is None else until + 1
            wait = max(0.0, min(now + _LONGEST, self._due, ends) - now)
            if session.options.clock.wait(self._stopped, wait / 1000):
                return
            try:
                if session.time.now() >= self._due:
                    has_ended = False
                    try:
                        self._check()
                        has_ended = True
                    finally:
                        self._due = self._plan(has_ended)
                else:
                    session.sync()
            except Exception as error:
                session.options.on_problem(error)
