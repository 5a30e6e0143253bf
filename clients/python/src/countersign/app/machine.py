"""How a license stands after what happened to it: a table, and nothing that depends on anything else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, NamedTuple, Optional, Sequence, Tuple, Union

from .states import REASONS, RUNNING, STATES, Problem, reason_of, refusal_reasons


@dataclass(frozen=True)
class Limits:
    """Until when a license may run without the service; instants in Unix milliseconds.

    Attributes:
        valid_until: Of the last signed answer.
        grace_until: The end of the vendor's grace after it.
        offline_until: `valid_until` of the offline envelope.
        is_trial: Whether the signed answer is about a trial, whose end no grace defers.
    """

    valid_until: Optional[int] = None
    grace_until: Optional[int] = None
    offline_until: Optional[int] = None
    is_trial: bool = False


@dataclass(frozen=True)
class MachineState:
    """How the license stands: what the machine goes from and to.

    Attributes:
        until: Until when it stands so if the service stays away, in Unix milliseconds; None where the app does not run.
        error: The error that led here.
    """

    state: str
    reason: str
    limits: Limits = Limits()
    until: Optional[int] = None
    error: Optional[Problem] = None


@dataclass(frozen=True)
class Confirmed:
    """The service answered, signed and verified; or such an answer was kept and verified again."""

    status: str
    limits: Limits


@dataclass(frozen=True)
class Sealed:
    """An offline envelope was verified."""

    offline_until: int


@dataclass(frozen=True)
class Refused:
    """The service refused, signed and verified; or such a refusal was kept and verified again."""

    error: Problem


@dataclass(frozen=True)
class Unsigned:
    """What has the form of a refusal, signed by nobody who is trusted, for this license and this question. It proves nothing."""

    error: Problem


@dataclass(frozen=True)
class Unreachable:
    """Nobody answered, or not the service, or it decided nothing."""

    error: Problem


@dataclass(frozen=True)
class Ticked:
    """Time has passed."""


@dataclass(frozen=True)
class Deactivated:
    """This device gave its seat back."""


@dataclass(frozen=True)
class Copied:
    """What was kept is another device's."""

    error: Problem


@dataclass(frozen=True)
class Damaged:
    """What was kept cannot be read, or does not verify."""

    error: Problem


AppEvent = Union[Confirmed, Sealed, Refused, Unsigned, Unreachable, Ticked, Deactivated, Copied, Damaged]


class Transition(NamedTuple):
    """One row of the table. Of the rows for a state and an event, the first whose condition holds counts.

    Attributes:
        when: The condition, in words; empty where there is none.
        to: Why the license then stands as it does; `same`: as before.
    """

    event: str
    states: Tuple[str, ...]
    when: str
    holds: Callable[[MachineState, Limits, AppEvent, int], bool]
    to: str


# Those whom an envelope brings further: who is active needs none, and the others were refused.
_SEALABLE = ("grace", "offline", "expired", "unlicensed")
# In which the clock may change something; the others wait for the service.
_TIMED = (*RUNNING, "expired")
_DECIDED = ("suspended", "revoked", "over-limit", "unlicensed")

_GOOD = "the offline envelope is good"
_VALID = "`valid_until` is not past"
_GRACE = "the vendor's grace is not over"
_SAID_SO = "the service said so"


def _always(_: MachineState, __: Limits, ___: AppEvent, ____: int) -> bool:
    return True


def _not_past(limit: Optional[int], now: int) -> bool:
    return limit is not None and now <= limit


def _is_good(_: MachineState, limits: Limits, __: AppEvent, now: int) -> bool:
    return _not_past(limits.offline_until, now)


def _is_valid(_: MachineState, limits: Limits, __: AppEvent, now: int) -> bool:
    return _not_past(limits.valid_until, now)


def _is_grace(_: MachineState, limits: Limits, __: AppEvent, now: int) -> bool:
    return _not_past(limits.grace_until, now)


def _is_trial(_: MachineState, limits: Limits, __: AppEvent, ___: int) -> bool:
    return limits.is_trial


def _is_envelope_all(_: MachineState, limits: Limits, __: AppEvent, ___: int) -> bool:
    return limits.offline_until is not None and limits.grace_until is None


def _is_first(before: MachineState, _: Limits, __: AppEvent, ___: int) -> bool:
    return before.reason == "no_license"


def _was_refused(before: MachineState, _: Limits, __: AppEvent, ___: int) -> bool:
    return before.reason in ("license_expired", "trial_used")


def _is_renewal(_: MachineState, __: Limits, event: AppEvent, ___: int) -> bool:
    return isinstance(event, Confirmed) and event.status == "grace_period"


