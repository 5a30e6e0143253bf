"""The Merkle tree of the event log (RFC 9162)."""

from __future__ import annotations

import hashlib
import re
from typing import Any


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def is_included(leaf: bytes, index: int, size: int, hashes: Any, root: bytes) -> bool:
    """Whether a leaf is in a tree of this size (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size or not isinstance(hashes, list):
        return False
    at, end, found = index, size - 1, leaf
    for text in hashes:
        if end == 0 or not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{64}", text):
            return False
        other = bytes.fromhex(text)
        if at & 1 or at == end:
            found = sha256(b"\1", other, found)
            while at and not at & 1:
                at >>= 1
                end >>= 1
        else:
            found = sha256(b"\1", found, other)
        at >>= 1
        end >>= 1
    return end == 0 and found == root
