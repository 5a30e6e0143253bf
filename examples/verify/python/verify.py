"""Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.

Copy this file into an app. Python 3.9 or newer and the package `cryptography`. Whatever cannot be trusted is a
`Refused` with a `code`; what is returned was signed. Run as a program it judges published vectors:

    python3 verify.py VECTORS.json
"""

import base64
import hashlib
import hmac
import json
import math
import re
import sys
import time
import unicodedata
from datetime import datetime

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Refused(Exception):
    """What was given must not be trusted; `code` says why."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def _members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice: two readers could read it differently (RFC 7493)")
    return members


def _constant(name):
    raise ValueError(f"{name} is not JSON")


def _number(text):
    if math.isinf(float(text)):
        raise ValueError("a number beyond all doubles, which readers take for different ones")
    return float(text)


def parse(text, code="malformed"):
    """The JSON object of a text or of UTF-8 bytes."""
    try:
        value = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_members,
            parse_constant=_constant,
            parse_float=_number,
        )
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise Refused(code) from None
    if not isinstance(value, dict):
        raise Refused(code)
    return value


def _whole(value):
    """A value with its numbers as they are signed: whole and safe, however they are written."""
    if isinstance(value, dict):
        return {name: _whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if value != int(value) or abs(value) > 2**53 - 1:
        raise Refused("malformed")
    return int(value)


def canonical(value):
    """The bytes that are signed: RFC 8785, of values whose numbers are whole and whose names are ASCII."""
    try:
        return json.dumps(_whole(value), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    except ValueError:  # half of a surrogate pair
        raise Refused("malformed") from None


def decode(text, length=None):
    """The bytes of canonical, padded base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise Refused("malformed") from None
    if base64.b64encode(data).decode() != text or (length is not None and len(data) != length):
        raise Refused("malformed")
    return data


def instant(text):
    """Unix seconds of an RFC 3339 date-time in UTC with milliseconds, as the service writes them."""
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z", text):
            raise ValueError("another form")
        since = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ") - datetime(1970, 1, 1)
        return since.total_seconds()
    except (TypeError, ValueError):
        raise Refused("malformed") from None


def trusted_keys(answer):
    """{kid: 32 bytes} of the answer of GET /api/v1/system/public-keys. Pin it in the app, or fetch it over TLS.

    What is no key of ours stops none beside it; of an id that is said to be revoked nothing verifies.
    """
    keys = {}
    for key in answer["data"]:
        try:
            raw = decode(key.get("public_key"), 32)
        except Refused:
            continue
        if key.get("algorithm") == "Ed25519":
            keys.setdefault(key.get("kid"), raw)
    revoked = [key.get("kid") for key in answer["data"] if key.get("status") == "revoked"]
    return {kid: raw for kid, raw in keys.items() if kid not in revoked}


def _verify_signed(answer, keys, allow_test):
    """The `data` of `{data, signature}`, and the id of the key that signed it.

    What another environment than the live one signed is refused, but for test where `allow_test` is true.
    """
    signature = answer.get("signature") if isinstance(answer, dict) else None
    if not isinstance(signature, dict):
        raise Refused("malformed")
    alg = signature.get("alg")
    if alg != "Ed25519" or signature.get("algorithm", alg) != "Ed25519":
        raise Refused("unsupported_algorithm")
    kid = signature.get("kid")
    if not isinstance(kid, str) or kid not in keys:
        raise Refused("unknown_key")
    data = answer.get("data")
    if not isinstance(data, dict):
        raise Refused("malformed")
    try:
        Ed25519PublicKey.from_public_bytes(keys[kid]).verify(decode(signature.get("value"), 64), canonical(data))
    except InvalidSignature:
        raise Refused("signature_mismatch") from None
    if "environment" in data and not (allow_test is True and data["environment"] == "test"):
        raise Refused("environment_mismatch")
    return data, kid


