"""Licenses of a Countersign service, in apps and backends written in Python."""

from . import webhooks
from .devices import OwnDevice
from .errors import CountersignError, Finding, InputError, ServiceError, UnavailableError, VerificationError
from .events import Link, VerifiedLicenseChain, verify_checkpoint, verify_event, verify_license_chain, verify_license_events
from .floating import Floating, Seat
from .license import License
from .offline import Offline
from .receipts import VerifiedReceipt, verify_receipt
from .verify import (
    Verified,
    VerifiedOffline,
    VerifiedRefusal,
    normal_license_key,
    read_keys,
    verify_answer,
    verify_offline,
    verify_refusal,
)

__all__ = [
    "CountersignError",
    "Finding",
    "Floating",
    "InputError",
    "License",
    "Link",
    "Offline",
    "OwnDevice",
    "Seat",
    "ServiceError",
    "UnavailableError",
    "VerificationError",
    "Verified",
    "VerifiedLicenseChain",
    "VerifiedOffline",
    "VerifiedReceipt",
    "VerifiedRefusal",
    "normal_license_key",
    "read_keys",
    "verify_answer",
    "verify_checkpoint",
    "verify_event",
    "verify_license_chain",
    "verify_license_events",
    "verify_offline",
    "verify_receipt",
    "verify_refusal",
    "webhooks",
]
