"""The devices of a license, as whoever has its key sees them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, List, Mapping, Optional
from urllib.parse import urlencode

from ._strict import instant, parse_object
from .errors import UnavailableError, VerificationError


@dataclass(frozen=True)
class OwnDevice:
    """A device that holds a seat of the license.

    Attributes:
        name: What the device is called, if it told.
        kind: `hardware` or `container`.
        is_this: Whether it is this device.
        seat_held_until: Until when its seat stays taken even if it gives it back, because it can run offline until
            then: `take_seat` of such a device is refused.
    """

    id: str
    name: Optional[str]
    kind: str
    last_seen_at: datetime
    is_this: bool
    seat_held_until: Optional[datetime] = None


def list_devices(get: Callable[[str], bytes], device_id: Optional[str]) -> List[OwnDevice]:
    """All pages of the list, newest first. It is not signed: it decides nothing."""
    found: List[OwnDevice] = []
    query: Dict[str, str] = {"limit": "100"}
    if device_id is not None:
        query["device_id"] = device_id
    while True:
        try:
            page = parse_object(get(f"/api/v1/license/devices?{urlencode(query)}"))
            found.extend(_own_device(one) for one in page["data"])
            info = page["page_info"]
            if not info["has_more"]:
                return found
            query["cursor"] = str(info["next_cursor"])
        except (KeyError, TypeError, VerificationError):
            raise UnavailableError("INVALID_ANSWER", "The response is not from the service") from None


def _own_device(listed: Mapping[str, Any]) -> OwnDevice:
    return OwnDevice(
        str(listed["id"]),
        listed.get("name") or None,
        str(listed["binding_kind"]),
        instant(listed["last_seen_at"]),
        listed.get("is_this") is True,
        instant(listed["seat_held_until"]) if "seat_held_until" in listed else None,
    )
