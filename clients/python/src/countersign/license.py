"""The license in an app: asks the service, and verifies every answer."""

from __future__ import annotations

import json
import secrets
import threading
import time
import uuid
from datetime import timedelta
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from ._device import own_name
from ._keys import is_of_test, normal_key
from ._strict import Members
from ._transport import Transport
from ._trust import learn, trust_of
from .devices import OwnDevice, list_devices
from .errors import VerificationError
from .floating import Floating
from .offline import Offline
from .verify import DEFAULT_SKEW, Keys, Verified, other_environment, read_keys, verify_answer

PublicKeys = Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]


class License:
    """One license on one device. Safe to use from several threads.

    Args:
        base_url: Where the service is, such as `https://licenses.example.com`.
        license_key: As the customer typed or pasted it.
        product_code: Of your product: an answer about a license of another one is refused.
        fingerprint: What names this machine, stable over restarts. A container without one gives its names in `device`.
        device: More about the device: `hostname`, `os`, `components`, `app_version`, `is_vm`, `is_container`, …
        name_device: Whether the service is told the host's name and the system, by which a person tells devices apart
            when a seat must be freed. What `device` says goes before.
        public_keys: The answer of `GET /api/v1/system/public-keys`, or its `data`, shipped with the app: no other keys
            verify then. Without it the keys are fetched from the service, once, and again when a key is unknown. The
            first list is as good as the TLS connection it comes through; later ones must be signed by a key of the one before,
            where the service signs its list.
        timeout: How long a connection, or a silence in an answer, may take, in seconds.
        max_retries: How often a request that was not decided is sent again.
        max_delay: The longest wait before that, in seconds. A `Retry-After` beyond it is an error at once.
        skew: How far this machine's clock may be ahead.
        allow_test: Whether licenses of the test environment are taken too. Only for builds that no customer gets.
        sleep: What waits between attempts.

    Every operation raises a `ServiceError` when the service refuses, an `UnavailableError` when it cannot be reached,
    and a `VerificationError` when the answer must not be trusted. An `InputError` is a mistake of the caller's, such as a
    text that cannot be a license key (`LICENSE_KEY_MALFORMED`): nobody was asked.
    """

    def __init__(
        self,
        base_url: str,
        license_key: str,
        *,
        product_code: str,
        fingerprint: Optional[str] = None,
        device: Optional[Mapping[str, Any]] = None,
        name_device: bool = True,
        public_keys: Optional[PublicKeys] = None,
        timeout: float = 30,
        max_retries: int = 4,
        max_delay: float = 60,
        skew: timedelta = DEFAULT_SKEW,
        allow_test: bool = False,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        # Without it an answer about a license of any product would do.
        if not product_code:
            raise ValueError("product_code must be the code of your product")
        self.license_key = license_key.strip()
        self.product_code = product_code
        self.fingerprint = fingerprint
        self.skew = skew
        self.allow_test = allow_test
        named = own_name() if name_device else {}
        self._binding: Members = {**named, **(device or {}), "product_code": product_code}
        if fingerprint is not None:
            self._binding["fingerprint"] = fingerprint
        self._transport = Transport(
            base_url, timeout=timeout, max_retries=max_retries, max_delay=max_delay, sleep=sleep
        )
        self._are_pinned = public_keys is not None
        self._keys: Optional[Keys] = None if public_keys is None else read_keys(public_keys)
        self._learned: Members = {}
        self._lock = threading.Lock()
        self._device_id: Optional[str] = None
        self.floating = Floating(self)
        self.offline = Offline(self)

    @property
    def device_id(self) -> Optional[str]:
        """Of this device, as the last verified answer named it; None before the first one."""
        return self._device_id

    def activate(self, *, take_seat_of: Optional[str] = None, idempotency_key: Optional[str] = None) -> Verified:
        """Binds this device to the license and takes a seat. Repeating it has the same result.

        `take_seat_of` is the id of another device whose seat this one takes when none is free.
        """
        more = {} if take_seat_of is None else {"take_seat_of": take_seat_of}
        return self._ask("activate", more, idempotency_key)

    def devices(self) -> List[OwnDevice]:
        """The devices that hold a seat of the license, for a person to choose whose seat `take_seat` takes.

        Raises a `ServiceError`, `SELF_SERVICE_NOT_ALLOWED`, where the terms leave that to the vendor.
        """
        headers = {"Authorization": f"License {self._credential()}"}
        return list_devices(lambda path: self._transport.send("GET", path, headers), self._device_id)

    def take_seat(self, of: Union[str, OwnDevice], *, idempotency_key: Optional[str] = None) -> Verified:
        """Activates this device, and takes the seat of another one if none is free.

        That device stays out until a person activates it again. `SELF_SERVICE_LIMIT_EXCEEDED`: it was done too often.
        """
        return self.activate(take_seat_of=of if isinstance(of, str) else of.id, idempotency_key=idempotency_key)

    def validate(self) -> Verified:
        """Asks whether this device may run; the service records that it asked."""
        return self._ask("validate")

    def check(self) -> Verified:
        """The same question as `validate`, recording nothing."""
        return self._ask("check")

    def consume(
        self,
        feature_code: str,
        amount: int = 1,
        *,
        event_id: Optional[str] = None,
        dimensions: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Verified:
        """Uses up some of a metered feature.

        `event_id` makes the use count once for ever: store it with the work before you call, and give the same one
        after a crash. Without it, one is made that holds for this call and its retries. `dimensions`, such as
        `{"model": "large"}`, are what usage is grouped by in reports.
        """
        event = str(uuid.uuid4()) if event_id is None else event_id
        members: Dict[str, object] = {"feature_code": feature_code, "amount": amount, "event_id": event}
        if dimensions is not None:
            members["dimensions"] = dict(dimensions)
        return self._ask("consume", members, idempotency_key)

    def refund(
        self, feature_code: str, event_id: str, amount: Optional[int] = None, *, idempotency_key: Optional[str] = None
    ) -> Verified:
        """Gives back a use of this device, whole or in part, where the terms of the license allow it.

        `data["refund"]` says how much. To repeat the refund of a part after a crash, give the same `idempotency_key`.
        """
        members: Dict[str, object] = {"feature_code": feature_code, "event_id": event_id}
        if amount is not None:
            members["amount"] = amount
        return self._ask("usage/refund", members, idempotency_key)

    def deactivate(self, *, idempotency_key: Optional[str] = None) -> Verified:
        """Gives the seat of this device back."""
        return self._ask("deactivate", {}, idempotency_key)

    def revocations(self) -> Verified:
        """The newest signed list of revoked licenses, keys and offline files, for machines without a network."""
        return self._verified(self._transport.send("GET", "/api/v1/license/revocations", {}))

    @property
    def keys(self) -> Keys:
        """The public keys that verify: those that were pinned, or else those that the service publishes."""
        keys = self._keys
        return self._fetch_keys() if keys is None else keys

    def _fetch_keys(self) -> Keys:
        """The keys of the service's list: the first is believed, and then those that its keys have signed.

        Nobody who has keys waits for the list of another thread.
        """
        before = self._learned
        body = self._transport.send("GET", "/api/v1/system/public-keys", {})
        with self._lock:
            try:
                self._learned = learn(body, [], self._learned)
            except VerificationError:
                # Another thread may have had a later list meanwhile.
                if self._learned is before:
                    raise
            self._keys = trust_of([], self._learned).keys
            return self._keys

    def _credential(self) -> str:
        """The key as it is sent. One of another environment is refused before anybody is asked."""
        key = normal_key(self.license_key)
        if is_of_test(key) and self.allow_test is not True:
            raise other_environment("license key", "test")
        return key

    def _send(
        self,
        operation: str,
        members: Mapping[str, Any],
        idempotency_key: Optional[str] = None,
        once_within: Optional[float] = None,
    ) -> bytes:
        """Sends one question of an app, with one Idempotency-Key over all attempts."""
        headers = {
            "Authorization": f"License {self._credential()}",
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()) if idempotency_key is None else idempotency_key,
        }
        body = json.dumps(members).encode("utf-8")
        return self._transport.send("POST", f"/api/v1/license/{operation}", headers, body, once_within=once_within)

    def _ask(
        self,
        operation: str,
        more: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        *,
        is_bound: bool = True,
        once_within: Optional[float] = None,
    ) -> Verified:
        """Sends a question with a nonce of its own, and verifies the answer. A lease stands for its binding."""
        # Whoever repeats a request with its key, after a crash, repeats it whole: the nonce follows from the key then.
        nonce = secrets.token_urlsafe(16) if idempotency_key is None else nonce_of(operation, idempotency_key)
        binding = self._binding if is_bound else {}
        body = self._send(operation, {**binding, **(more or {}), "nonce": nonce}, idempotency_key, once_within)
        verified = self._verified(body, nonce, self.product_code)
        self._device_id = verified.device_id
        return verified

    def _verified(self, body: bytes, nonce: Optional[str] = None, product_code: Optional[str] = None) -> Verified:
        def verify(keys: Keys) -> Verified:
            return verify_answer(
                body, keys, nonce=nonce, product_code=product_code, skew=self.skew, allow_test=self.allow_test
            )

        try:
            return verify(self.keys)
        except VerificationError as error:
            if error.code != "unknown_key" or self._are_pinned:
                raise
        # The service has a new one; or the list was somebody else's, which said that its keys were revoked.
        return verify(self._fetch_keys())


def nonce_of(operation: str, idempotency_key: str) -> str:
    """The nonce of a request that has a key of the caller's."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{operation} {idempotency_key}").hex
