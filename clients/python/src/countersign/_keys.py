"""License keys as people type and paste them. test/vectors/keys.json holds every reader of the project to one table."""

from __future__ import annotations

import re
from typing import Optional, Tuple

from .errors import InputError

LONGEST_KEY = 1000
LONGEST_PASTE = 4000

# What nobody sees, among it the byte order mark and the soft hyphen.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LINE_BREAK = re.compile("\r\n?|[\n\u0085\u2028\u2029]")
_BLANK = re.compile("[\t\v\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_DASH = re.compile(
    "[\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u207b\u2212\u2500\u2501\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030"
    "\u30a0\u30fc\ufe31\ufe32\ufe58\ufe63\uff0d\uff70]"
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_QUOTE_MARKS = re.compile(r"(^|\n) *(?:[>|]+(?: +|(?=\n|\Z)))*")
# Of no key of any system, because they are not ASCII.
_QUOTATION_MARKS = " \u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u00ab\u00bb\u300c\u300d\u300e\u300f"

_SOLID = re.compile("[!-~]+")
_IMPORTED = re.compile("[!-~]{8,%d}" % LONGEST_KEY)
_PUNCTUATION = re.compile("^[^0-9A-Za-z]+|[^0-9A-Za-z]+$")
_LABEL = re.compile(r"\A[^:0-9]{1,60}: *\n*")
_SHORTEST_BROKEN_LINE = 40
_OURS_WITHIN = re.compile(
    r"(?<![0-9A-Za-z-])CST?(?:[ \n-]*[0-9A-Za-z]){25}(?![0-9A-Za-z]|-[0-9A-Za-z])", re.IGNORECASE | re.ASCII
)
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# What the check of a key sums to by what the key begins with: a key that lost or gained the mark of test is mistyped.
_CHECKS = {"CS": 0, "CST": 1}
_OURS = re.compile(f"(CST?)([{_ALPHABET}]{{25}})")

FAULTS = {
    "empty": "is missing",
    "too_long": "stands in a text that is too long: give the key alone",
    "management_token": "is a management token, and no license key",
    "publishable_key": "is a publishable key, which is good for opening trials alone, and no license key",
    "mistyped": "is mistyped: its length, a character or the check character at its end is wrong; compare it with the "
    "key as it was issued",
    "several": "must be one, and several are in this text",
    "spaces": "cannot be in this text, which has spaces where no key has any: give the key alone, as it was issued",
    "characters": "has characters that no license key has, such as letters of another alphabet; compare it with the key "
    "as it was issued",
    "length": "cannot be this: one has 8 to 1,000 visible ASCII characters; compare it with the key as it was issued",
}
"""Why a text is no license key, as what completes "The license key …"."""

Reading = Tuple[Optional[str], str]
"""The key and an empty text, or None and one of `FAULTS`."""


def as_meant(pasted: str) -> str:
    """A text in the characters that a person meant who pasted it. Visible ASCII characters stay as they are."""
    text = _BLANK.sub(" ", _LINE_BREAK.sub("\n", _INVISIBLE.sub("", pasted)))
    return _DASH.sub("-", text).translate(_FULL_WIDTH)


def unquoted(text: str) -> str:
    """What was meant, without the marks before the lines of a quoted mail."""
    return _QUOTE_MARKS.sub(r"\1", text).strip(" \n")


def read_license_key(pasted: str) -> Reading:
    """A license key as it was issued, from what a person typed or pasted."""
    if len(pasted.encode("utf-16-le", "surrogatepass")) // 2 > LONGEST_PASTE:
        return None, "too_long"
    entered = as_meant(pasted).strip(" \n")
    if _SOLID.fullmatch(entered):
        return _read_solid(entered)
    text = unquoted(entered)
    if not text:
        return None, "empty"
    within = [_read_ours(found[0]) for found in _OURS_WITHIN.finditer(text)]
    ours = {key for key in within if key is not None}
    if ours:
        return (None, "several") if len(ours) > 1 else (ours.pop(), "")
    alone = _read_around(text)
    if _SOLID.fullmatch(alone) and not within:
        return _read_solid(alone)
    if _is_token(alone):
        return None, "management_token"
    if within or _begins_as_ours(alone):
        return None, "mistyped"
    return None, "characters" if re.search("[^ -~\n]", alone) else "spaces"


def normal_key(pasted: str) -> str:
    """A license key as it was issued. Raises an `InputError` for what cannot be one: nobody need be asked about that."""
    key, fault = read_license_key(pasted)
    if key is None:
        raise InputError("LICENSE_KEY_MALFORMED", f"The license key {FAULTS[fault]}.")
    return key


def is_of_test(credential: str) -> bool:
    """Whether a license key or a publishable key, as it was issued, belongs to the test environment by its form."""
    return credential.startswith("cpk_test_") or re.fullmatch("CST(?:-[0-9A-Z]{5}){5}", credential) is not None


def normal_token(pasted: str, name: str) -> str:
    """A token without what nobody sees. Raises an `InputError` for what can be none."""
    token = as_meant(pasted).strip(" \n")
    if _SOLID.fullmatch(token) is None:
        message = f"The {name} has a character that none has. Compare it with the one that was issued."
        raise InputError("CREDENTIAL_MALFORMED", message)
    return token


def _read_solid(text: str) -> Reading:
    """Reads a text of visible ASCII characters, in which every one may belong to a key."""
    if _is_token(text):
        return None, "management_token"
    if _is_publishable_key(text):
        return None, "publishable_key"
    ours = _read_ours(_PUNCTUATION.sub("", text))
    if ours is not None:
        return ours, ""
    if _begins_as_ours(text):
        return None, "mistyped"
    return (text, "") if _IMPORTED.fullmatch(text) else (None, "length")


def _read_around(text: str) -> str:
    """The one key of another system in a text: behind a label, in quotation marks, or broken into long lines."""
    if " " in text or "\n" in text:
        text = _LABEL.sub("", text)
    text = text.strip(_QUOTATION_MARKS)
    lines = [line.strip(" ") for line in text.split("\n")]
    return "".join(lines) if all(len(line) >= _SHORTEST_BROKEN_LINE for line in lines[:-1]) else text


def _read_ours(text: str) -> Optional[str]:
    entered = re.sub("[ \n-]", "", text).upper().translate(str.maketrans("OIL", "011"))
    found = _OURS.fullmatch(entered)
    if found is None:
        return None
    lead, characters = found[1], found[2]
    if _weigh(characters) != _CHECKS[lead]:
        return None
    return "-".join([lead, *(characters[at : at + 5] for at in range(0, 25, 5))])


def _weigh(characters: str) -> int:
    """The check: values weighted with powers of x in GF(32) = GF(2)[x] / (x^5 + x^2 + 1)."""
    total = 0
    for character in characters:
        total = (total << 1) ^ (0b100101 if total & 16 else 0) ^ _ALPHABET.index(character)
    return total


def _begins_as_ours(text: str) -> bool:
    flags = re.IGNORECASE | re.ASCII
    if re.match("CS ?-", text, flags) or re.fullmatch("CST(?:-[0-9A-Z]{5}){5}", text, flags):
        return True
    bare = re.sub("[ \n-]", "", text)
    if re.fullmatch("CS[0-9A-Z]{25}", bare, flags):
        return True
    # Letters alone are more likely the name of a company.
    return bool(re.match("CS[ \n]", text, flags) and re.fullmatch("CS(?=.*[0-9])[0-9A-Z]{20,30}", bare, flags))


def _is_token(text: str) -> bool:
    return text.startswith(("csk_", "admin_"))


def _is_publishable_key(text: str) -> bool:
    if re.fullmatch("cpk_(?:test_)?[0-9A-Za-z]{28}", text) is None:
        return False
    import zlib

    rest, check = zlib.crc32(text[:-6].encode("ascii")), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        check = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[digit] + check
    return check == text[-6:]
