"""Receipts of usage: that a use of a license is in the log (docs/reference/events.md)."""

from answers import check_signed, read
from log import check_inclusion, check_note, sha256
from strict_json import Refused
from tlog import read_proof

# What a note is refused for, as the refusal of a receipt says it.
CODES = {"checkpoint_malformed": "malformed", "revoked_key": "unknown_key"}


def check_same(data, sequence):
    """What a receipt says twice it must say alike: its proof (C2SP tlog-proof) has the leaf, the path and the note."""
    proof = data["tlog_proof"]
    leaf, index, path, note = read_proof(proof if isinstance(proof, str) else "")
    said = (data["leaf"].encode(), sequence - 1, data["hashes"], data["note"])
    if (leaf, index, [one.hex() for one in path], note) != said:
        raise Refused("malformed", "the proof is of something else than the receipt says")


def check_receipt(answer, keys, event_id=None, license_id=None, nonce=None, allow_test=False):
    """The leaf of a use and the note that covers it: the signed answer of GET /api/v1/license/receipt."""
    data, _ = check_signed(read(answer, "receipt"), keys, allow_test)
    members = ("note", "license_id", "event_id", "feature_code", "leaf")
    if data.get("schema") != "countersign/receipt/v1" or not all(isinstance(data.get(one), str) for one in members):
        raise Refused("malformed", "what is signed is no receipt")
    for code, member, expected in [
        ("nonce_mismatch", "nonce", nonce),
        ("license_mismatch", "license_id", license_id),
        ("request_mismatch", "event_id", event_id),
    ]:
        if expected is not None and data.get(member) != expected:
            raise Refused(code, "the receipt is of another request")
    leaf, hashes = read(data["leaf"], "leaf"), data.get("hashes")
    sequence, about = leaf.get("sequence"), leaf.get("data")
    if leaf.get("event_type") != "license.usage_recorded" or type(sequence) is not int or not isinstance(about, dict):
        raise Refused("malformed", "the leaf is no usage event")
    said = (leaf.get("resource_id"), about.get("event_id"), about.get("feature_code"))
    if said != (data["license_id"], data["event_id"], data["feature_code"]):
        raise Refused("malformed", "the leaf is of another usage event")
    if not isinstance(hashes, list) or len(hashes) > 64:
        raise Refused("malformed", "the receipt has no path")
    if "tlog_proof" in data:
        check_same(data, sequence)
    try:
        note = check_note(data["note"], keys)
    except Refused as refused:
        raise Refused(CODES.get(refused.code, refused.code), refused.detail) from None
    if "revoked_at" in note:
        raise Refused("unknown_key", f"{note['kid']} was revoked at {note['revoked_at']}")
    try:
        path = [bytes.fromhex(one) for one in hashes]
        check_inclusion(sha256(b"\0", data["leaf"].encode()), sequence - 1, note["tree_size"], path, bytes.fromhex(note["root_hash"]))
    except (Refused, TypeError, ValueError):
        raise Refused("not_in_log", "the usage event is not in the log that was signed") from None
    return leaf, note