def verify_answer(body, keys, nonce=None, product_code=None, now=None, skew=60, allow_test=False):
    """The signed `data` of a runtime answer, and the id of the key that signed it. `body` is the text that arrived.

    `allow_test` takes answers of the test environment too: never set it in a build for customers.
    """
    data, kid = _verify_signed(parse(body), keys, allow_test)
    if (time.time() if now is None else now) > instant(data.get("valid_until")) + skew:
        raise Refused("expired")
    if nonce is not None and data.get("nonce") != nonce:
        raise Refused("nonce_mismatch")
    if product_code is not None and data.get("product_code") != product_code:
        raise Refused("product_mismatch")
    return data, kid


def verify_refusal(body, keys, nonce, license_key, request, allow_test=False):
    """The signed statement of a refusal: decide by its `code` and `detail`. `body` is the text that arrived.

    `license_key` is the key as it was sent, `request` what was sent: the method, a space, the path from /api/v1/ on with its
    query, a line feed, and the body. A refusal that is `Refused` here proves nothing: go on by what you keep.
    """
    meta = parse(body).get("meta")
    data, _ = _verify_signed(meta.get("refusal") if isinstance(meta, dict) else None, keys, allow_test)
    if data.get("type") != "refusal" or not isinstance(data.get("code"), str):
        raise Refused("malformed")
    if not isinstance(data.get("detail", ""), str):
        raise Refused("malformed")
    if data.get("nonce") != nonce:
        raise Refused("nonce_mismatch")
    if data.get("credential_hash") != hashlib.sha256(license_key.encode()).hexdigest():
        raise Refused("license_mismatch")
    if data.get("request_hash") != hashlib.sha256(request.encode()).hexdigest():
        raise Refused("request_mismatch")
    return data


def _root_of(leaf, sequence, size, hashes):
    """The root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2); None where it leads nowhere."""
    node, last, root = sequence - 1, size - 1, hashlib.sha256(b"\0" + leaf).digest()
    if not 0 <= node <= last:
        return None
    for sibling in hashes:
        if last == 0:
            return None
        if node % 2 or node == last:
            root = hashlib.sha256(b"\1" + sibling + root).digest()
            while node % 2 == 0 and node:
                node, last = node // 2, last // 2
        else:
            root = hashlib.sha256(b"\1" + root + sibling).digest()
        node, last = node // 2, last // 2
    return root if last == 0 else None


def _proof_of(leaf, sequence, path, note):
    """The same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice."""
    lines = [base64.b64encode(one).decode() for one in (leaf.encode(), *path)]
    return "\n".join(["c2sp.org/tlog-proof@v1", f"extra {lines[0]}", f"index {sequence - 1}", *lines[1:], "", note])


def _open_note(note, keys):
    """The size and the root of a checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note)."""
    text, end, lines = note.rpartition("\n\n")
    text += "\n"
    parts = text.split("\n")
    if not end or len(parts) < 4 or not parts[0] or not re.fullmatch("0|[1-9][0-9]{0,15}", parts[1]):
        raise Refused("malformed")
    root, signed = decode(parts[2], 32), []
    for line in lines.removesuffix("\n").split("\n"):
        found = re.fullmatch("\u2014 (\\S+) (\\S+)", line)
        if not found:
            raise Refused("malformed")
        signed.append((found[1], decode(found[2])))
    for raw in keys.values():
        # Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
        ids = {kind: hashlib.sha256(f"{parts[0]}\n".encode() + bytes([kind]) + raw).digest()[:4] for kind in (1, 4)}
        claims = [line for name, line in signed if name == parts[0] and line[:4] in ids.values()]
        for line in claims:
            body, value = text.encode(), line[4:]
            if line[:4] == ids[4]:
                body, value = f"cosignature/v1\ntime {int.from_bytes(value[:8], 'big')}\n".encode() + body, value[8:]
            try:
                Ed25519PublicKey.from_public_bytes(raw).verify(value, body)
            except InvalidSignature:
                raise Refused("signature_mismatch") from None
        if claims:
            return int(parts[1]), root
    raise Refused("unknown_key")


