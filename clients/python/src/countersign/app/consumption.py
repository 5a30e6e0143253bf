"""Uses of metered features: written down before they are sent, and sent until they are decided."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional

from .._strict import Members
from ..errors import CountersignError
from .questions import ProvenRefusal, decision_of
from .record import Record, changed, pending_of
from .session import Session

# How many uses may wait for the service.
_MOST_PENDING = 1000

# What says that a use will never be counted.
_FINAL = frozenset(
    {
        "FEATURE_NOT_ENTITLED",
        "FEATURE_QUOTA_EXCEEDED",
        "IDEMPOTENCY_CONFLICT",
        "LICENSE_KEY_INVALID",
    }
)

# The refusals of a refund that are about the use, and say nothing of the license.
_ABOUT_USE = frozenset({"REFUND_NOT_ALLOWED", "NOT_FOUND", "STATE_CONFLICT", "VALIDATION_ERROR"})


def _is_for_good(error: CountersignError) -> bool:
    """Whether a use will never be counted: the service signed that, or could not read it, which it says before it decides."""
    return error.code in _FINAL if isinstance(error, ProvenRefusal) else error.code == "VALIDATION_ERROR"


@dataclass(frozen=True)
class Use:
    """What became of a use.

    Attributes:
        state: `counted`; or `pending`: the service could not be reached, and the use is sent again until it is.
    """

    event_id: str
    state: str


def features_of(session: Session) -> List[Mapping[str, object]]:
    """The features that the signed data grants."""
    features = None if session.data is None else session.data.get("features")
    return [feature for feature in features if isinstance(feature, dict)] if isinstance(features, list) else []


def consume(
    session: Session, feature_code: str, amount: int, event_id: Optional[str], dimensions: Optional[Mapping[str, str]] = None
) -> Use:
    """Uses up some of a metered feature.

    It is written down before it is sent, so that it is sent again after a crash, with the same event id, and counted
    once. Raises a `CountersignError` if it is refused, and the store's error if it cannot be written down.
    """
    session.sync()
    key = session.license_key
    if key is None:
        raise CountersignError("NO_LICENSE", "There is no license whose feature could be used.")
    named = secrets.token_hex(16) if event_id is None else event_id
    use = {"licenseKey": key, "eventId": named, "featureCode": feature_code, "amount": amount}
    if dimensions is not None:
        use["dimensions"] = dict(dimensions)
    if all(pending["eventId"] != named for pending in pending_of(session.record)):
        session.update(lambda record: changed(record, pending=[*record["pending"], use]), must_keep=True)
    try:
        _send(session, use)
        return Use(named, "counted")
    except CountersignError as error:
        is_final, is_decided = _is_for_good(error), decision_of(error) is not None
        # What is refused about a feature says nothing of the license.
        if is_decided or not is_final:
            session.refuse(error, key)
        cause = error if is_final or is_decided or not session.is_running else _why_not(session, use)
        if cause is None:
            return Use(named, "pending")
        _settle(session, use)
        raise cause from (None if cause is error else error)


@dataclass(frozen=True)
class Refund:
    """What was given back of a use.

    Attributes:
        refunded: How much of the use is refunded by now.
    """

    event_id: str
    amount: int
    refunded: int


def refund(session: Session, feature_code: str, event_id: str, amount: Optional[int]) -> Refund:
    """Gives a use back, whole or in part. Only the service can: nothing of it waits.

    A use that still waits is sent before it is refunded. Raises a `CountersignError` if it is refused or nobody can be asked.
    """
    session.sync()
    key = session.license_key
    if key is None:
        raise CountersignError("NO_LICENSE", "There is no license whose usage could be refunded.")
    members: Dict[str, object] = {"feature_code": feature_code, "event_id": event_id}
    if amount is not None:
        members["amount"] = amount
    try:
        for use in pending_of(session.record):
            if use["eventId"] == event_id and use["featureCode"] == feature_code:
                _send(session, use)
        asked = session.record["version"]
        answered = session.questions.ask("usage/refund", key, members, session.record)
        session.confirm(answered, asked, lambda record: record, about=key)
    except CountersignError as error:
        if not _is_for_good(error) and error.code not in _ABOUT_USE:
            session.refuse(error, key)
        raise
    said = answered.data["refund"]
    return Refund(event_id, said["amount"], said["refunded"])


def flush(session: Session) -> None:
    """Sends what waits, oldest first, until the service cannot be reached. What it refuses for good is told and dropped."""
    for use in pending_of(session.record):
        try:
            _send(session, use)
        except CountersignError as error:
            if _is_for_good(error):
                session.options.on_problem(error)
                _settle(session, use)
            elif decision_of(error) is None:
                return


def _send(session: Session, use: Members) -> None:
    """Sends one use, which has been written down. Raises why it was not counted."""
    asked = session.record["version"]
    members = {"feature_code": use["featureCode"], "amount": use["amount"], "event_id": use["eventId"]}
    if use.get("dimensions") is not None:
        members["dimensions"] = use["dimensions"]
    answered = session.questions.ask("consume", use["licenseKey"], members, session.record)

    def settled(record: Record) -> Record:
        return _without(record, use)

    session.confirm(answered, asked, settled, about=use["licenseKey"], otherwise=settled)


def _settle(session: Session, use: Members) -> None:
    session.update(lambda record: _without(record, use))


def _without(record: Record, use: Members) -> Record:
    return changed(record, pending=[one for one in record["pending"] if one["eventId"] != use["eventId"]])


def _why_not(session: Session, use: Members) -> Optional[CountersignError]:
    """Why a use that nobody can count now may not even wait; None if it may."""
    code = use["featureCode"]
    none: Mapping[str, object] = {}
    feature = next((one for one in features_of(session) if one.get("code") == code), none)
    if feature.get("enabled") is not True:
        return CountersignError("FEATURE_NOT_ENTITLED", "The license does not grant this feature.")
    pending = pending_of(session.record)
    if len(pending) > _MOST_PENDING:
        return CountersignError("TOO_MANY_PENDING", f"{_MOST_PENDING} uses wait for the service.")
    waiting = sum(one["amount"] for one in pending if one["featureCode"] == code)
    remaining = feature.get("remaining")
    if isinstance(remaining, (int, float)) and waiting > remaining:
        message = "The rest of the feature's quota is already used by events that were not sent yet."
        return CountersignError("FEATURE_QUOTA_EXCEEDED", message)
    return None
