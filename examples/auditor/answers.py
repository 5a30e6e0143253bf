"""Signed answers, offline envelopes and deliveries (docs/reference/runtime.md, docs/reference/offline.md, docs/reference/webhooks.md)."""

import base64
import hashlib
import hmac
import re
import unicodedata

import aes_gcm
from log import instant
from strict_json import Refused, canonical_bytes, decode_base64, has_whole_numbers, parse, parse_answer


def read(given, what):
    """A parsed object of bytes or text, or Refused."""
    try:
        value = parse_answer(given) if isinstance(given, (bytes, str)) else given
    except ValueError as error:
        raise Refused("malformed", f"the {what} cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise Refused("malformed", f"the {what} is not an object")
    return value


def check_signed(answer, keys, allow_test=False):
    """The data of `{data, signature}`, and the id of the key that signed it.

    What another environment than the live one signed is refused, but for test where `allow_test` is true.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict) or "signature" not in answer or not has_whole_numbers(data):
        raise Refused("malformed", "it is not {data, signature} with whole numbers")
    kid = keys.check(answer["signature"], canonical_bytes(data))
    if "environment" in data and not (allow_test is True and data["environment"] == "test"):
        raise Refused("environment_mismatch", f"it is of the {data['environment']} environment")
    return data, kid


def check_refusal(body, keys, nonce, license_key, request, allow_test=False):
    """The signed statement of a refusal. `request` is the method, the path and the body as they were sent."""
    meta = read(body, "refusal").get("meta")
    data, _ = check_signed(meta.get("refusal") if isinstance(meta, dict) else None, keys, allow_test)
    if data.get("type") != "refusal" or not isinstance(data.get("code"), str):
        raise Refused("malformed", "what is signed is no refusal")
    if not isinstance(data.get("detail", ""), str):
        raise Refused("malformed", "the detail is no text")
    for code, member, expected in [
        ("nonce_mismatch", "nonce", nonce),
        ("license_mismatch", "credential_hash", hashlib.sha256(license_key.encode()).hexdigest()),
        ("request_mismatch", "request_hash", hashlib.sha256(request.encode()).hexdigest()),
    ]:
        if data.get(member) != expected:
            raise Refused(code, "the refusal is of another request")
    return data


def check_answer(body, keys, now, nonce=None, product_code=None, skew=60, allow_test=False):
    """The data of a signed answer, `{data, signature, meta}` as text. `now` is in Unix seconds."""
    data, kid = check_signed(read(body, "answer"), keys, allow_test)
    try:
        until = instant(data["valid_until"])
    except (KeyError, AttributeError, ValueError):
        raise Refused("malformed", "the data never ends") from None
    if now > until + skew:
        raise Refused("expired", "the answer is no longer valid")
    if nonce is not None and data.get("nonce") != nonce:
        raise Refused("nonce_mismatch", "the answer belongs to another request")
    if product_code is not None and data.get("product_code") != product_code:
        raise Refused("product_mismatch", "the license is of another product")
    return data, kid


def license_key_of(typed):
    """A license key as it was issued, from what a person typed."""
    typed = typed.strip()
    text = re.sub(r"[\s-]", "", typed).upper()
    if not re.match(r"CST?[\s-]", typed, re.I) and not re.fullmatch(r"CST?[0-9A-Z]{25}", text):
        if not re.fullmatch(r"[!-~]{8,1000}", typed):
            raise Refused("license_key_invalid", "this cannot be a license key")
        return typed  # of another system: as it is
    text = text.replace("O", "0").replace("I", "1").replace("L", "1")
    if not re.fullmatch(r"CST?[0-9A-Z]{25}", text):
        raise Refused("license_key_invalid", "this cannot be a license key")
    lead = text[:-25]  # CST of the test environment
    groups = [text[at : at + 5] for at in range(len(lead), len(text), 5)]
    return f"{lead}-{'-'.join(groups)}"


def check_offline(
    envelope, license_key, device_id, keys, now, last_counter=None, revocations=None, product_code=None, skew=60,
    fingerprint=None, allow_test=False
):
    """The entitlement in an offline envelope, `data` of the answer as text or parsed, or in a `.lic` file.

    A file names its device itself: then `device_id` is None, and the `fingerprint` of the machine is needed.
    """
    sealed = read(envelope, "envelope")
    if device_id is None and fingerprint is None:
        raise Refused("device_mismatch", "neither the device nor its fingerprint is known")
    try:
        kid = sealed["kid"]
        if device_id is None:
            device_id = sealed["device_id"]
        salt, nonce = decode_base64(sealed["salt"], 32), decode_base64(sealed["nonce"], 12)
        ciphertext = decode_base64(sealed["ciphertext"])
        additional = (kid + device_id).encode()
    except (KeyError, TypeError, ValueError):
        raise Refused("malformed", "it is not {kid, salt, nonce, ciphertext}") from None
    key = aes_gcm.hkdf_sha256(license_key_of(license_key).encode(), salt, b"countersign/offline/v1")
    plain = aes_gcm.decrypt(key, nonce, ciphertext, additional)
    if plain is None:
        raise Refused("cannot_decrypt", "it is for another license key or device, or it was changed")
    data, signer = check_answer(plain, keys, now, product_code=product_code, skew=skew, allow_test=allow_test)
    if signer != kid:
        raise Refused("malformed", "it names another key than the one that signed it")
    if data.get("device_id") != device_id:
        raise Refused("device_mismatch", "it is for another device")
    if fingerprint is not None:
        normal = unicodedata.normalize("NFC", fingerprint.strip())
        if data.get("fingerprint_hash") != hashlib.sha256(normal.encode()).hexdigest():
            raise Refused("device_mismatch", "it is for a device with another fingerprint")
    issued = instant(data["issued_at"])
    # The clock of the test environment may be ahead of every other.
    if "environment" not in data and now + skew < issued:
        raise Refused("not_yet_valid", "it was issued later than now")
    counter = data.get("offline_counter")
    if type(counter) is not int or counter < 1:
        raise Refused("malformed", "what is in it was not signed for an envelope: it has no counter")
    if last_counter is not None and counter < last_counter:
        raise Refused("rolled_back", "a newer one was accepted before")
    if revocations and (
        data["license_id"] in revocations["revoked_license_ids"]
        or kid in revocations["revoked_kids"]
        or data.get("offline_file_id") in revocations.get("revoked_offline_files", [])
    ):
        raise Refused("revoked", "the license, the file or the key was revoked")
    return data


def standard_key(secret):
    """The key of `webhook-signature`: the decoded part of a secret of our form, or else the bytes of the whole secret."""
    if secret.startswith("whsec_"):
        try:
            return decode_base64(secret[6:])
        except ValueError:
            pass
    return secret.encode()


def check_delivery(body, headers, secrets, now, tolerance=300):
    """The event of a delivery. `body` is bytes, as they arrived; header names may be in any case."""
    given = {name.lower(): value for name, value in headers.items()}
    delivery, signature = given.get("x-service-delivery-id"), given.get("x-service-signature")
    if not delivery or not signature:
        raise Refused("missing_header", "a header is missing")
    times, signatures = [], []
    for part in signature.split(","):
        scheme, equals, value = part.strip().partition("=")
        if not equals or (scheme == "t" and not re.fullmatch(r"[0-9]{1,12}", value)):
            raise Refused("malformed_header", "X-Service-Signature cannot be read")
        if scheme == "t":
            times.append(value)
        elif scheme == "v1":
            if not re.fullmatch(r"[0-9a-fA-F]{64}", value):
                raise Refused("malformed_header", "X-Service-Signature cannot be read")
            signatures.append(bytes.fromhex(value))
    if len(times) != 1 or not signatures:
        raise Refused("malformed_header", "X-Service-Signature cannot be read")
    if abs(now - int(times[0])) > tolerance:
        raise Refused("timestamp_out_of_tolerance", "it was signed at another time")
    secrets = [secret for secret in secrets if isinstance(secret, str) and len(secret) >= 16]
    message = f"{times[0]}.{delivery}.".encode() + body
    sums = [hmac.new(secret.encode(), message, hashlib.sha256).digest() for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in sums for other in signatures):
        raise Refused("signature_mismatch", "no signature matches a secret")
    if "webhook-signature" in given:
        message = f"{given['webhook-id']}.{given['webhook-timestamp']}.".encode() + body
        sums = [hmac.new(standard_key(secret), message, hashlib.sha256).digest() for secret in secrets]
        offered = {f"v1,{base64.b64encode(one).decode()}" for one in sums}
        if not offered & set(given["webhook-signature"].split(" ")):
            raise Refused("signature_mismatch", "no Standard Webhooks signature matches a secret")
    try:
        return parse(body)
    except ValueError as error:
        raise Refused("malformed_body", str(error)) from None
