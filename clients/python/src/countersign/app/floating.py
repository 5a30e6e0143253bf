"""A floating seat of an app: taken, kept by heartbeats, and given back. Processes on one device share its seat."""

from __future__ import annotations

import secrets
from typing import Dict, Optional, Tuple

from .._strict import Members
from ..errors import CountersignError
from .questions import Answered, ProvenRefusal, decision_of, milliseconds, problem_of
from .record import Record, changed, for_key
from .session import Change, Session
from .states import LOST_LEASES, is_released


def _is_lost(error: CountersignError) -> bool:
    """Whether the lease is no more, and another one may be had: signed, for anybody can say so."""
    return isinstance(error, ProvenRefusal) and error.code in LOST_LEASES


class FloatingSeat:
    """The seat of a process: its own where the terms give each process one and it has a name, or that of the device."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._process = session.options.process_id
        # The name of this process among those that hold the device's seat.
        self._holder = secrets.token_hex(16)
        self.is_held = False

    def due_at(self, chance: float) -> float:
        """When the next heartbeat is due, in Unix milliseconds: after a third of what is left of the lease."""
        now = self._session.time.now()
        own = self._own()
        lease: Members = self._session.record.get("lease", {}) if own is None else own
        return float(now + (lease.get("expiresAt", 0) - now) * (0.3 + 0.06 * chance))

    def acquire(self, license_key: str) -> None:
        """Takes a seat, or the one that this process or device has. Raises where none was had."""
        session = self._session
        asked = session.record["version"]
        members = {} if self._process is None else {"process_id": self._process}
        answered = session.questions.ask("floating/checkout", license_key, members, session.record)
        is_own = self._process is not None and answered.data.get("lease_unit") == "process"
        self._keep(answered, asked, is_own, lambda record: changed(for_key(record, license_key), isFloating=True))

    def renew(self, license_key: str) -> None:
        """Keeps the seat; takes it anew where it was lost. Raises where neither can be done."""
        session = self._session
        token, is_own = self._token()
        while token is not None:
            asked = session.record["version"]
            try:
                answered = session.questions.ask(
                    "floating/heartbeat", license_key, {"lease_token": token}, session.record
                )
            except CountersignError as error:
                if not _is_lost(error) or is_released(problem_of(error)):
                    raise
            else:
                return self._keep(answered, asked, is_own, about=license_key)
            # Another process may have had the token changed.
            session.sync()
            current, is_own = self._token()
            token = None if current == token else current
        self.acquire(license_key)

    def release(self, license_key: str) -> None:
        """Gives the seat back, unless another process of this device shares it. Raises where the service could not be told."""
        session = self._session
        self.is_held = False
        session.sync()
        now = session.time.now()
        token, is_own = self._token()
        if token is not None and (is_own or not self._others(session.record, now)[0]):
            try:
                session.questions.ask("floating/checkin", license_key, {"lease_token": token}, session.record)
            except CountersignError as error:
                if not _is_lost(error) and decision_of(error) is None:
                    raise

        def given_back(record: Record) -> Record:
            # Another process may have taken a seat while this one gave its own back.
            holders, seats = self._others(record, now)
            has_others = bool(holders or seats)
            session.has_returned_seat = self._process is not None and has_others
            if not has_others:
                return changed(record, seats=None, lease=None, answer=None, isGivenBack=True)
            lease = {**record["lease"], "holders": holders} if holders else None
            return changed(record, seats=seats or None, lease=lease)

        session.update(given_back)

    def _others(self, record: Record, now: int) -> Tuple[Dict[str, int], Dict[str, Members]]:
        """Who else holds the seat of the device, and the seats that other processes have of their own."""
        holders, seats = record.get("lease", {}).get("holders", {}), record.get("seats", {})
        return (
            {name: until for name, until in holders.items() if name != self._holder and until > now},
            {name: seat for name, seat in seats.items() if name != self._process and seat["expiresAt"] > now},
        )

    def _own(self) -> Optional[Members]:
        """The lease that is of this process alone."""
        seat: Optional[Members] = self._session.record.get("seats", {}).get(self._process)
        return seat

    def _token(self) -> Tuple[Optional[str], bool]:
        """The token of the seat, and whether it is of this process alone."""
        own = self._own()
        if own is not None:
            return own["token"], True
        return self._session.record.get("lease", {}).get("token"), False

    def _keep(
        self,
        answered: Answered,
        asked: int,
        is_own: bool,
        change: Change = lambda record: record,
        about: Optional[str] = None,
    ) -> None:
        """Keeps the lease that was answered, and lifts what was said of the seat before."""
        session = self._session
        self.is_held = True
        session.forget_seat()
        expires_at = milliseconds(answered.data.get("lease_expires_at"))
        lease = {"token": str(answered.data.get("lease_token")), "expiresAt": expires_at}

        def kept(current: Record) -> Record:
            record = change(current)
            if is_own:
                now = session.time.now()
                seats = {name: one for name, one in record.get("seats", {}).items() if one["expiresAt"] > now}
                return changed(record, seats={**seats, str(self._process): lease})
            holders = {**record.get("lease", {}).get("holders", {}), self._holder: expires_at}
            return changed(record, lease={**lease, "holders": holders})

        session.confirm(answered, asked, kept, about=about)
