"""Signing a person in by a mail to his or her address, where a license trusts no identity provider."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Mapping, Optional

from .._strict import Members
from ..errors import CountersignError, ServiceError, VerificationError
from .questions import at, milliseconds
from .record import changed
from .session import Session
from .standing import Standing
from .user import MAIL_SIGN_IN, USER_SIGN_IN, signed_in_user

_ASKED_EVERY = 5.0
"""The pause between two questions whether a link is confirmed, in seconds."""


def user_of(data: Members) -> Mapping[str, Any]:
    """The user of a signed answer, as it is kept, with the renewal where it has one."""
    user = signed_in_user(data, milliseconds(data.get("valid_until")))
    token = data.get("renewal_token")
    if not isinstance(token, str):
        return user
    renewal = {
        "token": token,
        "until": milliseconds(data.get("renewal_until")),
        "at": milliseconds(data.get("issued_at")),
    }
    return {**user, "renewal": renewal}


@dataclass(frozen=True)
class MailSignInPrompt:
    """A sign-in by mail that has begun: show `reference`, which the mail shows, too, and a field for the code.

    Attributes:
        reference: Four characters, by which the person knows that the mail is of this sign-in.
        expires_at: When it is over.
    """

    reference: str
    expires_at: datetime
    _session: Session
    _token: str
    _sign_in: Callable[[Mapping[str, Any], Optional[bool]], Standing]

    def finish(
        self,
        *,
        code: Optional[str] = None,
        activate: Optional[bool] = None,
        stop: Optional[threading.Event] = None,
    ) -> Standing:
        """Signs the person in as `sign_in_user` does: by the `code` of the mail, or without one once its link is confirmed.

        Without a code it waits; `stop` ends the wait. Raises a `CountersignError`: `MAILBOX_NOT_PROVEN` for a wrong code, and
        for a sign-in that is over or was stopped; or as `sign_in_user` does.
        """
        session, stopped = self._session, threading.Event() if stop is None else stop
        proof = {} if code is None else {"mail_code": code}
        members = {"mail_sign_in_token": self._token, "fingerprint": session.options.fingerprint, **proof}
        while True:
            try:
                return self._sign_in(members, activate)
            except ServiceError as error:
                is_pending = error.code == "MAILBOX_NOT_PROVEN" and error.detail == "pending"
                if code is not None or not is_pending or at(session.time.now()) > self.expires_at:
                    raise
                if session.options.clock.wait(stopped, _ASKED_EVERY):
                    raise


def start_mail_sign_in(
    session: Session, email: str, key: str, sign_in: Callable[[Mapping[str, Any], Optional[bool]], Standing]
) -> MailSignInPrompt:
    """Begins a sign-in by a mail to an address."""
    answer = session.questions.ask(MAIL_SIGN_IN, key, {"email": email}, session.record)
    data = answer.data
    token, reference = data.get("sign_in_token"), data.get("reference")
    if not isinstance(token, str) or not isinstance(reference, str):
        raise VerificationError("malformed", "The signed data begins no sign-in")
    # By how long it lasts from now on: this machine's clock may be ahead of the service's.
    lasts = milliseconds(data.get("valid_until")) - milliseconds(data.get("issued_at"))
    return MailSignInPrompt(reference, at(session.time.now() + lasts), session, token, sign_in)


def renew_user(session: Session, key: str) -> None:
    """Renews the credential of a person who signed in by mail, once half of its time is over.

    What fails leaves the one that there is, and is told to `on_problem`.
    """
    user: Mapping[str, Any] = session.record.get("user") or {}
    renewal, now = user.get("renewal"), session.time.now()
    if renewal is None or now < (renewal["at"] + user["until"]) / 2 or now > renewal["until"]:
        return
    members = {"renewal_token": renewal["token"], "fingerprint": session.options.fingerprint}
    try:
        renewed = user_of(session.questions.ask(USER_SIGN_IN, key, members, session.record).data)
    except CountersignError as error:
        session.options.on_problem(error)
        return
    session.update(
        lambda record: changed(record, user=renewed) if (record.get("user") or {}).get("id") == renewed["id"] else record
    )
