"""The license in an app: states, store, clock, offline envelopes, floating seats and uses.

`License` of the package above asks and verifies; this keeps, and decides whether the app may run.
"""

from .clock import AppClock
from .consumption import Refund, Use
from .device_flow import SignInError
from .fingerprint import fingerprint
from .license import AppLicense, UserSignInPrompt, open_license
from .mail_sign_in import MailSignInPrompt
from .machine import TRANSITIONS, Limits, MachineState, next_state
from .standing import Standing
from .states import REASONS, RUNNING, STATES, Problem, Reason
from .store import FileStore, LicenseStore, MemoryStore
from .watch import Watch

__all__ = [
    "REASONS",
    "RUNNING",
    "STATES",
    "TRANSITIONS",
    "AppClock",
    "AppLicense",
    "FileStore",
    "LicenseStore",
    "Limits",
    "MachineState",
    "MailSignInPrompt",
    "MemoryStore",
    "Problem",
    "Reason",
    "Refund",
    "SignInError",
    "Standing",
    "Use",
    "UserSignInPrompt",
    "Watch",
    "fingerprint",
    "next_state",
    "open_license",
]
