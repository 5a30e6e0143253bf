"""How the license of an app stands, why, and what the refusals of the service say about it.

The tables are those of docs/reference/app-states.md; test/vectors/app-states.json holds this package to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, NamedTuple, Optional, Tuple

# The states in which the app runs come first.
STATES = ("active", "grace", "offline", "expired", "suspended", "revoked", "over-limit", "unlicensed")
RUNNING = ("active", "grace", "offline")


class Reason(NamedTuple):
    """Why a license stands as it does: the state that follows, and what to show to the person at the app."""

    state: str
    show: str


REASONS: Mapping[str, Reason] = {
    "confirmed": Reason("active", "Your license is active."),
    "renewal_due": Reason(
        "active", "Your license has expired. It keeps working until the date shown. Please renew it."
    ),
    "unreachable": Reason(
        "grace",
        "Your license could not be verified for a while. Please connect to the internet before the date shown.",
    ),
    "offline_envelope": Reason("offline", "You are working offline, until the date shown."),
    "license_expired": Reason("expired", "Your license has expired. Please renew it."),
    "trial_over": Reason("expired", "Your trial has expired. Please buy a license."),
    "trial_used": Reason("expired", "This device has already used its trial. Please buy a license."),
    "grace_over": Reason(
        "expired",
        "Your license could not be verified for too long. Please connect to the internet to continue.",
    ),
    "offline_over": Reason(
        "expired",
        "Your offline file has expired. Please connect to the internet, or ask the vendor for a new file.",
    ),
    "suspended": Reason("suspended", "Your license is suspended. Please contact the vendor."),
    "not_started": Reason("suspended", "Your license has not started yet."),
    "revoked": Reason("revoked", "Your license was revoked. Please contact the vendor."),
    "no_free_seat": Reason(
        "over-limit", "Every seat of your license is in use. Please free one on another device."
    ),
    "user_required": Reason("unlicensed", "Please sign in to use your license."),
    "user_not_allowed": Reason(
        "unlicensed", "Your account may not use this license. Please ask who manages it."
    ),
    "no_free_user": Reason(
        "over-limit", "As many people as your license allows use it. Please ask who manages it."
    ),
    "no_floating_seat": Reason(
        "over-limit", "Every floating seat is in use. Please try again later."
    ),
    "no_license": Reason("unlicensed", "Please enter your license key."),
    "key_invalid": Reason("unlicensed", "This license key is not known. Please check it."),
    "other_product": Reason("unlicensed", "This license is for another product."),
    "other_environment": Reason(
        "unlicensed", "This license is for testing only. Please enter the license key that you bought."
    ),
    "other_device": Reason(
        "unlicensed", "This license was activated on another device. Please activate it here."
    ),
    "device_released": Reason("unlicensed", "This device is no longer activated. Please activate it again."),
    "device_blocked": Reason("unlicensed", "This device is blocked. Please contact the vendor."),
    "machine_not_allowed": Reason("unlicensed", "Your license does not cover virtual machines or containers."),
    "given_back": Reason("unlicensed", "The seat of this device was released."),
    "store_unreadable": Reason("unlicensed", "Your license could not be read. Please connect to the internet."),
}


@dataclass(frozen=True)
class Problem:
    """What went wrong last, as the app may log it: a code of the service, of the connection, or of a verifier."""

    code: str
    message: str
    detail: Optional[str] = None


# What each refusal of the service says about the license, and what a verifier says of another environment. A code that is not here decides nothing.
_REFUSALS: Mapping[str, str] = {
    "LICENSE_KEY_INVALID": "key_invalid",
    "PRODUCT_MISMATCH": "other_product",
    "environment_mismatch": "other_environment",
    "LICENSE_EXPIRED": "license_expired",
    "TRIAL_USED": "trial_used",
    "DEVICE_BLACKLISTED": "device_blocked",
    "DEVICE_NOT_ACTIVATED": "device_released",
    "VM_NOT_ALLOWED": "machine_not_allowed",
    "CONTAINER_NOT_ALLOWED": "machine_not_allowed",
    "ACTIVATION_LIMIT_EXCEEDED": "no_free_seat",
    "SELF_SERVICE_NOT_ALLOWED": "no_free_seat",
    "SELF_SERVICE_LIMIT_EXCEEDED": "no_free_seat",
    "FLOATING_LIMIT_EXCEEDED": "no_floating_seat",
    "USER_SIGN_IN_REQUIRED": "user_required",
    "USER_NOT_ALLOWED": "user_not_allowed",
    "USER_LIMIT_EXCEEDED": "no_free_user",
    "USER_DEVICE_LIMIT_EXCEEDED": "no_free_seat",
}

# What the details of LICENSE_INACTIVE say.
_INACTIVE: Mapping[str, str] = {"revoked": "revoked", "suspended": "suspended", "not_started": "not_started"}

# The detail of a refusal that says that a person took the seat of this device.
_RELEASED = "released"

# The refusals of a lease that decide only with that detail: without it, another lease may be had.
LOST_LEASES = ("LEASE_NOT_FOUND", "LEASE_EXPIRED")


def is_released(problem: Problem) -> bool:
    """Whether a person took the seat of this device.

    It is not taken again by itself, or the next machine would find it taken. One that only lapsed is.
    """
    return problem.detail == _RELEASED and problem.code in ("DEVICE_NOT_ACTIVATED", *LOST_LEASES)


def is_of_seat(problem: Problem) -> bool:
    """Whether a refusal is about a floating seat, and says nothing of the license or of the seats of others."""
    return problem.code == "FLOATING_LIMIT_EXCEEDED" or (problem.code in LOST_LEASES and is_released(problem))


def refusal_reasons() -> Tuple[Tuple[str, Optional[str], str], ...]:
    """Every refusal that decides about a license, as it is published: code, detail where that decides, and reason."""
    return (
        *(("LICENSE_INACTIVE", detail, reason) for detail, reason in _INACTIVE.items()),
        *((code, _RELEASED, "device_released") for code in LOST_LEASES),
        *((code, None, reason) for code, reason in _REFUSALS.items()),
    )


def reason_of(problem: Problem) -> Optional[str]:
    """What a refusal says about the license; None where it decides nothing about it."""
    if problem.code == "LICENSE_INACTIVE":
        # An inactive license does not run, whatever detail a later service may give.
        return _INACTIVE.get(problem.detail or "", "suspended")
    if is_released(problem):
        return "device_released"
    return _REFUSALS.get(problem.code)
