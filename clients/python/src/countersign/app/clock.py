"""The time by which a license is judged."""

from __future__ import annotations

import threading
import time

# By how many milliseconds a clock may be off before anybody speaks of it.
_TOLERANCE = 5 * 60_000


class AppClock:
    """The machine's clock and its waits; replaced in tests."""

    def now(self) -> float:
        """The machine's clock, which its user may set: Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since any beginning, which nobody can set."""
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits for an event, or so many seconds; answers whether it came."""
        return event.wait(seconds)


class LicenseTime:
    """The machine's time, but never earlier than the latest instant that the service signed and the time for which the app ran
    since, as nobody can set.

    A clock that was ahead when the service was heard is read as much earlier, so that neither it nor its correction
    locks anybody out. All in milliseconds.
    """

    def __init__(self, clock: AppClock) -> None:
        self._clock = clock
        self._floor = 0
        self._since = clock.monotonic()
        self._ahead = 0

    def _machine(self) -> int:
        return round(self._clock.now() * 1000)

    def floor(self) -> int:
        """The floor as it is to be kept: the latest signed instant, and the time for which the app ran since."""
        if self._floor == 0:
            return 0
        return self._floor + max(0, round((self._clock.monotonic() - self._since) * 1000))

    def _set(self, instant: int) -> None:
        self._floor = instant
        self._since = self._clock.monotonic()

    def now(self) -> int:
        least = self.floor()
        corrected = self._machine() - self._ahead
        # A clock that is still ahead cannot be earlier than the floor; one that is has been set right.
        return max(self._machine() if corrected < least - _TOLERANCE else corrected, least)

    @property
    def ahead(self) -> int:
        """By how much the machine's clock was ahead when the service was heard last.

        Less than 0 of the clock of test, which may be ahead of every other.
        """
        return self._ahead

    @property
    def is_set_back(self) -> bool:
        """Whether the machine's clock is earlier than it can be, and so was set back."""
        return self._machine() - min(self._ahead, 0) < self.floor() - _TOLERANCE

    def recall(self, floor: int, ahead: int) -> None:
        """What was kept."""
        if floor > self.floor():
            self._set(floor)
            self._ahead = ahead

    def heard(self, instant: int, moved: bool = False) -> None:
        """An instant that the service signed for a question of this moment: from now on it is that time.

        Where it is of a clock that is `moved`, a machine's clock that is behind was not set back.
        """
        # An answer that was long on its way, or clocks that drift, change nothing; a floor in the future does.
        if instant > self.floor() or self.floor() - instant > _TOLERANCE:
            self._set(instant)
        ahead = self._machine() - instant
        self._ahead = ahead if (abs(ahead) if moved else ahead) > _TOLERANCE else 0

    def behind(self, instant: int) -> int:
        """By how much the machine's clock is behind an instant, as a number that is not above 0."""
        return min(self._machine() - instant, 0)
