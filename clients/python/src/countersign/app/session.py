"""What the parts of a license share: the record as it is kept, and how the license stands by it."""

from __future__ import annotations

import threading
from typing import Any, Callable, List, Optional

from .._keys import read_license_key
from .._strict import Members
from .._trust import with_learned
from ..errors import CountersignError, VerificationError
from .clock import LicenseTime
from .machine import (
    INITIAL,
    AppEvent,
    Confirmed,
    Copied,
    Damaged,
    Deactivated,
    Limits,
    MachineState,
    Refused,
    Sealed,
    Ticked,
    Unreachable,
    Unsigned,
    next_state,
)
from .options import LicenseOptions
from .questions import (
    Answered,
    OtherDevice,
    ProvenRefusal,
    Questions,
    decision_of,
    is_moved,
    is_other_environment,
    milliseconds,
    problem_of,
)
from .record import EMPTY, Record, changed, read_record, write_record
from .states import RUNNING, Problem, is_of_seat, reason_of

_DAY = 86_400_000

Change = Callable[[Record], Record]


def limits_of(data: Members, grace: int) -> Limits:
    """Until when signed data may be relied on without the service. A trial's end, which is known, is the end."""
    valid_until = _instant(data, "valid_until")
    if valid_until is None:
        return Limits()
    is_trial = data.get("license_type") == "trial"
    grace_until = valid_until + grace
    expires_at = _instant(data, "expires_at") if is_trial else None
    if expires_at is not None:
        grace_until = min(grace_until, max(valid_until, expires_at))
    return Limits(valid_until, grace_until, None, is_trial)


def _instant(data: Members, member: str) -> Optional[int]:
    try:
        return milliseconds(data.get(member))
    except VerificationError:
        return None


