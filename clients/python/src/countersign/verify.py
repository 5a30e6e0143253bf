"""Verifies what the service signed, without asking anybody. docs/reference/runtime.md and offline.md say how."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union, cast

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ._envelope import envelope_text, read_envelope
from ._keys import FAULTS, read_license_key
from ._strict import Members, canonical, decode_base64, instant, parse_object
from .errors import VerificationError

DEFAULT_SKEW = timedelta(seconds=60)

Keys = Dict[str, bytes]


class PublishedKeys(Keys):
    """The keys that verify, and under `revoked` when others were revoked (RFC 3339; None where that is not said)."""

    def __init__(self) -> None:
        super().__init__()
        self.revoked: Dict[str, Optional[str]] = {}


def read_keys(listed: Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]) -> Keys:
    """The public keys that verify, by id: of the answer of `GET /api/v1/system/public-keys`, or of its `data` alone.

    Revoked keys, those of another algorithm than Ed25519 and what is not 32 bytes of base64 verify nothing and are left out,
    and stop none beside them; a signature of a revoked key is refused with its `revoked_at`.
    """
    keys = PublishedKeys()
    for key in [*listed["data"], *listed.get("revoked", [])] if isinstance(listed, Mapping) else listed:
        if not isinstance(key, Mapping) or not isinstance(key.get("kid"), str):
            continue
        at = key.get("revoked_at")
        if key.get("status") == "revoked" or at is not None:
            keys.revoked[key["kid"]] = at if isinstance(at, str) else None
        elif key.get("algorithm") == "Ed25519":
            try:
                keys.setdefault(key["kid"], decode_base64(key.get("public_key"), 32))
            except VerificationError:
                continue
    for kid in keys.revoked:
        keys.pop(kid, None)
    return keys


def parse_key_list(body: Union[str, bytes]) -> Dict[str, List[Any]]:
    """The `data` and `revoked` of `GET /api/v1/system/public-keys` as it arrived. Raises a `VerificationError` for anything else."""
    listed = parse_object(body)
    data, revoked = listed.get("data"), listed.get("revoked")
    if not isinstance(data, list):
        raise VerificationError("malformed", "It is no list of keys")
    return {"data": data, "revoked": revoked if isinstance(revoked, list) else []}


@dataclass(frozen=True)
class Verified:
    """Data that the service signed, and the id of the key that signed it."""

    data: Members
    kid: str

    @property
    def status(self) -> str:
        """Of the license, such as `active`."""
        return str(self.data["status"])

    @property
    def license_id(self) -> str:
        return str(self.data["license_id"])

    @property
    def device_id(self) -> str:
        return str(self.data["device_id"])

    @property
    def valid_until(self) -> datetime:
        """Until when it may be relied on."""
        return instant(self.data["valid_until"])

    @property
    def next_check_at(self) -> datetime:
        """When to ask again; `valid_until` where the answer names no time."""
        return instant(self.data.get("next_check_at", self.data["valid_until"]))

    @property
    def features(self) -> Dict[str, Members]:
        """The features of the license by code: `enabled`, and of metered ones `quota`, `consumed`, `remaining`."""
        return {feature["code"]: feature for feature in self.data.get("features", [])}

    def allows(self, feature_code: str) -> bool:
        """Whether the license has the feature, and it is switched on."""
        return bool(self.features.get(feature_code, {}).get("enabled", False))


@dataclass(frozen=True)
class VerifiedOffline(Verified):
    """An entitlement that may be relied on until its `valid_until` without a network.

    Store `offline_counter`, and give it as `last_counter` the next time: an older envelope is refused then. `envelope`
    is the text that it was in.
    """

    offline_counter: int
    envelope: str


def _now(given: Optional[datetime]) -> datetime:
    return datetime.now(timezone.utc) if given is None else given


def verify_answer(
    body: Union[str, bytes],
    keys: Keys,
    *,
    nonce: Optional[str] = None,
    product_code: Optional[str] = None,
    now: Optional[datetime] = None,
    skew: timedelta = DEFAULT_SKEW,
    allow_test: bool = False,
) -> Verified:
    """Verifies a signed answer, `{data, signature, meta}` as the text that arrived.

    The algorithm must be exactly Ed25519, the key known, and the signature must cover `data`; then `valid_until` must
    not be past, and the nonce and product code must be those that are given. `skew` is how far this machine's clock may
    be ahead. `allow_test` takes what the test environment signed too: only for builds that no customer gets. Raises a
    `VerificationError`.
    """
    data, kid = verify_signed(parse_object(body), keys, allow_test)
    if _now(now) - skew > instant(data.get("valid_until")):
        raise VerificationError("expired", "The response is no longer valid")
    if nonce is not None and data.get("nonce") != nonce:
        raise VerificationError("nonce_mismatch", "The response belongs to another request")
    if product_code is not None and data.get("product_code") != product_code:
        raise VerificationError("product_mismatch", "The license belongs to another product")
    return Verified(data, kid)


def verify_signed(answer: Any, keys: Keys, allow_test: bool) -> Tuple[Members, str]:
    """The data of `{data, signature}`, and the id of the key that signed it.

    What another environment than the live one signed is refused, but for test where `allow_test` is true.
    """
    found = answer if isinstance(answer, dict) else {}
    data = found.get("data")

    def signed() -> bytes:
        if not isinstance(data, dict):
            raise VerificationError("malformed", "The data is not an object")
        return canonical(data)

    kid = verify_bytes(found.get("signature"), keys, signed)
    _check_environment(cast(Members, data), allow_test)
    return cast(Members, data), kid


def other_environment(what: str, environment: str) -> VerificationError:
    """What belongs to another environment than the live one."""
    message = f"The {what} is of the {environment} environment, which is not allowed here"
    return VerificationError("environment_mismatch", message)


def _check_environment(data: Members, allow_test: bool) -> None:
    # The live environment names itself nowhere.
    if "environment" in data and not (allow_test is True and data["environment"] == "test"):
        raise other_environment("answer", str(data["environment"]))


def verify_bytes(signature: Any, keys: Keys, signed: Callable[[], bytes]) -> str:
    """Verifies a signature of some bytes, which are asked for where the key is known. Answers the id of the key."""
    if not isinstance(signature, dict):
        raise VerificationError("malformed", "There is no signature")
    alg = signature.get("alg")
    if alg != "Ed25519" or signature.get("algorithm", alg) != "Ed25519":
        raise VerificationError("unsupported_algorithm", "The answer is not signed with Ed25519")
    kid = signature.get("kid")
    if isinstance(keys, PublishedKeys) and isinstance(kid, str) and kid in keys.revoked:
        at = keys.revoked[kid]
        when = "" if at is None else f" on {at[:10]}"
        raise VerificationError("unknown_key", f"The answer is signed by a key that was revoked{when}", at)
    if not isinstance(kid, str) or kid not in keys:
        raise VerificationError("unknown_key", "The answer is signed with a key that is not among the public keys")
    text = signed()
    try:
        Ed25519PublicKey.from_public_bytes(keys[kid]).verify(decode_base64(signature.get("value"), 64), text)
    except InvalidSignature:
        raise VerificationError("signature_mismatch", "The signature does not cover this answer") from None
    return kid


@dataclass(frozen=True)
class VerifiedRefusal:
    """A refusal that the service signed: decide by its code and detail, and not by those of the error beside it."""

    code: str
    detail: Optional[str]
    data: Members
    kid: str


def verify_refusal(
    body: Union[str, bytes],
    keys: Keys,
    *,
    nonce: str,
    license_key: str,
    request: Union[str, bytes],
    allow_test: bool = False,
) -> VerifiedRefusal:
    """Verifies a refusal: `meta.refusal` of its body is signed, and is the refusal of this very question.

    Args:
        body: The text that arrived.
        license_key: The key as it was sent; of a trial, the publishable key.
        request: What was sent: the method, a space, the path from /api/v1/ on with its query, a line feed, and the body.
        allow_test: Takes what the test environment signed too: only for builds that no customer gets.

    Raises a `VerificationError`: such a refusal proves nothing, so go on by what you keep.
    """
    return verify_statement(statement_of(body), keys, refusal_binding(request, nonce, license_key), allow_test)


def refusal_binding(request: Union[str, bytes], nonce: str, license_key: str) -> Members:
    """What a refusal of a question is bound to: what is kept of the question, to verify the refusal again."""
    sent = request.encode("utf-8") if isinstance(request, str) else request
    return {
        "nonce": nonce,
        "credentialHash": hashlib.sha256(license_key.encode("utf-8")).hexdigest(),
        "requestHash": hashlib.sha256(sent).hexdigest(),
    }


def statement_of(body: Union[str, bytes]) -> Any:
    """What is signed of the body of a refusal; None where nothing is."""
    meta = parse_object(body).get("meta")
    return meta.get("refusal") if isinstance(meta, dict) else None


def verify_statement(
    statement: Any, keys: Keys, binding: Mapping[str, Any], allow_test: bool = False
) -> VerifiedRefusal:
    """Verifies `{data, signature}` of a refusal, and what it is bound to. Raises a `VerificationError`."""
    data, kid = verify_signed(statement, keys, allow_test)
    code, detail = data.get("code"), data.get("detail")
    if data.get("type") != "refusal" or not isinstance(code, str) or not ("detail" not in data or isinstance(detail, str)):
        raise VerificationError("malformed", "The signed data is not a refusal")
    if data.get("nonce") != binding.get("nonce"):
        raise VerificationError("nonce_mismatch", "The refusal belongs to another request")
    if data.get("credential_hash") != binding.get("credentialHash"):
        raise VerificationError("license_mismatch", "The refusal is of another license key")
    if data.get("request_hash") != binding.get("requestHash"):
        raise VerificationError("request_mismatch", "The refusal is of a request that was not sent so")
    return VerifiedRefusal(code, detail, data, kid)


def normal_license_key(typed: str) -> str:
    """A license key as it was issued, from what a person typed or pasted. Raises a `VerificationError` for what cannot be one."""
    key, fault = read_license_key(typed)
    if key is None:
        raise VerificationError("license_key_invalid", f"The license key {FAULTS[fault]}.")
    return key


def verify_offline(
    envelope: Union[str, bytes],
    license_key: str,
    keys: Keys,
    *,
    device_id: Optional[str] = None,
    fingerprint: Optional[str] = None,
    product_code: Optional[str] = None,
    last_counter: int = 0,
    revocations: Optional[Mapping[str, Any]] = None,
    now: Optional[datetime] = None,
    skew: timedelta = DEFAULT_SKEW,
    allow_test: bool = False,
) -> VerifiedOffline:
    """Opens an offline envelope and verifies what is in it.

    Args:
        envelope: What `License.offline.request` answered, or a `.lic` file: its bytes or its text, as mail programs and
            editors hand it on.
        license_key: As the customer typed it.
        device_id: Of the answer that activated this device. A `.lic` file names its device itself: give `fingerprint`.
        last_counter: The highest `offline_counter` that this device has accepted.
        revocations: The `data` of a revocation list that was verified.
        allow_test: Takes what the test environment signed too: only for builds that no customer gets.

    Raises a `VerificationError`.
    """
    text = envelope_text(envelope)
    sealed = read_envelope(text)
    if device_id is None and fingerprint is None:
        raise VerificationError("device_mismatch", "Neither the device nor its fingerprint is known")
    device = sealed.get("device_id") if device_id is None else device_id
    kid = sealed.get("kid")
    if not isinstance(device, str) or not isinstance(kid, str):
        raise VerificationError("malformed", "The envelope is not {kid, salt, nonce, ciphertext}")
    salt, nonce = decode_base64(sealed.get("salt"), 32), decode_base64(sealed.get("nonce"), 12)
    ciphertext = decode_base64(sealed.get("ciphertext"))
    secret = normal_license_key(license_key).encode("utf-8")
    key = HKDF(algorithm=SHA256(), length=32, salt=salt, info=b"countersign/offline/v1").derive(secret)
    try:
        opened = AESGCM(key).decrypt(nonce, ciphertext, (kid + device).encode("utf-8"))
    except (InvalidTag, ValueError):
        message = "The envelope is for another license key or device, or it was changed"
        raise VerificationError("cannot_decrypt", message) from None
    verified = verify_answer(opened, keys, product_code=product_code, now=now, skew=skew, allow_test=allow_test)
    data = verified.data
    if verified.kid != kid:
        raise VerificationError("malformed", "The envelope names another key than the one that signed it")
    if data.get("device_id") != device:
        raise VerificationError("device_mismatch", "The envelope is for another device")
    if fingerprint is not None:
        normal = unicodedata.normalize("NFC", fingerprint.strip())
        if data.get("fingerprint_hash") != hashlib.sha256(normal.encode("utf-8")).hexdigest():
            raise VerificationError("device_mismatch", "The envelope is for a device with another fingerprint")
    issued = instant(data.get("issued_at"))
    # The clock of the test environment may be ahead of every other.
    if "environment" not in data and issued > _now(now) + skew:
        raise VerificationError("not_yet_valid", "The envelope was issued later than this machine's clock says it is")
    counter = data.get("offline_counter")
    # Whoever has a license key can seal any signed answer in an envelope; only answers for offline use have a counter.
    if type(counter) is not int or counter < 1:
        raise VerificationError("malformed", "The data in the envelope was not signed for an envelope: it has no counter")
    if counter < last_counter:
        raise VerificationError("rolled_back", "A newer envelope of this device was accepted before")
    revoked = {} if revocations is None else revocations
    if (
        data.get("license_id") in revoked.get("revoked_license_ids", [])
        or kid in revoked.get("revoked_kids", [])
        or data.get("offline_file_id") in revoked.get("revoked_offline_files", [])
    ):
        message = "The license, the file or the key that signed the envelope was revoked"
        raise VerificationError("revoked", message)
    return VerifiedOffline(data, kid, counter, text)
