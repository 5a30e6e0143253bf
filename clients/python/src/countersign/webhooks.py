"""Receives webhooks: docs/reference/webhooks.md."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from dataclasses import dataclass
from typing import Iterable, List, Mapping, Optional, Union

from ._strict import Members, parse_object
from .errors import VerificationError

_secret = re.compile("[^\x00-\x1f\x7f-\x9f\u2028\u2029]{16,128}")
_shapes = {"t": re.compile("[0-9]{1,12}"), "v1": re.compile("[0-9a-fA-F]{64}")}


@dataclass(frozen=True)
class Delivery:
    """A delivery that is genuine.

    Attributes:
        id: The same each time it is repeated: use it to recognise duplicates.
        event: The body, as it was parsed.
    """

    id: str
    event: Members

    @property
    def type(self) -> str:
        """The kind of the event, such as `license.suspended`."""
        return str(self.event["type"])

    @property
    def sequence(self) -> int:
        """The position in the feed."""
        return int(self.event["sequence"])

    @property
    def epoch(self) -> int:
        """The epoch of that position, which is signed with it: 1 until the log is restored, and from older services."""
        return int(self.event.get("epoch", 1))

    @property
    def cursor(self) -> int:
        """The position as the feed takes it (`GET /api/v1/events?cursor=`), in whatever epoch it is."""
        return (self.epoch - 1) * 10**13 + self.sequence

    @property
    def is_test(self) -> bool:
        """Whether somebody tries the endpoint (`webhook.test`): answer 2xx and do nothing, for nothing has happened."""
        return self.type == "webhook.test"

    @property
    def environment(self) -> str:
        """`live`, or `test` for what happened in the test environment: let nothing real follow from that."""
        return str(self.event.get("environment", "live"))

    @property
    def data(self) -> Members:
        """The resource as the event left it."""
        data = self.event["data"]
        return data if isinstance(data, dict) else {}


def _live(secrets: Union[str, Iterable[str]]) -> List[str]:
    """The secrets that deliveries are verified with. An empty text is none.

    What can be no secret, such as `None` from a table, is named and never used: anybody could guess such a key.
    """
    if not isinstance(secrets, Iterable) or isinstance(secrets, (bytes, bytearray, Mapping)):
        raise ValueError(f"secrets must be a webhook secret or several, and is {type(secrets).__name__}")
    live = []
    for index, secret in enumerate([secrets] if isinstance(secrets, str) else secrets):
        if secret == "":
            continue
        if not isinstance(secret, str) or _secret.fullmatch(secret) is None:
            raise ValueError(f"secrets[{index}] must be a webhook secret, 16 to 128 printable characters")
        live.append(secret)
    if not live:
        raise ValueError("A delivery cannot be verified without a secret")
    return live


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: Union[str, Iterable[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> Delivery:
    """Verifies one delivery. Answer one that raises a `VerificationError` with 400, and do nothing else.

    Args:
        body: The bytes exactly as they arrived, before any parsing.
        headers: Of the request; names may be in any case.
        secrets: All secrets of the endpoint that are live, so that a rotation loses nothing.
        tolerance: How old or how far ahead the timestamp may be, in seconds.
        now: Unix seconds to compare with; this machine's clock if it is not given.
    """
    keys = _live(secrets)
    given = {name.lower(): value for name, value in headers.items()}
    delivery, signature = given.get("x-service-delivery-id"), given.get("x-service-signature")
    if not delivery or not signature:
        raise VerificationError("missing_header", "X-Service-Delivery-ID or X-Service-Signature is missing")
    times: List[str] = []
    signatures: List[str] = []
    for part in signature.split(","):
        scheme, equals, value = part.strip().partition("=")
        shape = _shapes.get(scheme)
        if not equals or (shape is not None and shape.fullmatch(value) is None):
            raise VerificationError("malformed_header", "X-Service-Signature cannot be read")
        if scheme == "t":
            times.append(value)
        elif scheme == "v1":
            signatures.append(value.lower())
    if len(times) != 1 or not signatures:
        raise VerificationError("malformed_header", "X-Service-Signature cannot be read")
    age = (time.time() if now is None else now) - int(times[0])
    if not abs(age) <= tolerance:
        raise VerificationError("timestamp_out_of_tolerance", f"The delivery was signed {age:.0f} seconds ago")
    signed = f"{times[0]}.{delivery}.".encode("utf-8") + body
    sums = [hmac.new(key.encode("utf-8"), signed, hashlib.sha256).hexdigest() for key in keys]
    if not any(hmac.compare_digest(one, other) for one in sums for other in signatures):
        raise VerificationError("signature_mismatch", "No signature matches a secret")
    return Delivery(delivery, parse_object(body, "malformed_body"))
