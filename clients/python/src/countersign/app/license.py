"""The license in an app: how it stands, and what changes that."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterable, List, Mapping, Optional, Tuple, Union

from .._keys import normal_key
from ..devices import OwnDevice
from ..errors import CountersignError, VerificationError
from ..receipts import VerifiedReceipt
from .clock import AppClock
from .consumption import Refund, Use, consume, features_of, flush, refund
from .device_flow import DeviceFlow, UserCode, start_device_flow
from .floating import FloatingSeat
from .keys import listed_keys
from .mail_sign_in import MailSignInPrompt, renew_user, start_mail_sign_in, user_of
from .options import LicenseOptions
from .questions import Answered, ProvenRefusal, at, decision_of, is_moved, milliseconds, problem_of
from .record import Record, changed, for_key, of_nobody
from .session import Session
from .standing import Standing
from .states import is_released
from .store import LicenseStore
from .user import USER_SIGN_IN
from .watch import Watch

PublicKeys = Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]


@dataclass(frozen=True)
class UserSignInPrompt(UserCode):
    """A sign-in by another device that has begun: show the code and the page to the person, then call `finish`."""

    _flow: DeviceFlow
    _sign_in: Callable[[str, Optional[bool]], Standing]

    def finish(self, *, activate: Optional[bool] = None, stop: Optional[threading.Event] = None) -> Standing:
        """Waits until the person has signed in, and signs the person in to the license as `sign_in_user` does.

        `stop` ends the wait. Raises a `SignInError`: `SIGN_IN_DENIED`, `SIGN_IN_EXPIRED` or `SIGN_IN_FAILED`; or as
        `sign_in_user` does.
        """
        return self._sign_in(self._flow.id_token(stop), activate)


class AppLicense:
    """A license in an app; `open_license` makes it. Safe to use from several threads.

    It runs on while the service is away, for as long as the service signed and the vendor's grace allows, and stops at
    once when the service refuses it, which it signs: what anybody can say stops nothing.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._floating = FloatingSeat(session)
        self._checking = threading.Lock()
        # The key that a person gave last, be it refused.
        self._given: Optional[str] = None
        self._signed_in: Optional[Tuple[str, Mapping[str, Any]]] = None

    @property
    def standing(self) -> Standing:
        """How the license stands at this moment, as far as this process knows."""
        session = self._session
        found = session.standing
        until = None if found.until is None else at(found.until)
        return Standing(found.state, found.reason, until, found.error, session.time.is_set_back, session.data)

    def feature(self, code: str) -> Optional[Mapping[str, Any]]:
        """What the license grants of a feature; None if it does not, or may not run."""
        if not self._session.is_running:
            return None
        granted = (one for one in features_of(self._session) if one.get("code") == code and one.get("enabled") is True)
        return next(granted, None)

    def custom_field(self, code: str) -> Union[bool, int, str, None]:
        """The value of a custom field, as the service signed it; None if the license has none, or may not run."""
        fields = (self._session.data or {}).get("custom_fields") if self._session.is_running else None
        value = fields.get(code) if isinstance(fields, Mapping) else None
        return value if isinstance(value, (bool, int, str)) else None

    def on_change(self, listener: Callable[[Standing], object]) -> Callable[[], None]:
        """Calls a listener at every change, of whichever process, as this one learns of it. Answers what ends that."""
        return self._session.on_change(lambda: listener(self.standing))

    def activate(self, license_key: str) -> Standing:
        """Activates this device with a license key, as a person typed or pasted it.

        Raises a `CountersignError` if it is refused or nobody can be asked, an `InputError` if it cannot be a key; a license
        that runs then goes on running.
        """
        key = self._given = normal_key(license_key)
        return self._adopt(key, lambda: self._session.questions.ask("activate", key, {}, self._session.record))

    def devices(self) -> List[OwnDevice]:
        """The devices that hold a seat of the license, for a person to choose whose seat `take_seat` takes.

        It is the license of the key that was given last, be it refused because no seat is free, or that the app has. Raises
        a `CountersignError`, with `SELF_SERVICE_NOT_ALLOWED` where the terms leave that to the vendor.
        """
        session = self._session
        session.sync()
        named = (session.data or {}).get("device_id")
        device_id = named if isinstance(named, str) else None
        key = self._given or self._key()
        return session.questions.list_devices(key, device_id, self._record_as(key))

    def take_seat(self, of: Union[str, OwnDevice]) -> Standing:
        """Activates this device with the key that `devices` is about, and takes the seat of another if none is free.

        That device stays out until a person activates it again. Raises as `activate` does, with
        `SELF_SERVICE_LIMIT_EXCEEDED` when that was done too often.
        """
        session = self._session
        session.sync()
        key = self._given or self._key()
        members = {"take_seat_of": of if isinstance(of, str) else of.id}
        user = self._signed_in[1] if self._signed_in is not None and self._signed_in[0] == key else None
        return self._adopt(key, lambda: session.questions.ask("activate", key, members, self._record_as(key)), user)

    def _record_as(self, key: str) -> Record:
        """The record by which is asked about a key: in the name of who signed in to it, also before this device has a seat."""
        record = self._session.record
        if self._signed_in is None or self._signed_in[0] != key:
            return record
        return changed(for_key(record, key), user=self._signed_in[1])

    @property
    def user(self) -> Optional[Mapping[str, Any]]:
        """The user who is signed in (`id`, `until`, and `email` and `name` where they are known).

        None where nobody is, or the sign-in has ended. Sign in again before `until`, in Unix milliseconds.
        """
        user: Optional[Mapping[str, Any]] = self._session.record.get("user")
        return user if user is not None and user["until"] > self._session.time.now() else None

    def sign_in_user(
        self,
        id_token: str,
        *,
        nonce: Optional[str] = None,
        license_key: Optional[str] = None,
        activate: Optional[bool] = None,
    ) -> Standing:
        """Signs a person in to a license with users, by an ID token, and activates this device for the person.

        The ID token is of the identity provider that the license trusts; `nonce` is the one that the app had asked it for. With
        `activate=False`, or where the license is used by floating seats, no activation seat is taken. Raises a
        `CountersignError` if it is refused, such as `USER_NOT_ALLOWED`.
        """
        self._session.sync()
        members = {"id_token": id_token, **({} if nonce is None else {"id_token_nonce": nonce})}
        return self._sign_in(self._key_given(license_key), members, activate)

    def _sign_in(self, key: str, members: Mapping[str, Any], activate: Optional[bool]) -> Standing:
        """Signs a person in by a proof, and activates this device for the person."""
        session = self._session
        user = user_of(session.questions.ask(USER_SIGN_IN, key, members, session.record).data)
        # A refused activation does not forget who it is.
        self._given, self._signed_in = key, (key, user)
        activates = not session.record.get("isFloating") if activate is None else activate
        if activates:
            token = {"user_token": user["token"]}
            return self._adopt(key, lambda: session.questions.ask("activate", key, token, session.record), user)
        session.update(lambda record: changed(for_key(record, key), user=user))
        return self.check()

    def start_user_sign_in(
        self, *, license_key: Optional[str] = None, scope: str = "openid profile email"
    ) -> UserSignInPrompt:
        """Begins a sign-in for a person who has a browser on another device.

        Answers a code and a page to show, and what then waits. Raises a `SignInError`, with `SIGN_IN_UNSUPPORTED` where the
        identity provider of the license has no such sign-in, or a `CountersignError` such as `USER_NOT_ALLOWED`.
        """
        session = self._session
        session.sync()
        key = self._key_given(license_key)
        issuer, client_id = session.questions.find_issuer(key, session.record)
        flow = start_device_flow(session.options.clock, issuer, client_id, scope)

        def sign_in(id_token: str, activate: Optional[bool]) -> Standing:
            return self.sign_in_user(id_token, license_key=key, activate=activate)

        return UserSignInPrompt(
            flow.user_code, flow.verification_uri, flow.verification_uri_complete, flow.lifetime, flow, sign_in
        )

    def start_mail_sign_in(self, email: str, *, license_key: Optional[str] = None) -> MailSignInPrompt:
        """Begins a sign-in by a mail to an address that was invited, where the license trusts no identity provider.

        Answers what to show, and what then takes the code or waits for the link. The sign-in is renewed by itself afterwards, for
        90 days on this machine. Raises a `CountersignError` such as `USER_NOT_ALLOWED`; whether an address is invited is not told.
        """
        self._session.sync()
        key = self._key_given(license_key)

        def sign_in(members: Mapping[str, Any], activate: Optional[bool]) -> Standing:
            return self._sign_in(key, members, activate)

        return start_mail_sign_in(self._session, email, key, sign_in)

    def start_trial(self, publishable_key: str) -> Standing:
        """Opens the trial of this device by a publishable key, or goes on with the one that runs. Raises as `activate` does."""
        key = publishable_key.strip()
        return self._adopt(None, lambda: self._session.questions.ask("trials", key, {}, self._session.record))

    def check(self) -> Standing:
        """Asks the service whether this device may run, at the start of the app.

        It raises nothing: without an answer the standing is that of what is kept. Activates again where the seat of the
        device lapsed; sends the uses that wait.
        """
        with self._checking:
            session = self._session
            session.sync()
            is_copied, key = session.is_copied, session.license_key
            if key is None or session.is_given_back:
                return self.standing
            with session.questions.one_list():
                renew_user(session, key)
                try:
                    self._ask(key, is_copied)
                    flush(session)
                except CountersignError as error:
                    # Whoever copied a store is told what it is, and not what the service says of a device that was never activated.
                    if not (is_copied and error.code == "DEVICE_NOT_ACTIVATED"):
                        session.refuse(error, key)
                    session.relearn()
        return self.standing

    def watch(self, listener: Optional[Callable[[Standing], object]] = None) -> Watch:
        """Keeps checking in a thread, when the service said it should, later where it cannot be reached.

        It notices what other processes learn, and keeps a floating seat by heartbeats. The listener is told of every
        change, in the thread that learned of it. `stop()` of what is answered ends it; use it in a `with` block.
        """
        silence = (lambda: None) if listener is None else self.on_change(listener)
        return Watch(self._session, self._floating, self.check, silence)

    def consume(
        self,
        feature_code: str,
        amount: int = 1,
        *,
        event_id: Optional[str] = None,
        dimensions: Optional[Mapping[str, str]] = None,
    ) -> Use:
        """Uses up some of a metered feature, once, however often the app or its network fails.

        The use is kept before it is sent. Without the service it waits (`pending`), as long as what is left of the quota
        covers it. An `event_id` of your own makes a repetition by your program count once. `dimensions`, such as
        `{"model": "large"}`, are what usage is grouped by in reports. Raises a `CountersignError` if it is refused.
        """
        return consume(self._session, feature_code, amount, event_id, dimensions)

    def refund(self, feature_code: str, event_id: str, amount: Optional[int] = None) -> Refund:
        """Refunds usage of this device that came to nothing, by its `event_id`, whole or in part, where the terms allow it.

        Needs the service: nothing waits. Raises a `CountersignError`: `REFUND_NOT_ALLOWED` where the terms do not allow it or
        not any more, `STATE_CONFLICT` where it was refunded already.
        """
        return refund(self._session, feature_code, event_id, amount)

    def receipt(self, event_id: str, feature_code: Optional[str] = None) -> VerifiedReceipt:
        """The proof that a use is in the vendor's event log, verified; keep its `text` for disputes.

        `feature_code` is needed where one `event_id` was counted for several features. Raises a `CountersignError`:
        `UNAVAILABLE` until a checkpoint covers the use, about a second, and `NOT_FOUND` for usage of others.
        """
        self._session.sync()
        return self._session.questions.fetch_receipt(self._key(), event_id, feature_code, self._session.record)

    def acquire(self, license_key: Optional[str] = None) -> Standing:
        """Takes a floating seat; `watch` then keeps it. A key is needed the first time.

        Raises as `activate` does; with `FLOATING_LIMIT_EXCEEDED` when none is free.
        """
        self._session.sync()
        key = self._given = self._key() if license_key is None else normal_key(license_key)
        return self._attempt(key, lambda: self._floating.acquire(key))

    def release(self) -> Standing:
        """Gives the floating seat back. Raises if the service cannot be told; the seat is then free when its lease runs out."""
        self._floating.release(self._key())
        return self.standing

    def go_offline(self) -> Standing:
        """Fetches an envelope by which the app runs without a network, for as long as the terms say, and keeps it.

        Each has the full time anew. Raises if the terms do not allow it (`OFFLINE_NOT_ALLOWED`), or nobody can be asked.
        """
        session = self._session
        session.sync()
        key = self._key()
        named = (session.data or {}).get("device_id")
        if not isinstance(named, str):
            raise _no_license()
        device_id: str = named

        def fetch() -> None:
            opened, learned = session.questions.fetch_envelope(key, device_id, session.record)
            envelope = {"text": opened.envelope, "deviceId": device_id}

            def kept(record: Record) -> Record:
                if session.key_of(record) != key:
                    raise CountersignError("NO_LICENSE", "The app has another license by now.")
                counter = opened.offline_counter
                return changed(session.with_learned(record, learned), licenseKey=key, envelope=envelope, counter=counter)

            session.update(
                kept,
                heard=milliseconds(opened.data.get("issued_at")),
                moved=is_moved(opened.data),
                must_keep=True,
            )

        return self._attempt(key, fetch)

    def keep_offline(self, file: Union[str, bytes], license_key: Optional[str] = None) -> Standing:
        """Takes over an offline file (`.lic`) of this machine, its bytes or its text as it came by mail. Asks nobody.

        With it comes a license that the app has not yet. A file of later than a refusal lifts it. Raises, and keeps what
        there was, a `VerificationError`: `license_key_invalid` or `cannot_decrypt` with another key, `device_mismatch`,
        `product_mismatch`, `expired`, `rolled_back` where a later one was had, `unknown_key`; and a `CountersignError`
        with the code of a refusal that was signed later.
        """
        session = self._session
        session.sync()
        key = self._key_given(license_key)
        opened, envelope, learned = session.questions.open_file(file, key, for_key(session.record, key))
        issued_at = milliseconds(opened.data.get("issued_at"))
        # A clock that is earlier than the file was set back, or never set.
        if max(session.time.now(), issued_at) > milliseconds(opened.data.get("valid_until")):
            raise VerificationError("expired", "The time of the file is over")

        def kept(current: Record) -> Record:
            record = for_key(current, key)
            refusal = record.get("refusal")
            if refusal is not None and _refused_at(refusal) >= issued_at:
                message = "The service refused the license after the file was issued"
                raise CountersignError(refusal["code"], message)
            return changed(
                session.with_learned(record, learned),
                envelope=envelope,
                counter=max(record.get("counter", 0), opened.offline_counter),
                refusal=None,
                isGivenBack=None,
            )

        session.update(kept, at_least=issued_at, moved=is_moved(opened.data), must_keep=True)
        return self.standing

    def deactivate(self) -> Standing:
        """Gives this device's seat back, for another device.

        Raises if the service cannot be told: the device then keeps its seat and the app its license.
        """
        session = self._session
        session.sync()
        key = self._key()
        flush(session)
        try:
            session.questions.ask("deactivate", key, {}, session.record)
        except CountersignError as error:
            # Whoever has no seat left has none to give back.
            if decision_of(error) is None:
                raise
        session.forget_seat()
        session.update(
            lambda record: {**of_nobody(record), "isGivenBack": True}, is_weighty=True, must_keep=True
        )
        return self.standing

    def _key_given(self, license_key: Optional[str]) -> str:
        return (self._given or self._key()) if license_key is None else normal_key(license_key)

    def _key(self) -> str:
        key = self._session.license_key
        if key is None:
            raise _no_license()
        return key

    def _attempt(self, key: Optional[str], action: Callable[[], None]) -> Standing:
        """Runs what asks about the license of a key, and takes in a refusal of it."""
        try:
            action()
        except CountersignError as error:
            self._session.refuse(error, key)
            raise
        return self.standing

    def _adopt(
        self, license_key: Optional[str], ask: Callable[[], Answered], user: Optional[Mapping[str, Any]] = None
    ) -> Standing:
        """Takes over a license that this device was activated with."""
        session = self._session

        def adopt() -> None:
            session.sync()
            asked = session.record["version"]
            answered = ask()
            given = answered.data.get("license_key") if license_key is None else license_key
            if not isinstance(given, str):
                raise CountersignError("LICENSE_KEY_REPLACED", "The trial's license has another key now.")
            key: str = given
            def adopted(before: Record) -> Record:
                record = for_key(before, key)
                known = record.get("user") if user is None else user
                return changed(record, user=known, isFloating=None, lease=None, seats=None)

            session.confirm(answered, asked, adopted)

        return self._attempt(license_key, adopt)

    def _ask(self, key: str, is_copied: bool) -> None:
        session = self._session
        if session.record.get("isFloating"):
            return self._floating.renew(key)
        asked = session.record["version"]
        try:
            answered = session.questions.ask("validate", key, {}, session.record)
        except CountersignError as error:
            is_lapsed = isinstance(error, ProvenRefusal) and error.code == "DEVICE_NOT_ACTIVATED"
            if not is_lapsed or is_released(problem_of(error)) or is_copied:
                raise
            # It was away for long, and its seat lapsed.
            answered = session.questions.ask("activate", key, {}, session.record)
        session.confirm(answered, asked, lambda record: for_key(record, key), about=key)


