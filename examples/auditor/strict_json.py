"""JSON of which there is one reading (I-JSON, RFC 7493), its canonical form (RFC 8785), and canonical base64."""

import base64
import json
from decimal import Decimal


class Refused(Exception):
    """What was given cannot be trusted. `code` is the verdict, as the published vectors name it."""

    def __init__(self, code, detail, sequence=None):
        super().__init__(f"{code}: {detail}" if sequence is None else f"event {sequence} {code}: {detail}")
        self.code = code
        self.detail = detail
        self.sequence = sequence


def _members(pairs):
    members = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"the name {name!r} appears twice in an object")
        members[name] = value
    return members


def _number(text):
    number = float(text)
    is_whole = text.lstrip("-").isdigit()
    # A whole number must be a double exactly, because a reader with longer ones reads it exactly. Any other may have the 17
    # digits that tell doubles apart (RFC 7493 section 2.2; a sample of RFC 8785 has 17).
    if Decimal(text) != Decimal(repr(number)):
        digits = len(Decimal(text).normalize().as_tuple().digits)
        if is_whole or number == 0 or abs(number) == float("inf") or digits > 17:
            raise ValueError(f"the number {text[:40]} has more digits than a double")
    return int(text) if is_whole and abs(number) < 2**53 else number


def _unread(text):
    """A number that nobody reads must be one of doubles, however roughly."""
    number = float(text)
    if abs(number) == float("inf"):
        raise ValueError(f"the number {text[:40]} is beyond all doubles")
    return int(text) if text.lstrip("-").isdigit() else number


def _constant(text):
    raise ValueError(f"{text} is not JSON")


def _well_formed(value):
    if isinstance(value, str):
        value.encode("utf-8")  # Raises for a lone surrogate.
    elif isinstance(value, dict):
        for name, member in value.items():
            name.encode("utf-8")
            _well_formed(member)
    elif isinstance(value, list):
        for item in value:
            _well_formed(item)


def parse(given, number=_number):
    """The value of a text, or of its UTF-8 bytes. Raises ValueError for what is no I-JSON."""
    text = given.decode("utf-8") if isinstance(given, (bytes, bytearray)) else given
    try:
        value = json.loads(
            text, object_pairs_hook=_members, parse_int=number, parse_float=number, parse_constant=_constant
        )
        _well_formed(value)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return value


def parse_answer(given):
    """The value of an answer, whose numbers matter where they are signed."""
    return parse(given, _unread)


def has_whole_numbers(value):
    """Whether all numbers are whole and safe, as those that the service signs."""
    if isinstance(value, dict):
        return all(map(has_whole_numbers, value.values()))
    if isinstance(value, list):
        return all(map(has_whole_numbers, value))
    return isinstance(value, bool) or not isinstance(value, (int, float)) or value == int(value) and abs(value) < 2**53


def _write_number(number):
    """A number as ECMAScript writes it (RFC 8785 section 3.2.2.3)."""
    if isinstance(number, int):
        if abs(number) < 2**53:
            return str(number)
        number = float(number)
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if len(text) <= point <= 21:
        written = text + "0" * (point - len(text))
    elif 0 < point <= 21:
        written = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        written = f"0.{'0' * -point}{text}"
    else:
        power = point - 1
        mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
        written = f"{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"
    return ("-" if sign else "") + written


def canonical(value):
    """The canonical JSON text of a value (RFC 8785)."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        value.encode("utf-8")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return _write_number(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return f"{{{','.join(f'{canonical(name)}:{canonical(value[name])}' for name in names)}}}"


def canonical_bytes(value):
    """The UTF-8 bytes of the canonical JSON of a value."""
    return canonical(value).encode("utf-8")


def decode_base64(text, length=None):
    """The bytes of canonical padded base64 (RFC 4648 sections 3.5 and 4). Raises ValueError for anything else."""
    if not isinstance(text, str):
        raise ValueError("it is not base64")
    decoded = base64.b64decode(text, validate=True)
    if base64.b64encode(decoded).decode() != text or (length is not None and len(decoded) != length):
        raise ValueError("it is not canonical base64 of that length")
    return decoded
