"""JSON of which there is one reading (RFC 7493), its canonical form (RFC 8785), canonical base64, and instants."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Tuple, Union

from .errors import VerificationError

Members = Dict[str, Any]

# How deep JSON may be nested. What the service signs is at most 32 deep, and what runs over a deeper one fails anywhere.
_DEEPEST = 100


def _members(pairs: List[Tuple[str, Any]]) -> Members:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice")
    return members


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _read_number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number beyond all doubles, which readers take for different ones")
    return number


def _check_depth(value: Any) -> None:
    level, depth = [value], 0
    while level:
        nested = [node for node in level if isinstance(node, (dict, list))]
        level = [member for node in nested for member in (node.values() if isinstance(node, dict) else node)]
        depth += 1 if nested else 0
        if depth > _DEEPEST:
            raise ValueError("nested too deep")


def parse_object(text: Union[str, bytes], code: str = "malformed") -> Members:
    """The JSON object of a text or of UTF-8 bytes. A name twice in an object is refused, and what is nested too deep."""
    try:
        value = json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_members,
            parse_constant=_refuse_constant,
            parse_float=_read_number,
        )
        _check_depth(value)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise VerificationError(code, "It is not JSON, or JSON that can be read in two ways") from None
    if not isinstance(value, dict):
        raise VerificationError(code, "It is not a JSON object")
    return value


def _whole(value: Any) -> Any:
    """A value with its numbers as they are signed: whole and safe, however they are written."""
    if isinstance(value, dict):
        return {name: _whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if value != int(value) or abs(value) > 2**53 - 1:
        raise VerificationError("malformed", "It has a number that is not whole, or not safe")
    return int(value)


def canonical(value: Any) -> bytes:
    """The bytes that are signed, of values whose numbers are whole, as those of the service are."""
    try:
        return json.dumps(_whole(value), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")
    except (ValueError, OverflowError, RecursionError, TypeError):
        # Half of a surrogate pair; or a value that nobody read from a text, and that no text says.
        raise VerificationError("malformed", "It has no data that can be signed") from None


def decode_base64(text: Any, length: Optional[int] = None) -> bytes:
    """The bytes of standard padded base64 in its one canonical form, of this length if one is given."""
    if isinstance(text, str):
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            data = b""
        if base64.b64encode(data).decode("ascii") == text and (length is None or len(data) == length):
            return data
    raise VerificationError("malformed", "It is not canonical base64 of the length it must have")


_instant = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{3})Z", re.ASCII)


def instant(text: Any) -> datetime:
    """An RFC 3339 date-time in UTC, as the service writes them."""
    found = _instant.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise VerificationError("malformed", "It has no instant where one must be")
    try:
        whole = datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        raise VerificationError("malformed", "It has no instant where one must be") from None
    return whole.replace(microsecond=int(found[2]) * 1000, tzinfo=timezone.utc)
