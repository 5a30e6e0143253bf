"""How the license of an app stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Optional

from .._strict import Members
from .states import REASONS, RUNNING, Problem


@dataclass(frozen=True)
class Standing:
    """How the license stands, for the app and for the person at it.

    Attributes:
        state: One of `STATES`.
        reason: One of `REASONS`: why it stands so.
        until: Until when it stands so if the service stays away; None where the app may not run.
        error: The error that led here, for logs and for whoever helps.
        is_clock_set_back: Whether the machine's clock was set back; the license goes on by the latest instant that was signed.
        data: What the service signed, such as `license_id`, `status`, `expires_at` and `features`.
    """

    state: str
    reason: str
    until: Optional[datetime]
    error: Optional[Problem]
    is_clock_set_back: bool
    data: Optional[Members]

    @property
    def may_run(self) -> bool:
        """Whether the app may run."""
        return self.state in RUNNING

    @property
    def show(self) -> str:
        """What to show to the person; translate it by `reason`."""
        return REASONS[self.reason].show
