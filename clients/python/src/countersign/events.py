"""Verifies events without asking anybody: single ones, and those of one license by its chain. docs/reference/events.md says how."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ._strict import decode_base64
from ._tree import is_included, sha256
from .errors import VerificationError
from .verify import Keys

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Link:
    """An event as the next one of its license names it. Sequence 0, with a hash of 64 zeros, is the beginning of the license."""

    sequence: int
    hash: str


START = Link(0, "0" * 64)


@dataclass(frozen=True)
class VerifiedCheckpoint:
    """A state of the log that the service signed: its name, how many events, and the root of their tree in hex."""

    origin: str
    tree_size: int
    root_hash: str
    kid: str


@dataclass(frozen=True)
class VerifiedLicenseChain:
    """Events of a license of which none between the first and the last is missing.

    Attributes:
        events: How many.
        after: The event before the first one, `START` where they begin with the license; None where no event says it.
        last: The last one, which the next event of the license names: the `after` of the next verification.
        checkpoint: The state of the log that has them.
    """

    events: int
    after: Optional[Link]
    last: Optional[Link]
    checkpoint: VerifiedCheckpoint


def verify_event(event: Event) -> bytes:
    """The leaf hash of an event whose `hash` follows from its content, and whose personal values are those it was recorded with.

    Raises a `VerificationError` otherwise: `altered` or `commitment_mismatch`, with the `sequence`. An event alone proves only that: that it
    is in the log of a service shows its chain.
    """
    sequence = _sequence_of(event)
    if sequence is None:
        raise VerificationError("altered", "It is not an event with a sequence")
    try:
        leaf, unopened = _leaf(event)
        computed = sha256(bytes.fromhex(event["previous_hash"]), leaf).hex()
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError, VerificationError):
        raise VerificationError("altered", "It cannot be read", sequence=sequence) from None
    if computed != event.get("hash"):
        raise VerificationError("altered", "Its hash does not follow from its content", sequence=sequence)
    if unopened is not None:
        raise VerificationError("commitment_mismatch", f"The value or salt at {unopened} does not open its commitment", sequence=sequence)
    return leaf


def verify_license_events(
    events: Iterable[Any], license_id: str, *, after: Optional[Link] = None
) -> Tuple[Optional[Link], Optional[Link]]:
    """The event before the first one and the last one of served events of a license, each of which names the one before it.

    `after` is the event before the first one, `START` where they begin with the license; without it the first one says what it follows. Raises a
    `VerificationError` for the first bad one, with its `sequence`: `missing`, `inserted`, `reordered`, `altered`, `commitment_mismatch`,
    `other_license`. Whether they are in a log that was signed says `verify_license_chain`.
    """
    last, begins, is_linked = after, after, False
    missing: Optional[VerificationError] = None
    for event in events:
        sequence = _sequence_of(event)
        if missing is not None:
            if sequence == missing.sequence:
                raise VerificationError("reordered", "It comes after a later event", sequence=sequence)
            continue
        place = 0 if last is None else last.sequence
        if sequence is None:
            raise VerificationError("altered", "It is not an event with a sequence", sequence=place + 1)
        if sequence <= place:
            raise VerificationError("inserted", f"It comes after event {place}", sequence=sequence)
        verify_event(event)
        if _license_of(event) != license_id:
            raise VerificationError("other_license", f"It is not about {license_id}", sequence=sequence)
        named = event.get("previous_of_license")
        if named is None:
            if is_linked:
                raise VerificationError("altered", "It names no previous event, as those before it do", sequence=sequence)
        else:
            is_linked, link = True, _link_of(named, sequence)
            if last is None:
                begins = link
            else:
                missing = _missing(sequence, link, last)
        last = Link(sequence, cast(str, event["hash"]))
    if missing is not None:
        raise missing
    return begins, last


def verify_license_chain(
    events: Sequence[Mapping[str, Any]],
    note: str,
    license_id: str,
    keys: Keys,
    *,
    after: Optional[Link] = None,
) -> VerifiedLicenseChain:
    """Verifies the events of one license without the others: that each is in the log that was signed, and names the one before it.

    `events` are those of all pages of `GET /api/v1/events/chain` of one `tree_size` in their order, each with its `hashes`, and `note` is that
    of their checkpoint. Events after the last one cannot be seen to be missing. Raises a `VerificationError` as `verify_license_events`
    does, or with `checkpoint_malformed`, `unknown_key`, `signature_mismatch` of the note, or `not_in_log`.
    """
    checkpoint = verify_checkpoint(note, keys)
    begins, last = verify_license_events([each["event"] for each in events], license_id, after=after)
    root = bytes.fromhex(checkpoint.root_hash)
    for each in events:
        event = each["event"]
        if not is_included(_leaf(event)[0], event["sequence"] - 1, checkpoint.tree_size, each["hashes"], root):
            message = f"It is not among the {checkpoint.tree_size} events that were signed"
            raise VerificationError("not_in_log", message, sequence=event["sequence"])
    return VerifiedLicenseChain(len(events), begins, last, checkpoint)


def verify_checkpoint(note: Any, keys: Keys) -> VerifiedCheckpoint:
    """The state of the log that a note says, which one of the keys signed (C2SP signed-note and tlog-checkpoint).

    Raises a `VerificationError`: `checkpoint_malformed`, `unknown_key` where none of the keys signed it, `signature_mismatch`.
    """
    text, origin, size, root, signatures = _read_note(note)
    for kid, key in keys.items():
        # A signature of the note alone has the kind 1, one with a time the kind 4 (C2SP tlog-cosignature).
        plain, timed = (sha256(f"{origin}\n".encode(), bytes([kind]), key)[:4] for kind in (1, 4))
        is_signed = False
        for name, key_id, signature in signatures:
            if name != origin or key_id not in (plain, timed):
                continue
            message = text
            if key_id == timed:
                time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
                message = f"cosignature/v1\ntime {time}\n{text}"
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(signature, message.encode())
            except InvalidSignature:
                raise VerificationError("signature_mismatch", f"The checkpoint is not what {kid} signed") from None
            is_signed = True
        if is_signed:
            return VerifiedCheckpoint(origin, size, root.hex(), kid)
    raise VerificationError("unknown_key", f"The checkpoint of {size} events is signed with none of the keys")


def _read_note(note: Any) -> Tuple[str, str, int, bytes, List[Tuple[str, bytes, bytes]]]:
    malformed = VerificationError("checkpoint_malformed", "The checkpoint cannot be read")
    if not isinstance(note, str) or not note.endswith("\n") or re.search(r"[\0-\x09\x0b-\x1f]", note):
        raise malformed
    text, gap, block = note.rpartition("\n\n")
    lines = text.split("\n")
    if not gap or len(lines) < 3 or "" in lines or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]):
        raise malformed
    signatures = []
    try:
        root = decode_base64(lines[2], 32)
        for line in block[:-1].split("\n"):
            dash, name, encoded = line.split(" ")
            signed = decode_base64(encoded)
            if dash != "\u2014" or not name or len(signed) < 5:
                raise malformed
            signatures.append((name, signed[:4], signed[4:]))
    except (ValueError, VerificationError):
        raise malformed from None
    return f"{text}\n", lines[0], int(lines[1]), root, signatures


def _sequence_of(event: Any) -> Optional[int]:
    sequence = event.get("sequence") if isinstance(event, Mapping) else None
    is_safe = isinstance(sequence, int) and not isinstance(sequence, bool) and abs(sequence) < 2**53
    return cast(int, sequence) if is_safe else None


def _license_of(event: Event) -> Any:
    """The license that the leaf says, or the resource in leaves that say none."""
    return event.get("license_id", event.get("resource_id") if event.get("resource_type") == "license" else None)


def _link_of(named: Any, sequence: int) -> Link:
    claimed = _sequence_of(named)
    if claimed is None or not isinstance(named.get("hash"), str):
        raise VerificationError("altered", "It names no event", sequence=sequence)
    return Link(claimed, named["hash"])


def _missing(sequence: int, named: Link, before: Link) -> Optional[VerificationError]:
    """The event that is missing before one; raises for what else its link shows in what stands before it."""
    if named.sequence > before.sequence:
        return VerificationError("missing", f"Event {sequence} names it as the previous one", sequence=named.sequence)
    if named.sequence < before.sequence:
        raise VerificationError("inserted", f"Event {sequence} names an earlier one", sequence=before.sequence)
    if named.hash != before.hash:
        raise VerificationError("altered", f"Event {sequence} names another event", sequence=before.sequence)
    return None


def _leaf(event: Event) -> Tuple[bytes, Optional[str]]:
    """The leaf hash of an event as it is served, and the pointer of the first commitment that is not opened."""
    leaf = json.loads(json.dumps({name: each for name, each in event.items() if name not in ("hash", "previous_hash", "salts")}))
    commitments, salts = event.get("commitments", {}), event.get("salts", {})
    unopened = next((pointer for pointer in salts if pointer not in commitments), None)
    for pointer, committed in commitments.items():
        container, name = _place(leaf, pointer)
        is_shown = container is not None and name in container
        if is_shown or pointer in salts:
            value = container[name] if container is not None and is_shown else None
            if not (is_shown and pointer in salts and _opens(committed, salts[pointer], value)) and unopened is None:
                unopened = pointer
        if container is not None and is_shown:
            del container[name]
    return sha256(b"\0", _canonical(leaf).encode("utf-8")), unopened


def _opens(committed: Any, salt: Any, value: Any) -> bool:
    try:
        return sha256(decode_base64(salt, 16), _canonical(value).encode("utf-8")) == decode_base64(committed)
    except VerificationError:
        return False


def _place(event: Any, pointer: str) -> Tuple[Optional[Dict[str, Any]], str]:
    """The container and the name that a pointer of `commitments` leads to; None where it is not there."""
    if pointer != "/ip_address" and not re.match(r"/(data|metadata)/.", pointer):
        raise ValueError(f"the pointer {pointer} leads to nothing personal")
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]
    for token in tokens[:-1]:
        if isinstance(event, list) and token.isdigit() and int(token) < len(event):
            event = event[int(token)]
        else:
            event = event.get(token) if isinstance(event, dict) else None
    return (event if isinstance(event, dict) else None), tokens[-1]


def _canonical(value: Any) -> str:
    """The canonical JSON text of a value (RFC 8785): what callers store in events may have any number and any name."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{_canonical(name)}:{_canonical(value[name])}' for name in names)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_canonical, value))}]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(number: Union[int, float]) -> str:
    """A number as ECMAScript writes it (RFC 8785 section 3.2.2.3)."""
    if isinstance(number, int):
        if abs(number) < 2**53:
            return str(number)
        number = float(number)
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + cast(int, exponent)
    if len(text) <= point <= 21:
        written = text + "0" * (point - len(text))
    elif 0 < point <= 21:
        written = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        written = f"0.{'0' * -point}{text}"
    else:
        mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
        written = f"{mantissa}e{'+' if point > 1 else '-'}{abs(point - 1)}"
    return ("-" if sign else "") + written