def verify_receipt(body, keys, event_id=None, license_id=None, nonce=None, allow_test=False):
    """The leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt.

    Its `data` has the amount and the total after it. `body` is the text that arrived or was kept.
    """
    data, _ = _verify_signed(parse(body), keys, allow_test)
    if data.get("schema") != "countersign/receipt/v1":
        raise Refused("malformed")
    for code, name, expected in (
        ("nonce_mismatch", "nonce", nonce),
        ("license_mismatch", "license_id", license_id),
        ("request_mismatch", "event_id", event_id),
    ):
        if expected is not None and data.get(name) != expected:
            raise Refused(code)
    text, note, hashes = data.get("leaf"), data.get("note"), data.get("hashes")
    if not isinstance(text, str) or not isinstance(note, str) or not isinstance(hashes, list) or len(hashes) > 64:
        raise Refused("malformed")
    leaf = parse(text)
    used, sequence = leaf.get("data"), leaf.get("sequence")
    if leaf.get("event_type") != "license.usage_recorded" or type(sequence) is not int or not isinstance(used, dict):
        raise Refused("malformed")
    said = (leaf.get("resource_id"), used.get("event_id"), used.get("feature_code"))
    if said != (data.get("license_id"), data.get("event_id"), data.get("feature_code")) or None in said:
        raise Refused("malformed")
    is_path = all(isinstance(one, str) and re.fullmatch("[0-9a-f]{64}", one) for one in hashes)
    path = [bytes.fromhex(one) for one in hashes] if is_path else []
    if "tlog_proof" in data and data["tlog_proof"] != _proof_of(text, sequence, path, note):
        raise Refused("malformed")
    size, root = _open_note(note, keys)
    if not is_path or _root_of(text.encode(), sequence, size, path) != root:
        raise Refused("not_in_log")
    return leaf


def normal_license_key(typed):
    """A license key as it was issued, from what a person typed."""
    typed = typed.strip()
    text = re.sub(r"[\s-]", "", typed).upper()
    if not re.match(r"CST?[\s-]", typed, re.I) and not re.fullmatch(r"CST?[0-9A-Z]{25}", text):
        if not re.fullmatch(r"[!-~]{8,1000}", typed):
            raise Refused("license_key_invalid")
        return typed  # of another system: as it is
    text = text.translate(str.maketrans("OIL", "011"))
    if not re.fullmatch(r"CST?[0-9A-Z]{25}", text):
        raise Refused("license_key_invalid")
    lead = text[:-25]  # CST of the test environment
    return "-".join([lead] + [text[at : at + 5] for at in range(len(lead), len(text), 5)])


def open_offline(
    envelope, license_key, keys, device_id=None, fingerprint=None, product_code=None, last_counter=0, revocations=None,
    now=None, skew=60, allow_test=False,
):
    """The entitlement in an offline envelope (give `device_id`) or a .lic file (give `fingerprint`).

    Store `offline_counter` of what is returned, and give it as `last_counter` the next time. `revocations` is the
    verified `data` of a revocation list.
    """
    sealed = parse(envelope)
    if device_id is None and fingerprint is None:
        raise Refused("device_mismatch")
    device = sealed.get("device_id") if device_id is None else device_id
    kid = sealed.get("kid")
    if not isinstance(device, str) or not isinstance(kid, str):
        raise Refused("malformed")
    salt, nonce = decode(sealed.get("salt"), 32), decode(sealed.get("nonce"), 12)
    ciphertext = decode(sealed.get("ciphertext"))
    secret = normal_license_key(license_key).encode()
    key = HKDF(algorithm=SHA256(), length=32, salt=salt, info=b"countersign/offline/v1").derive(secret)
    try:
        text = AESGCM(key).decrypt(nonce, ciphertext, (kid + device).encode())
    except (InvalidTag, ValueError):
        raise Refused("cannot_decrypt") from None
    data, signer = verify_answer(text, keys, product_code=product_code, now=now, skew=skew, allow_test=allow_test)
    if signer != kid:
        raise Refused("malformed")
    if data.get("device_id") != device:
        raise Refused("device_mismatch")
    if fingerprint is not None:
        normal = unicodedata.normalize("NFC", fingerprint.strip())
        if data.get("fingerprint_hash") != hashlib.sha256(normal.encode()).hexdigest():
            raise Refused("device_mismatch")
    issued = instant(data.get("issued_at"))
    # The clock of the test environment may be ahead of every other.
    if "environment" not in data and issued > (time.time() if now is None else now) + skew:
        raise Refused("not_yet_valid")
    counter = data.get("offline_counter")  # only what was signed for an envelope has one
    if type(counter) is not int or counter < 1:
        raise Refused("malformed")
    if counter < last_counter:
        raise Refused("rolled_back")
    revoked = revocations or {}
    if (
        data.get("license_id") in revoked.get("revoked_license_ids", [])
        or kid in revoked.get("revoked_kids", [])
        or data.get("offline_file_id") in revoked.get("revoked_offline_files", [])
    ):
        raise Refused("revoked")
    return data


