"""The person who is signed in to a license with users."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from .._keys import read_license_key
from .._strict import Members
from ..errors import VerificationError
from .record import Record

USER_SIGN_IN = "users/sign-in"
"""The operation by which a user signs in."""

MAIL_SIGN_IN = "users/mail-sign-ins"
"""The operation by which a sign-in by mail begins."""

OF_PERSON = (USER_SIGN_IN, MAIL_SIGN_IN)
"""The operations that are about a person, and not about this device."""

_WITHOUT_USER = (*OF_PERSON, "trials", "deactivate", "floating/checkin")


def user_members(operation: str, record: Record, key: str) -> Members:
    """The member that names the user in a request; none where nobody is signed in to the license of this key."""
    user = record.get("user")
    kept = record.get("licenseKey")
    if user is None or operation in _WITHOUT_USER or kept is None:
        return {}
    return {"user_token": user["token"]} if read_license_key(kept)[0] == read_license_key(key)[0] else {}


def signed_in_user(data: Members, until: int) -> Mapping[str, Any]:
    """The user of a signed answer, as it is kept. Raises a `VerificationError` where it names none."""
    found: Dict[str, Any] = {"id": data.get("user_id"), "token": data.get("user_token")}
    if not all(isinstance(value, str) for value in found.values()):
        raise VerificationError("malformed", "The signed data names no user")
    for name in ("email", "name"):
        value = data.get(f"user_{name}")
        if isinstance(value, str):
            found[name] = value
    return {**found, "until": until}


def user_issuer(data: Members) -> Tuple[str, str]:
    """The identity provider of a signed answer, and who the app is there. Raises a `VerificationError` where it names none."""
    issuer, client_id = data.get("issuer"), data.get("audience")
    if not isinstance(issuer, str) or not isinstance(client_id, str):
        raise VerificationError("malformed", "The signed data names no identity provider")
    return issuer, client_id