def _refusal(code: str, detail: Optional[str], reason: str) -> Transition:
    def holds(_: MachineState, __: Limits, event: AppEvent, ___: int) -> bool:
        return isinstance(event, Refused) and event.error.code == code and detail in (None, event.error.detail)

    when = f"`{code}`" if detail is None else f"`{code}`, detail `{detail}`"
    return Transition("refused", STATES, when, holds, reason)


def _still_valid(event: str) -> Sequence[Transition]:
    return (
        Transition(event, ("active",), _VALID, _is_valid, "same"),
        Transition(event, ("grace", "offline", "expired"), _VALID, _is_valid, "confirmed"),
    )


def _too_old(event: str) -> Sequence[Transition]:
    """What follows when both the envelope and the answer are too old or not there."""
    return (
        Transition(event, _TIMED, _GRACE, _is_grace, "unreachable"),
        Transition(event, _TIMED, "it is a trial", _is_trial, "trial_over"),
        Transition(event, _TIMED, "an offline envelope is all that was had", _is_envelope_all, "offline_over"),
        Transition(event, _TIMED, "", _always, "grace_over"),
    )


def _unheard(event: str) -> Sequence[Transition]:
    """What follows when nobody was heard who can decide about the license."""
    return (
        Transition(event, _DECIDED, "", _always, "same"),
        Transition(event, ("expired",), _SAID_SO, _was_refused, "same"),
        Transition(event, _TIMED, _GOOD, _is_good, "offline_envelope"),
        *_still_valid(event),
        *_too_old(event),
    )


_any_inactive = _refusal("LICENSE_INACTIVE", None, reason_of(Problem("LICENSE_INACTIVE", "")) or "suspended")

TRANSITIONS: Tuple[Transition, ...] = (
    Transition("confirmed", STATES, "its `status` is `grace_period`", _is_renewal, "renewal_due"),
    Transition("confirmed", STATES, "", _always, "confirmed"),
    Transition("sealed", _SEALABLE, _GOOD, _is_good, "offline_envelope"),
    Transition("sealed", ("unlicensed",), "nothing else is known", _is_first, "offline_over"),
    Transition("sealed", STATES, "", _always, "same"),
    *(_refusal(code, detail, reason) for code, detail, reason in refusal_reasons()),
    _any_inactive._replace(when="`LICENSE_INACTIVE`, any other detail"),
    Transition("refused", STATES, "any other code", _always, "same"),
    *_unheard("unsigned"),
    *_unheard("unreachable"),
    Transition("ticked", _DECIDED, "", _always, "same"),
    Transition("ticked", ("expired",), _SAID_SO, _was_refused, "same"),
    Transition("ticked", ("offline",), _GOOD, _is_good, "same"),
    *_still_valid("ticked"),
    Transition("ticked", ("active", "grace", "expired"), _GOOD, _is_good, "offline_envelope"),
    *_too_old("ticked"),
    Transition("deactivated", STATES, "", _always, "given_back"),
    Transition("copied", STATES, "", _always, "other_device"),
    Transition("damaged", STATES, "", _always, "store_unreadable"),
)

# How a license stands of which nothing is known.
INITIAL = MachineState("unlicensed", "no_license")


def _limits_after(before: MachineState, event: AppEvent) -> Limits:
    if isinstance(event, Confirmed):
        return replace(event.limits, offline_until=before.limits.offline_until)
    if isinstance(event, Sealed):
        return replace(before.limits, offline_until=event.offline_until)
    return Limits() if isinstance(event, (Deactivated, Copied, Damaged)) else before.limits


def _error_after(before: MachineState, event: AppEvent, is_same: bool) -> Optional[Problem]:
    if isinstance(event, (Confirmed, Deactivated)):
        return None
    if isinstance(event, (Sealed, Ticked)):
        return before.error
    # Why a license was refused matters more than that nobody could be asked since.
    return before.error or event.error if is_same and before.state not in RUNNING else event.error


def _until(reason: str, limits: Limits) -> Optional[int]:
    ends = {"active": limits.valid_until, "grace": limits.grace_until, "offline": limits.offline_until}
    return ends.get(REASONS[reason].state)


def next_state(before: MachineState, event: AppEvent, now: int) -> MachineState:
    """How a license stands after an event, at an instant in Unix milliseconds. It depends on nothing else."""
    limits = _limits_after(before, event)
    kind = type(event).__name__.lower()
    to = next(
        row.to
        for row in TRANSITIONS
        if row.event == kind and before.state in row.states and row.holds(before, limits, event, now)
    )
    reason = before.reason if to == "same" else to
    error = _error_after(before, event, to == "same")
    return MachineState(REASONS[reason].state, reason, limits, _until(reason, limits), error)
