"""Asks the service, and verifies what it answers and what was kept of that."""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, ContextManager, Dict, List, Mapping, Optional, Set, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from .._device import own_name
from .._envelope import envelope_text, read_envelope
from .._keys import is_of_test, normal_key, normal_token
from .._strict import Members, instant, parse_object
from .._transport import Transport
from .._trust import KeyTrust, is_to_be_listed, learn, trust_of, with_learned
from ..devices import OwnDevice, list_devices
from ..errors import CountersignError, ServiceError, UnavailableError, VerificationError
from ..receipts import VerifiedReceipt, verify_receipt
from ..verify import (
    Keys,
    VerifiedOffline,
    VerifiedRefusal,
    other_environment,
    refusal_binding,
    statement_of,
    verify_answer,
    verify_offline,
    verify_statement,
)
from .keys import Listing, is_trusted_way
from .options import LicenseOptions
from .record import Record
from .states import Problem, reason_of
from .user import OF_PERSON, user_issuer, user_members

A = TypeVar("A")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Fresh or kept, an answer's time is judged elsewhere: by the machine, on a clock with a floor.
_WHENEVER = _EPOCH
_ANY_CLOCK = timedelta(days=365 * 1000)


class OtherDevice(CountersignError):
    """An answer or what was kept of it is another device's."""

    def __init__(self) -> None:
        super().__init__("device_mismatch", "The signed response is for another device")


class ProvenRefusal(ServiceError):
    """A refusal that a trusted key signed, for the very question that was asked: its code and its detail are the signed ones.

    Attributes:
        proof: What is kept, to verify it again.
        learned: What was learned of keys.
    """

    def __init__(self, error: ServiceError, signed: VerifiedRefusal, proof: Members, learned: Members) -> None:
        super().__init__(
            signed.code,
            error.message,
            error.status,
            request_id=error.request_id,
            doc_url=error.doc_url,
            fields=error.fields,
            retry_after=error.retry_after,
            body=error.body,
        )
        self.detail = signed.detail
        self.proof = proof
        self.learned = learned


def decision_of(error: CountersignError) -> Optional[str]:
    """What an error decides about the license; None where it decides nothing, as what nobody signed never does."""
    return reason_of(problem_of(error)) if isinstance(error, ProvenRefusal) else None


def is_other_environment(error: CountersignError) -> bool:
    """Whether an error says that a license is of another environment than the app may run on."""
    return isinstance(error, VerificationError) and error.code == "environment_mismatch"


def is_moved(data: Mapping[str, Any]) -> bool:
    """Whether signed data is of the test environment, whose clock may be moved."""
    return data.get("environment") == "test"


@dataclass(frozen=True)
class Answered:
    """A signed answer to a question of this moment, verified. Its instant is in Unix milliseconds."""

    data: Members
    text: str
    nonce: str
    issued_at: int
    learned: Members


def problem_of(error: CountersignError) -> Problem:
    """What went wrong, for the machine and for logs."""
    return Problem(error.code, error.message, error.detail if isinstance(error, ServiceError) else None)


def milliseconds(text: Any) -> int:
    """An RFC 3339 instant in Unix milliseconds. Raises a `VerificationError` for anything else."""
    return (instant(text) - _EPOCH) // timedelta(milliseconds=1)


def at(unix_milliseconds: int) -> datetime:
    """The date-time of an instant in Unix milliseconds."""
    return _EPOCH + timedelta(milliseconds=unix_milliseconds)


