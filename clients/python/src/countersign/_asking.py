"""Licenses as the parts see them that ask by them: `License.floating` and `License.offline`, which `License` is made of."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Mapping, Optional, Protocol

from ._strict import Members
from .verify import Keys, Verified


class Asking(Protocol):
    """The members of `License` by which these parts ask the service and verify what it says."""

    _binding: Members
    license_key: str
    product_code: str
    fingerprint: Optional[str]
    skew: timedelta
    allow_test: bool

    @property
    def device_id(self) -> Optional[str]: ...

    @property
    def keys(self) -> Keys: ...

    def check(self) -> Verified: ...

    def _send(self, operation: str, members: Mapping[str, Any]) -> bytes: ...

    def _ask(
        self,
        operation: str,
        more: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        *,
        is_bound: bool = True,
        once_within: Optional[float] = None,
    ) -> Verified: ...