def open_license(
    base_url: str,
    *,
    product_code: str,
    public_keys: PublicKeys,
    store: LicenseStore,
    fingerprint: str,
    device: Optional[Mapping[str, Any]] = None,
    name_device: bool = True,
    grace_days: float = 7,
    license_key: Optional[str] = None,
    process_id: Optional[str] = None,
    key_rotation: str = "fetch",
    allow_test: bool = False,
    timeout: float = 10,
    max_retries: int = 1,
    on_problem: Callable[[BaseException], object] = lambda _: None,
    clock: Optional[AppClock] = None,
    sleep: Callable[[float], object] = time.sleep,
) -> AppLicense:
    """Opens the license of an app: reads what is kept and verifies it again, without the network. Then call `check()`.

    Args:
        base_url: Where the service is, such as `https://licenses.example.com`.
        product_code: Of your product: a license of another one is refused.
        public_keys: The answer of `GET /api/v1/system/public-keys`, or its `data`, shipped with the app.
        store: Where the license is kept, such as a `FileStore`.
        fingerprint: What names this machine, such as `fingerprint()` answers; the same at every start.
        device: More about the device: `hostname`, `os`, `components`, `app_version`, `is_container`, …
        name_device: Whether the service is told the host's name and the system, by which a person tells devices apart
            when a seat must be freed. What `device` says goes before.
        grace_days: For how many days the app runs on after the last answer's `valid_until` when the service cannot be
            reached. A trial never runs beyond its end.
        license_key: A license key that the app has from elsewhere; it is activated by the first check if it must be.
        process_id: What this process is called among those of the device, where the terms give each process a floating seat
            (`lease_unit`): it then has one of its own, and the same name at the next start has it back after a crash.
            Left out, the processes of this device share one.
        key_rotation: What to do with an answer signed by a key that is not pinned: `fetch` reads the published keys
            again, over TLS or from this machine only; `pinned` refuses it, so that a new key needs a new version of the app.
        allow_test: Whether the app runs on licenses of the test environment too, and takes their clock, which may be ahead. Only
            for builds that no customer gets: anybody who may test could license them.
        timeout: How long one attempt may take, in seconds.
        max_retries: How often a request that was not decided is sent again.
        on_problem: Told of what went wrong beside the license, as a store that cannot be written.
        clock: The clock and the waits; for tests.
        sleep: What waits between attempts.

    Raises a `ValueError` where the arguments make no sense, as without a pinned key.
    """
    session = Session(
        LicenseOptions(
            base_url=base_url,
            product_code=product_code,
            public_keys=listed_keys(public_keys or []),
            store=store,
            fingerprint=fingerprint,
            device=device or {},
            name_device=name_device,
            grace_days=grace_days,
            license_key=license_key,
            process_id=process_id,
            key_rotation=key_rotation,
            allow_test=allow_test,
            timeout=timeout,
            max_retries=max_retries,
            on_problem=on_problem,
            clock=AppClock() if clock is None else clock,
            sleep=sleep,
        )
    )
    session.sync()
    return AppLicense(session)


def _refused_at(refusal: Mapping[str, Any]) -> int:
    """When a refusal that is kept was signed; 0 where it proves nothing."""
    statement = (refusal.get("proof") or {}).get("statement")
    data = statement.get("data") if isinstance(statement, dict) else None
    try:
        return milliseconds(data.get("issued_at") if isinstance(data, dict) else None)
    except VerificationError:
        return 0


def _no_license() -> CountersignError:
    return CountersignError("NO_LICENSE", "The app has no license yet.")