def verify_delivery(body, headers, secrets, tolerance=300, now=None):
    """The event of a delivery. `body` is the bytes that arrived, `secrets` are all that are live."""
    given = {name.lower(): value for name, value in headers.items()}
    delivery, signature = given.get("x-service-delivery-id"), given.get("x-service-signature")
    if not delivery or not signature:
        raise Refused("missing_header")
    times, signatures = [], []
    for part in signature.split(","):
        scheme, equals, value = part.strip().partition("=")
        if not equals or not re.fullmatch({"t": "[0-9]{1,12}", "v1": "[0-9a-fA-F]{64}"}.get(scheme, ".*"), value):
            raise Refused("malformed_header")
        if scheme == "t":
            times.append(value)
        elif scheme == "v1":
            signatures.append(value.lower())
    if len(times) != 1 or not signatures:
        raise Refused("malformed_header")
    if abs((time.time() if now is None else now) - int(times[0])) > tolerance:
        raise Refused("timestamp_out_of_tolerance")
    signed = f"{times[0]}.{delivery}.".encode() + body
    live = [secret for secret in secrets if isinstance(secret, str) and len(secret) >= 16]
    sums = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in live]
    if not any(hmac.compare_digest(one, other) for one in sums for other in signatures):
        raise Refused("signature_mismatch")
    return parse(body, "malformed_body")


def judge(vectors, case):
    """The verdict about one case of published vectors."""
    allow_test = case.get("allow_test", False)
    try:
        if "request" in case:
            keys = trusted_keys(vectors["keys"])
            verify_refusal(case["body"], keys, case["nonce"], case["license_key"], case["request"], allow_test)
        elif "event_id" in case:
            keys, ids = trusted_keys(vectors["keys"]), (case["event_id"], case["license_id"])
            verify_receipt(case["body"], keys, *ids, case["nonce"], allow_test)
        elif "keys" in vectors:
            keys = trusted_keys(vectors["keys"])
            now = instant(case["now"])
            verify_answer(case["body"], keys, case["nonce"], case["product_code"], now, allow_test=allow_test)
        elif "license_key" in vectors:
            fingerprint = case.get("fingerprint")
            open_offline(
                json.dumps(case["envelope"]),
                case.get("license_key", vectors["license_key_as_typed"]),
                trusted_keys({"data": vectors["public_keys"]}),
                None if fingerprint else case.get("device_id", vectors["device_id"]),
                fingerprint,
                case.get("product_code"),
                case.get("last_counter", 0),
                case.get("revocations"),
                instant(case["now"]),
                allow_test=allow_test,
            )
        else:
            body, tolerance = case["body"].encode(), vectors["tolerance"]
            verify_delivery(body, case["headers"], case["secrets"], tolerance, case["now"])
    except Refused as refused:
        return refused.code
    return "verified"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)
    agreed = True
    for case in vectors["cases"]:
        verdict = judge(vectors, case)
        agreed = agreed and verdict == case["expected"]
        print(f"{verdict}\t{case['name']}")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