class Session:
    """The standing is always computed anew from the record, so that processes that share a store agree.

    Used by several threads: what it knows changes under a lock, which is never held while the service is asked.
    """

    def __init__(self, options: LicenseOptions) -> None:
        self.options = options
        self.time = LicenseTime(options.clock)
        self.questions = Questions(options)
        self.record: Record = EMPTY
        self.standing: MachineState = INITIAL
        # What the service signed last: of the answer, or of the envelope where the app runs by that.
        self.data: Optional[Members] = None
        # Why the service could not be asked last.
        self.trouble: Optional[Problem] = None
        # Whether that has the form of a refusal which nobody signed.
        self._is_unsigned = False
        # Of a process with a seat of its own: why it has none, which says nothing of the others, or that it gave it back.
        self.seat_refusal: Optional[Problem] = None
        self.has_returned_seat = False
        self._grace = int(options.grace_days * _DAY)
        self._lock = threading.RLock()
        self._is_unsaved = False
        self._damage: Optional[Problem] = None
        # A refusal of a license that the app does not have yet.
        self._notice: Optional[Problem] = None
        self._listeners: List[Callable[[], object]] = []
        self._telling = threading.RLock()
        self._shown: Any = None

    @property
    def is_running(self) -> bool:
        return self.standing.state in RUNNING

    @property
    def license_key(self) -> Optional[str]:
        """The key that the app has."""
        return self.key_of(self.record)

    def key_of(self, record: Record) -> Optional[str]:
        """The key that the app has by a record, as it may stand by now."""
        kept: Optional[str] = record.get("licenseKey")
        if kept is None and not record.get("isGivenBack"):
            kept = self.options.license_key
        # One that an earlier version kept, or the app has from elsewhere, may be as it was typed.
        return None if kept is None else read_license_key(kept)[0] or kept

    @property
    def is_given_back(self) -> bool:
        """Whether this device or this process gave its seat back, so that no check takes one again."""
        return bool(self.record.get("isGivenBack") or (self.has_returned_seat and self.record.get("isFloating")))

    @property
    def is_copied(self) -> bool:
        """Whether what is kept was written on another device."""
        return self.standing.reason == "other_device"

    def on_change(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Calls a listener at every change of the standing; answers what ends that."""

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        self._listeners.append(listener)
        return end

    def sync(self) -> None:
        """Reads what is kept, by whichever process, and how the license stands by it."""
        with self._lock:
            with self.options.store.exclusively():
                self.record = self._load()
            self._judge()
        self._tell()

    def update(
        self,
        change: Change,
        *,
        heard: Optional[int] = None,
        at_least: Optional[int] = None,
        moved: bool = False,
        is_weighty: bool = False,
        must_keep: bool = False,
    ) -> None:
        """Changes what is kept, as it stands now and not as this process knew it.

        Args:
            heard: An instant that the service signed just now.
            at_least: An instant that the service signed some time.
            moved: Whether it did so by the clock of test, which may be ahead of every other.
            is_weighty: Writes twice, so that the previous copy says the same.
            must_keep: Raises what the store raises when it cannot be written; otherwise `on_problem` is told.
        """
        with self._lock:
            with self.options.store.exclusively():
                current = self._load()
                # After what was kept, which may be of a clock that was far ahead.
                if heard is not None:
                    self.time.heard(heard, moved)
                if at_least is not None:
                    self.time.recall(at_least, self.time.behind(at_least) if moved else self.time.ahead)
                record = changed(
                    change(current),
                    version=current["version"] + 1,
                    floor=self.time.floor(),
                    ahead=self.time.ahead,
                )
                self._write(record, is_weighty, must_keep)
                self._damage = None
                self.record = record
            self._judge()
        self._tell()

    def confirm(
        self,
        answered: Answered,
        asked: int,
        change: Change,
        *,
        about: Optional[str] = None,
        otherwise: Change = lambda record: record,
    ) -> None:
        """Keeps a signed answer. It lifts a refusal, unless that came after the question was asked: with a later `version`.

        One that is `about` the license of a key is not kept where another process activated another one meanwhile, or
        gave the seat back; `otherwise` is done then.
        """

        def kept(current: Record) -> Record:
            if about is not None and self.key_of(current) != about:
                return otherwise(current)
            record = change(current)
            # A license that is used by an activation has no seat that could be refused.
            if not record.get("isFloating"):
                self.forget_seat()
            before = record.get("answer")
            # What another process heard later counts, unless it does not verify.
            is_newer = self.data is None or before is None or before["issuedAt"] <= answered.issued_at
            answer = {"text": answered.text, "nonce": answered.nonce, "issuedAt": answered.issued_at}
            refusal = record.get("refusal")
            return changed(
                self.with_learned(record, answered.learned),
                answer=answer if is_newer else before,
                refusal=refusal if refusal is not None and refusal["version"] > asked else None,
                isGivenBack=None,
            )

        with self._lock:
            self.trouble = None
            self._notice = None
        self.update(kept, heard=answered.issued_at, moved=is_moved(answered.data))

    def forget_seat(self) -> None:
        """What was said of the seat of this process says nothing of the one, or of the license, that it has from now on."""
        self.seat_refusal = None
        self.has_returned_seat = False

    def refuse(self, error: CountersignError, key: Optional[str]) -> None:
        """Takes in why an answer is missing.

        A signed refusal of the license that is kept stops it and is remembered, one of another key is only shown, and what
        decides nothing, or was signed by nobody, leaves the license to its limits.
        """
        problem = problem_of(error)
        if is_other_environment(error):
            # It says nothing of the license that is kept, and is shown where none lets the app run.
            with self._lock:
                self.trouble, self._is_unsigned = problem, False
                self._notice = problem
                self._judge()
            return self._tell()
        if not isinstance(error, ProvenRefusal) or decision_of(error) is None:
            with self._lock:
                self.trouble = problem
                self._is_unsigned = reason_of(problem) is not None
            return self.update(lambda record: record)
        proven = error
        self.trouble = None
        is_own = key is not None and key == self.license_key
        if is_own and self.options.process_id is not None and is_of_seat(problem):
            self.seat_refusal = problem
            return self.sync()
        if is_own:
            return self.update(
                lambda record: (
                    changed(self.with_learned(record, proven.learned), refusal=_kept(problem, proven.proof, record))
                    if self.key_of(record) == key
                    else record
                ),
                is_weighty=True,
            )
        with self._lock:
            self._notice = problem
            self._judge()
        self._tell()

    def with_learned(self, record: Record, learned: Members) -> Record:
        """A record, with what was learned of keys."""
        return with_learned(self.options.public_keys, record, learned)

    def relearn(self) -> None:
        """Takes over what the service lists now, where another list has what is kept doubted, or believed."""
        learned = self.questions.relearn(self.record)
        if learned:
            self.update(lambda record: self.with_learned(record, learned))

    def _write(self, record: Record, is_weighty: bool, must_keep: bool) -> None:
        try:
            text = write_record(record)
            for _ in range(2 if is_weighty else 1):
                self.options.store.write(text)
            self._is_unsaved = False
        except Exception as error:
            self.options.on_problem(error)
            if must_keep:
                raise
            self._is_unsaved = True

    def _judge(self) -> None:
        """How the license stands now, by what is kept and by the time."""
        record, now = self.record, self.time.now()
        standing, data = INITIAL, None

        def happened(event: AppEvent) -> None:
            nonlocal standing
            standing = next_state(standing, event, now)

        if self._damage is not None:
            happened(Damaged(self._damage))
        if record.get("isGivenBack"):
            happened(Deactivated())
        if "answer" in record:
            try:
                data = self.questions.verify_kept(record)
                happened(Confirmed(str(data.get("status")), limits_of(data, self._grace)))
            except CountersignError as error:
                problem = problem_of(error)
                if is_other_environment(error):
                    happened(Refused(problem))
                else:
                    happened(Copied(problem) if isinstance(error, OtherDevice) else Damaged(problem))
        if "envelope" in record and "licenseKey" in record and standing.reason != "other_device":
            opened = None
            try:
                opened = self.questions.open_envelope(record).data
            except CountersignError as error:
                if is_other_environment(error) and standing.state not in RUNNING:
                    happened(Refused(problem_of(error)))
            offline_until = None if opened is None else _instant(opened, "valid_until")
            if offline_until is not None:
                happened(Sealed(offline_until))
                data = opened if data is None and now <= offline_until else data
        if standing.reason != "other_device":
            refusal = self.questions.verify_kept_refusal(record)
            if refusal is not None:
                happened(Refused(refusal))
            if self.trouble is None:
                happened(Ticked())
            else:
                happened(Unsigned(self.trouble) if self._is_unsigned else Unreachable(self.trouble))
        if self.seat_refusal is not None:
            happened(Refused(self.seat_refusal))
        if self.has_returned_seat and record.get("isFloating"):
            happened(Deactivated())
        if self._notice is not None and standing.state not in RUNNING:
            happened(Refused(self._notice))
        self.data = data
        self.standing = standing

    def _tell(self) -> None:
        """Calls the listeners if anything changed, without the lock: they may do what they like."""
        with self._telling:
            shown = (self.standing, self.data)
            if shown == self._shown:
                return
            self._shown = shown
            for listener in list(self._listeners):
                listener()

    def _load(self) -> Record:
        """The record as it is kept now. What cannot be read is replaced by the copy before, or by what this process knows."""
        record: Optional[Record] = None
        try:
            text = self.options.store.read()
            record = None if text is None else read_record(text)
            if record is None and (text is not None or self.record["version"] > 0):
                record = self.record if self.record["version"] > 0 else self._previous()
                if record is None:
                    self._damage = Problem("STORE_DAMAGED", "The stored license cannot be read")
        except Exception as error:
            self.options.on_problem(error)
        if record is None or (self._is_unsaved and record["version"] < self.record["version"]):
            # What could not be written is known in this process alone.
            record = self.record
        self.time.recall(record["floor"], record.get("ahead", 0))
        return record

    def _previous(self) -> Optional[Record]:
        text = self.options.store.read_previous()
        return None if text is None else read_record(text)


def _kept(problem: Problem, proof: Members, record: Record) -> Members:
    detail = {} if problem.detail is None else {"detail": problem.detail}
    version = record["version"] + 1
    return {"code": problem.code, "message": problem.message, **detail, "proof": proof, "version": version}
