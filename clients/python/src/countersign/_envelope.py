"""Envelopes and files as mail programs and editors hand them on."""

from __future__ import annotations

import re
from typing import Union

from ._keys import as_meant, unquoted
from ._strict import Members, parse_object
from .errors import VerificationError

_LONGEST = 1_000_000
_QUOTATION_MARKS = re.compile("[\u201c-\u201f\u00ab\u00bb]")


def envelope_text(envelope: Union[str, bytes]) -> str:
    """A file as text: UTF-8, or UTF-16 by its byte order mark, as some editors save it."""
    if isinstance(envelope, str):
        return envelope
    is_utf_16 = envelope[:2] in (b"\xff\xfe", b"\xfe\xff")
    return envelope.decode("utf-16" if is_utf_16 else "utf-8", "replace")


def read_envelope(text: str) -> Members:
    """Reads an envelope. Raises a `VerificationError` where it is none, or can be read in two ways."""
    # JSON may have in a text what nobody sees, and an envelope has none.
    if text.isascii() or len(text) > _LONGEST:
        try:
            return parse_object(text)
        except VerificationError:
            if len(text) > _LONGEST:
                raise
    return parse_object(_as_sealed(text))


def _as_sealed(text: str) -> str:
    """The text without a byte order mark, the marks of a quoted mail, line breaks, quoted-printable and what stands around it.

    In an envelope itself there is no white space. What was changed otherwise is found by its seal.
    """
    plain = _QUOTATION_MARKS.sub('"', _from_quoted_printable(unquoted(as_meant(text))))
    return re.sub("[ \n]", "", plain[max(0, plain.find("{")) : plain.rfind("}") + 1])


def _from_quoted_printable(text: str) -> str:
    """RFC 2045, 6.7; an envelope shows it by its padding."""
    if re.search("=3D", text, re.IGNORECASE) is None:
        return text
    text = re.sub("= *\n", "", text)
    return re.sub("=([2-7][0-9A-Fa-f])", lambda found: chr(int(found[1], 16)), text)
