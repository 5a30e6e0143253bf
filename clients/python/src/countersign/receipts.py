"""Receipts of usage: that a use of a license is in the vendor's event log. docs/reference/events.md says how."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Optional, Union

from ._strict import Members, parse_object
from ._tree import is_included, sha256
from .errors import VerificationError
from .events import verify_checkpoint
from .verify import Keys, verify_signed

_SCHEMA = "countersign/receipt/v1"
_TEXTS = ("note", "license_id", "event_id", "feature_code", "leaf")

# Longer than that of a tree of more events than any log has.
_LONGEST_PATH = 64


@dataclass(frozen=True)
class VerifiedReceipt:
    """A use that is in the log.

    Attributes:
        event: The leaf of the event: `sequence`, `created_at`, and in `data` the amount and the total after it.
        origin: The name of the log.
        size: How many events the checkpoint covers.
        root_hash: Their root, in hex.
        note: The checkpoint, for who knows witnesses, or keeps it to compare it with later ones.
        text: The whole response: what others verify again.
    """

    license_id: str
    event_id: str
    event: Members
    origin: str
    size: int
    root_hash: str
    note: str
    text: str


def verify_receipt(
    body: Union[str, bytes],
    keys: Keys,
    *,
    license_id: Optional[str] = None,
    event_id: Optional[str] = None,
    nonce: Optional[str] = None,
    allow_test: bool = False,
) -> VerifiedReceipt:
    """Verifies the receipt of a use, the whole response of `GET /api/v1/license/receipt` as the text that arrived.

    The service must have signed it and its checkpoint, and the leaf of this very use must be in the log that the checkpoint covers
    (RFC 6962, 2.1.1). The license, the use and the nonce are compared where they are given. Asks nobody. Raises a
    `VerificationError`, with `not_in_log` where the leaf does not lead to the root that was signed.
    """
    data, _ = verify_signed(parse_object(body), keys, allow_test)
    if data.get("schema") != _SCHEMA or not all(isinstance(data.get(name), str) for name in _TEXTS):
        raise VerificationError("malformed", "The signed data is not a receipt")
    for code, name, expected in (
        ("nonce_mismatch", "nonce", nonce),
        ("license_mismatch", "license_id", license_id),
        ("request_mismatch", "event_id", event_id),
    ):
        if expected is not None and data.get(name) != expected:
            raise VerificationError(code, "The receipt is of another request, license or usage event")
    event = _leaf(data)
    hashes = data.get("hashes")
    if not isinstance(hashes, list) or len(hashes) > _LONGEST_PATH:
        raise VerificationError("malformed", "The receipt has no path")
    if "tlog_proof" in data and data["tlog_proof"] != _tlog_proof(data, event["sequence"] - 1):
        raise VerificationError("malformed", "The proof is of something else than the receipt says")
    try:
        signed = verify_checkpoint(data["note"], keys)
    except VerificationError as error:
        if error.code != "checkpoint_malformed":
            raise
        raise VerificationError("malformed", str(error)) from None
    leaf, size = sha256(b"\0", data["leaf"].encode("utf-8")), signed.tree_size
    if not is_included(leaf, event["sequence"] - 1, size, hashes, bytes.fromhex(signed.root_hash)):
        raise VerificationError("not_in_log", f"The usage event is not among the {size} events that were signed")
    text = body if isinstance(body, str) else body.decode("utf-8")
    return VerifiedReceipt(
        data["license_id"], data["event_id"], event, signed.origin, size, signed.root_hash, data["note"], text
    )


def _tlog_proof(data: Members, index: int) -> str:
    """The leaf, its path and the note as one text (C2SP tlog-proof)."""
    try:
        path = [b64encode(bytes.fromhex(each)).decode() for each in data["hashes"]]
    except (TypeError, ValueError):
        raise VerificationError("malformed", "The receipt has no path") from None
    leaf = b64encode(data["leaf"].encode("utf-8")).decode()
    return "\n".join(["c2sp.org/tlog-proof@v1", f"extra {leaf}", f"index {index}", *path, "", data["note"]])


def _leaf(data: Members) -> Members:
    """The leaf as its bytes say it: the usage event of this very license and `event_id`."""
    event = parse_object(data["leaf"])
    about = event.get("data")
    if event.get("event_type") != "license.usage_recorded" or type(event.get("sequence")) is not int or not isinstance(about, dict):
        raise VerificationError("malformed", "The leaf is not a usage event")
    said = (event.get("resource_id"), about.get("event_id"), about.get("feature_code"))
    if said != (data["license_id"], data["event_id"], data["feature_code"]):
        raise VerificationError("malformed", "The leaf is of another usage event than the receipt says")
    return event
