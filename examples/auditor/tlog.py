"""Proofs of single events (C2SP tlog-proof), and the keys of a log as its own events say them (docs/reference/events.md)."""

import re

from log import check_inclusion, check_unrevoked, read_note, sha256, signed_by
from strict_json import Refused, canonical_bytes, decode_base64, parse


def read_proof(text):
    """The leaf as its bytes, its index and path, and the note: a proof whose extra data is the leaf. Nothing is verified."""

    def malformed(what):
        return Refused("malformed", what)

    head, gap, note = text.partition("\n\n")
    lines = head.split("\n")
    if not gap or lines.pop(0) != "c2sp.org/tlog-proof@v1":
        raise malformed("it is no proof")
    try:
        leaf = decode_base64(lines.pop(0)[6:]) if lines and lines[0].startswith("extra ") else None
        index = re.fullmatch(r"index (0|[1-9][0-9]{0,15})", lines.pop(0) if lines else "")
        path = [decode_base64(line, 32) for line in lines]
    except ValueError:
        raise malformed("its base64 is none") from None
    if leaf is None or index is None or len(path) > 64:
        raise malformed("it has no event, or no index")
    return leaf, int(index[1]), path, note


def event_of(leaf, index):
    """The event whose leaf these bytes are, which stands at this index of the log."""
    try:
        event = parse(leaf)
        is_leaf = isinstance(event, dict) and canonical_bytes(event) == leaf
    except (Refused, ValueError):
        is_leaf = False
    if not is_leaf or type(event.get("sequence")) is not int or event["sequence"] != index + 1:
        raise Refused("malformed", "it is no event at this place")
    return event


def in_tree(leaf, index, size, path, root):
    try:
        check_inclusion(sha256(b"\0", leaf), index, size, path, root)
    except Refused:
        raise Refused("not_in_log", "the event is not in the log that was signed") from None


def check_tlog_proof(text, keys):
    """The event that is in the log, and the note that covers it."""
    leaf, index, path, note = read_proof(text)
    event, said = event_of(leaf, index), check_unrevoked(note, keys)
    in_tree(leaf, index, said["tree_size"], path, bytes.fromhex(said["root_hash"]))
    return event, said


def _key_of(data, origin):
    """The key that an event names for the checkpoints of this log: a verifier key of C2SP signed-note, of type 1."""
    vkey = data.get("verifier_key") if isinstance(data, dict) else None
    name, _, rest = vkey.partition("+") if isinstance(vkey, str) else ("", "", "")
    key_id, _, encoded = rest.partition("+")
    try:
        raw = decode_base64(encoded, 33)
    except ValueError:
        raw = b""
    is_key = name == origin and raw[:1] == b"\1" and sha256(f"{name}\n".encode(), raw)[:4].hex() == key_id
    if not is_key or not isinstance(data.get("kid"), str):
        raise Refused("malformed", "the event names no key of this log")
    return data["kid"], raw[1:]


def _change_in(event, origin):
    """What an event says of the keys: ("introduced", kid, key, key before), or ("revoked", kid, key, when)."""
    data, kind = event.get("data"), (event.get("event_type"), event.get("resource_type"))
    if kind == ("log.key_introduced", "log") and event.get("resource_id") == origin and isinstance(data, dict):
        kid, key = _key_of(data, origin)
        _, by = _key_of(data.get("introduced_by"), origin)
        if data.get("origin") == origin and key != by:
            return "introduced", kid, key, by
    if kind == ("signing_key.revoked", "signing_key") and isinstance(data, dict) and data.get("status") == "revoked":
        try:
            key = decode_base64(data.get("public_key"), 32)
        except ValueError:
            raise Refused("malformed", "no key is revoked") from None
        if isinstance(data.get("kid"), str) and isinstance(data.get("revoked_at"), str):
            return "revoked", data["kid"], key, data["revoked_at"]
    raise Refused("malformed", "the event says nothing of the keys of this log")


def follow_key(text, keys):
    """Takes what the log says of its keys: one that a trusted key introduces which signed the checkpoint, or one that another revokes."""
    leaf, index, path, note = read_proof(text)
    try:
        signed, origin, size, root, signatures = read_note(note)
    except Refused as refused:
        raise Refused("malformed", refused.detail) from None
    kind, kid, key, other = _change_in(event_of(leaf, index), origin)
    in_tree(leaf, index, size, path, root)
    revoked = {raw for raw, _ in keys.revoked.values()}
    trusted = {raw for raw in keys.published.values()} | {raw for raw, log, _ in keys.introduced.values() if log == origin}
    if key in revoked or (kind == "introduced" and key in trusted):
        return
    if kind == "introduced" and other in revoked:
        raise Refused("revoked_key", "the key that introduces it was revoked")
    counting = set(keys.published.values()) | {raw for _, raw in keys.introduced_in(origin, size)}
    signers = [one for one in counting - revoked if (one == other if kind == "introduced" else one != key)]
    if not any([signed_by(one, "a key", signed, origin, signatures)[0] for one in signers]):
        raise Refused("unknown_key", "no key that is trusted introduces it and signed the checkpoint")
    if kind == "introduced":
        keys.introduced[kid] = (key, origin, index + 1)
        return
    for known in (keys.published, keys.introduced):
        for name in [name for name, one in known.items() if key in (one, one[0])]:
            del known[name]
    keys.revoked[kid] = (key, other)
