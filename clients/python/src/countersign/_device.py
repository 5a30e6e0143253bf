"""What a machine is called, and what names none."""

from __future__ import annotations

import json
import platform
import re
import socket
import unicodedata
from pathlib import Path
from typing import Callable, Dict, Mapping, Optional

# Made for every client from one list: src/domain/licensing/licenses/placeholder-ids.json, which has the sources.
_LIST = json.loads(Path(__file__).with_name("_placeholder_ids.json").read_text("utf-8"))


def _bare(identity: str) -> str:
    """Case, white space and ASCII punctuation tell no two machines apart."""
    return re.sub(r"[\s!-/:-@\[-`{-~]", "", identity.lower())


_PLACEHOLDERS = frozenset(_bare(one["value"]) for one in _LIST["values"])
_MARKS = _LIST["containers"]
_ROOT_MOUNT = re.compile(_MARKS["rootMount"], re.MULTILINE)


def is_placeholder(identity: str) -> bool:
    """Whether an id stands where one is missing, such as `uninitialized`: every machine without one has the same."""
    text = _bare(identity)
    return not text or text in _PLACEHOLDERS or re.fullmatch(r"(.)\1{7,}", text, re.DOTALL) is not None


def is_container(
    environment: Mapping[str, str], exists: Callable[[str], bool], read: Callable[[str], Optional[str]]
) -> bool:
    """Whether the program runs in a container, whose image names no machine."""
    return (
        any(name in environment for name in _MARKS["environment"])
        or any(exists(path) for path in _MARKS["files"])
        or _ROOT_MOUNT.search(read("/proc/self/mountinfo") or "") is not None
    )


def own_name() -> Dict[str, str]:
    """By what a person tells devices apart: the host's name, and the system. What cannot be told is left out."""
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    try:
        host = socket.gethostname()
    except OSError:
        host = ""
    # The longest that the service takes, in UTF-16 code units.
    named = {"hostname": sendable(host, 255), "os": sendable(f"{system} {platform.release()}", 128)}
    return {member: text for member, text in named.items() if text}


def sendable(name: str, length: int) -> str:
    """A name without what nobody sees, and no longer than so many UTF-16 code units."""
    seen = "".join(one for one in name if unicodedata.category(one)[0] != "C" and unicodedata.category(one) not in ("Zl", "Zp"))
    return seen.strip().encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")
