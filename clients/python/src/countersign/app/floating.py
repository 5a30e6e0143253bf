"""A floating seat of an app: taken, kept by heartbeats, and given back. Processes on one device share its seat."""

from __future__ import annotations

import secrets
from typing import Any, Optional

from .._strict import Members
from ..errors import CountersignError
from .questions import Answered, milliseconds, problem_of
from .record import Record, changed
from .session import Session
from .states import LOST_LEASES, is_released, reason_of


class FloatingSeat:
    def __init__(self, session: Session) -> None:
        self._session = session
        # The name of this process among those that hold the seat.
        self._holder = secrets.token_hex(16)
        self.is_held = False

    def due_at(self, chance: float) -> float:
        """When the next heartbeat is due, in Unix milliseconds: after a third of what is left of the lease."""
        now = self._session.time.now()
        left = self._session.record.get("lease", {}).get("expiresAt", 0) - now
        return float(now + left * (0.3 + 0.06 * chance))

    def acquire(self, license_key: str) -> None:
        """Takes a seat, or the one that this device has. Raises where none was had."""
        session = self._session
        asked = session.record["version"]
        answered = session.questions.ask("floating/checkout", license_key, {}, session.record)
        self.is_held = True
        session.confirm(
            answered,
            asked,
            lambda record: changed(
                record, licenseKey=license_key, isFloating=True, lease=self._lease(answered, record)
            ),
        )

    def renew(self, license_key: str) -> None:
        """Keeps the seat; takes it anew where it was lost. Raises where neither can be done."""
        session = self._session
        token = self._token()
        while token is not None:
            asked = session.record["version"]
            try:
                answered = session.questions.ask(
                    "floating/heartbeat", license_key, {"lease_token": token}, session.record
                )
            except CountersignError as error:
                problem = problem_of(error)
                if problem.code not in LOST_LEASES or is_released(problem):
                    raise
            else:
                self.is_held = True
                return self._keep(answered, asked)
            # Another process may have had the token changed.
            session.sync()
            current = self._token()
            token = None if current == token else current
        self.acquire(license_key)

    def release(self, license_key: str) -> None:
        """Gives the seat back, unless another process of this device holds it. Raises where the service could not be told."""
        session = self._session
        self.is_held = False
        session.sync()
        lease = session.record.get("lease", {})
        others = {name: until for name, until in lease.get("holders", {}).items() if name != self._holder}
        is_shared = any(until > session.time.now() for until in others.values())
        if lease and not is_shared:
            try:
                members = {"lease_token": lease["token"]}
                session.questions.ask("floating/checkin", license_key, members, session.record)
            except CountersignError as error:
                problem = problem_of(error)
                if problem.code not in LOST_LEASES and reason_of(problem) is None:
                    raise

        def given_back(record: Record) -> Record:
            if is_shared and "lease" in record:
                return changed(record, lease={**record["lease"], "holders": others})
            return changed(record, lease=None, answer=None, isGivenBack=True)

        session.update(given_back)

    def _token(self) -> Optional[str]:
        token: Optional[str] = self._session.record.get("lease", {}).get("token")
        return token

    def _keep(self, answered: Answered, asked: int) -> None:
        self._session.confirm(
            answered, asked, lambda record: changed(record, lease=self._lease(answered, record))
        )

    def _lease(self, answered: Answered, record: Record) -> Members:
        expires_at = milliseconds(answered.data.get("lease_expires_at"))
        holders: Any = record.get("lease", {}).get("holders", {})
        token = str(answered.data.get("lease_token"))
        return {"token": token, "expiresAt": expires_at, "holders": {**holders, self._holder: expires_at}}
