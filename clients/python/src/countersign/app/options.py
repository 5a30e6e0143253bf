"""What a license of an app needs to know."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence

from .clock import AppClock
from .store import LicenseStore


@dataclass(frozen=True)
class LicenseOptions:
    """The arguments of `open_license`, which says what each is."""

    base_url: str
    product_code: str
    public_keys: Sequence[Mapping[str, Any]]
    store: LicenseStore
    fingerprint: str
    device: Mapping[str, Any] = field(default_factory=dict)
    name_device: bool = True
    grace_days: float = 7
    license_key: Optional[str] = None
    process_id: Optional[str] = None
    key_rotation: str = "fetch"
    allow_test: bool = False
    timeout: float = 10
    max_retries: int = 1
    on_problem: Callable[[BaseException], object] = lambda _: None
    clock: AppClock = field(default_factory=AppClock)
    sleep: Callable[[float], object] = time.sleep

    def __post_init__(self) -> None:
        # Without it the license of any product would do; an unset variable is None whatever the types say.
        if not self.product_code:
            raise ValueError("product_code must be the code of your product")
        if not self.public_keys:
            raise ValueError("public_keys must have the keys that you ship with the app")
        if not self.fingerprint.strip():
            raise ValueError("fingerprint must name this machine")
        if not self.grace_days >= 0:
            raise ValueError("grace_days must not be negative")
        if self.key_rotation not in ("fetch", "pinned"):
            raise ValueError('key_rotation must be "fetch" or "pinned"')