class Questions:
    """What an app asks. Raises a `ServiceError`, an `UnavailableError` or a `VerificationError`."""

    def __init__(self, options: LicenseOptions) -> None:
        self._options = options
        self._transport = Transport(
            options.base_url, timeout=options.timeout, max_retries=options.max_retries, sleep=options.sleep
        )
        self._may_fetch_keys = options.key_rotation != "pinned" and is_trusted_way(options.base_url)
        named = own_name() if options.name_device else {}
        self._listing = Listing()
        self._device: Members = {**named, **options.device, "fingerprint": options.fingerprint}
        self._binding = hashlib.sha256(binding_key(self._device).encode("utf-8")).hexdigest()

    def ask(
        self, operation: str, key: str, members: Mapping[str, Any], record: Record, once_within: Optional[float] = None
    ) -> Answered:
        """Asks, and verifies the answer: the key, the signature, the nonce of this very question, product and device."""
        nonce = secrets.token_hex(16)
        # A lease names its device by its token, and a sign-in is of a person.
        about = {} if "lease_token" in members or operation in OF_PERSON else self._about
        question = {**about, **user_members(operation, record, key), **members, "nonce": nonce}
        text = self._send(operation, key, question, record, once_within).decode("utf-8", "replace")
        verify = self._verify_plain if operation in OF_PERSON else self._verify
        data, learned = self._with_keys(record, lambda keys: verify(text, nonce, keys))
        return Answered(data, text, nonce, milliseconds(data.get("issued_at")), learned)

    def list_devices(self, key: str, device_id: Optional[str], record: Record) -> List[OwnDevice]:
        """The devices that hold a seat, newest first; of a license with users those of the person, and of nobody."""
        headers = self._headers("devices", key, record)
        return list_devices(lambda path: self._transport.send("GET", path, headers), device_id)

    def find_issuer(self, key: str, record: Record) -> Tuple[str, str]:
        """Where the users of a license sign in, verified: the issuer, and the client ID of the app there."""
        nonce = secrets.token_hex(16)
        headers = {"Authorization": f"License {self._credential('users/issuer', key)}", "X-Nonce": nonce}
        text = self._transport.send("GET", "/api/v1/license/users/issuer", headers).decode("utf-8", "replace")
        data, _ = self._with_keys(record, lambda keys: self._verify_plain(text, nonce, keys))
        return user_issuer(data)

    def fetch_receipt(
        self, key: str, event_id: str, feature_code: Optional[str], record: Record
    ) -> VerifiedReceipt:
        """The receipt of a use, verified."""
        nonce = secrets.token_hex(16)
        query = {"event_id": event_id, **({} if feature_code is None else {"feature_code": feature_code})}
        headers = {**self._headers("receipt", key, record), "X-Nonce": nonce}
        body = self._transport.send("GET", f"/api/v1/license/receipt?{urlencode(query)}", headers)

        def verify(keys: Keys) -> VerifiedReceipt:
            return verify_receipt(body, keys, event_id=event_id, nonce=nonce, allow_test=self._options.allow_test is True)

        return self._with_keys(record, verify)[0]

    def _headers(self, operation: str, key: str, record: Record) -> Dict[str, str]:
        """Headers of a request without a body: the license, and the person who is signed in."""
        token = user_members(operation, record, key).get("user_token")
        user = {} if token is None else {"X-User-Token": token}
        return {"Authorization": f"License {self._credential(operation, key)}", **user}

    def fetch_envelope(self, key: str, device_id: str, record: Record) -> Tuple[VerifiedOffline, Members]:
        """Fetches an offline envelope; answers it opened, and what was learned."""
        nonce = secrets.token_hex(16)
        answer = parse_object(self._send("offline", key, {**self._about, **user_members("offline", record, key), "nonce": nonce}, record))
        text = json.dumps(answer.get("data"))

        def opening(keys: Keys) -> VerifiedOffline:
            return self._open(text, key, device_id, record, keys, _WHENEVER, _ANY_CLOCK)

        opened, learned = self._with_keys(record, opening)
        if opened.data.get("nonce") != nonce:
            raise VerificationError("nonce_mismatch", "The envelope belongs to another request")
        return opened, learned

    def verify_kept(self, record: Record) -> Members:
        """Verifies an answer that was kept, whenever that was."""
        answer = record["answer"]
        return self._verify(answer["text"], answer["nonce"], self._known(record))

    def verify_kept_refusal(self, record: Record) -> Optional[Problem]:
        """Verifies a refusal that was kept, for the key and the device of today; None where it proves nothing."""
        try:
            signed = self._verify_refusal(record)
        except CountersignError:
            return None
        return None if signed is None else Problem(signed.code, record["refusal"]["message"], signed.detail)

    def _verify_refusal(self, record: Record) -> Optional[VerifiedRefusal]:
        refusal = record.get("refusal", {})
        key = record.get("licenseKey", self._options.license_key)
        if "proof" not in refusal or key is None:
            return None
        # The key as it was sent, and not as it was typed.
        credential = hashlib.sha256(normal_key(key).encode("utf-8")).hexdigest()
        binding = {**refusal["proof"]["binding"], "credentialHash": credential}
        return self._verify_proof({**refusal["proof"], "binding": binding}, self._known(record))

    def open_file(self, file: Union[str, bytes], key: str, record: Record) -> Tuple[VerifiedOffline, Members, Members]:
        """Opens a file of this device, whenever it was issued; answers it as it is kept, and what was learned."""
        sealed = read_envelope(envelope_text(file))
        named = sealed.get("device_id")
        device_id, text = named if isinstance(named, str) else "", json.dumps(sealed)

        def opening(keys: Keys) -> VerifiedOffline:
            return self._open_sealed(text, key, device_id, record, keys)

        try:
            opened, learned = self._with_keys(record, opening)
        except (ServiceError, UnavailableError):
            # Where nobody can be asked of its key, it is a key that is not known.
            opened, learned = opening(self._known(record)), {}
        return opened, {"text": text, "deviceId": device_id}, learned

    def open_envelope(self, record: Record) -> VerifiedOffline:
        """Opens an envelope that was kept, whenever that was."""
        envelope = record["envelope"]
        return self._open_sealed(
            envelope["text"], record["licenseKey"], envelope["deviceId"], record, self._known(record)
        )

    def _open_sealed(self, text: str, key: str, device_id: str, record: Record, keys: Keys) -> VerifiedOffline:
        opened = self._open(text, key, device_id, record, keys, _WHENEVER, _ANY_CLOCK)
        self._check_device(opened.data)
        return opened

    @property
    def _about(self) -> Members:
        return {**self._device, "product_code": self._options.product_code}

    def _known(self, record: Record) -> Keys:
        return self._trust(record).keys

    def _trust(self, record: Record) -> KeyTrust:
        """What verifies. What was fetched once is not believed by an app that pins: it could never ask again."""
        return trust_of(self._options.public_keys, {} if self._options.key_rotation == "pinned" else record)

    def _send(
        self,
        operation: str,
        key: str,
        members: Mapping[str, Any],
        record: Record,
        once_within: Optional[float] = None,
    ) -> bytes:
        """Sends a question; a refusal of it that a trusted key signed is a `ProvenRefusal`."""
        # A trial is opened by a publishable key, which is a bearer token (RFC 6750).
        is_trial = operation == "trials"
        credential = self._credential(operation, key)
        headers = {
            "Authorization": f"{'Bearer' if is_trial else 'License'} {credential}",
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()),
        }
        body = json.dumps(members).encode("utf-8")
        path = f"/api/v1/license/{operation}"
        try:
            return self._transport.send("POST", path, headers, body, once_within=once_within)
        except ServiceError as error:
            binding = refusal_binding(f"POST {path}\n".encode("utf-8") + body, members["nonce"], credential)
            proven = self._prove(error, binding, record)
            if proven is None:
                raise
            raise proven from error

    def _credential(self, operation: str, key: str) -> str:
        """The credential as it is sent. One of another environment is refused before anybody is asked."""
        what = "publishable key" if operation == "trials" else "license key"
        credential = normal_token(key, what) if operation == "trials" else normal_key(key)
        if is_of_test(credential) and self._options.allow_test is not True:
            raise other_environment(what, "test")
        return credential

    def _prove(self, error: ServiceError, binding: Members, record: Record) -> Optional[ProvenRefusal]:
        """The same refusal with its proof; None where nobody is trusted who signed it, or it is of something else."""
        try:
            proof = {"statement": statement_of(error.body), "binding": binding}
            signed, learned = self._with_keys(record, lambda keys: self._verify_proof(proof, keys))
        except CountersignError as reason:
            if is_other_environment(reason):
                raise
            return None
        return ProvenRefusal(error, signed, proof, learned)

    def _verify_proof(self, proof: Members, keys: Keys) -> VerifiedRefusal:
        """A signed refusal of this device, or of a request that names none."""
        signed = verify_statement(proof["statement"], keys, proof["binding"], self._options.allow_test)
        if "fingerprint_hash" in signed.data:
            self._check_device(signed.data)
        return signed

    def _with_keys(self, record: Record, verify: Callable[[Keys], A]) -> Tuple[A, Members]:
        """Verifies with the keys that are known, and if the key is unknown with those that the service lists."""
        trust = self._trust(record)
        try:
            return verify(trust.keys), {}
        except VerificationError as error:
            if not self._may_fetch_keys or not is_to_be_listed(error, trust):
                raise
        learned = self._listing.get(lambda: self._fetch_list(record))
        return verify(self._known(learned)), learned

    def _fetch_list(self, record: Record) -> Members:
        return learn(self._transport.send("GET", "/api/v1/system/public-keys", {}), self._options.public_keys, record)

    def one_list(self) -> ContextManager[None]:
        """A block in which this thread fetches the list of keys once at most."""
        return self._listing.once()

    def relearn(self, record: Record) -> Members:
        """What the service's list teaches now, where what was learned before cannot vouch for what is kept.

        Nothing where the list cannot be had, or vouches for less.
        """
        before = self._unknown(record)
        if not self._may_fetch_keys or not (before or self._listing.learned):
            return {}
        try:
            learned = self._listing.get(lambda: self._fetch_list(record))
        except CountersignError:
            return {}
        after = self._unknown(with_learned(self._options.public_keys, record, learned))
        return {} if after == before or after - before >= {"answer"} else learned

    def _unknown(self, record: Record) -> Set[str]:
        """What is kept that was signed with a key which is not known, or is said to be revoked."""
        kept: Dict[str, Callable[[], object]] = {
            "answer": lambda: self.verify_kept(record),
            "refusal": lambda: self._verify_refusal(record),
        }
        found, trust = set(), self._trust(record)
        for name in kept.keys() & record.keys():
            try:
                kept[name]()
            except CountersignError as error:
                if is_to_be_listed(error, trust):
                    found.add(name)
        return found

    def _verify_plain(self, text: str, nonce: str, keys: Keys) -> Members:
        """An answer that is of no device."""
        return verify_answer(text, keys, nonce=nonce, now=_WHENEVER, allow_test=self._options.allow_test).data

    def _verify(self, text: str, nonce: str, keys: Keys) -> Members:
        code = self._options.product_code
        allow_test = self._options.allow_test
        verified = verify_answer(
            text, keys, nonce=nonce, product_code=code, now=_WHENEVER, allow_test=allow_test
        )
        self._check_device(verified.data)
        return verified.data

    def _open(
        self, text: str, key: str, device_id: str, record: Record, keys: Keys, now: datetime, skew: timedelta
    ) -> VerifiedOffline:
        return verify_offline(
            text,
            key,
            keys,
            device_id=device_id,
            product_code=self._options.product_code,
            last_counter=record.get("counter", 0),
            now=now,
            skew=skew,
            allow_test=self._options.allow_test,
        )

    def _check_device(self, data: Members) -> None:
        if data.get("fingerprint_hash") != self._binding:
            raise OtherDevice()


def binding_key(device: Mapping[str, Any]) -> str:
    """What tells a device from any other of the same license: its fingerprint, or the names of a container."""
    if device.get("is_container") is not True:
        return _normal(device.get("fingerprint"))
    named = ((name, _normal(device.get(name))) for name in _CONTAINER)
    return "/".join(f"{name}={quote(value, safe=_UNESCAPED)}" for name, value in named if value)


_CONTAINER = ("cluster_id", "namespace", "pod_name", "container_id")
# Beside letters and digits, as encodeURIComponent has it.
_UNESCAPED = "-_.!~*'()"


def _normal(text: Optional[str]) -> str:
    return unicodedata.normalize("NFC", (text or "").strip())
