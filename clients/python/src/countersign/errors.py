"""What can go wrong: the service refuses, it cannot be reached, or what came must not be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


class CountersignError(Exception):
    """The base of every error of this package.

    Attributes:
        code: For programs; `str(error)` is for people.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Finding:
    """One finding about one member of a request. `path` is dotted, with indexes as numbers."""

    path: str
    code: str
    message: str


class ServiceError(CountersignError):
    """The service refused.

    Attributes:
        code: One of the codes of the contract, such as `LICENSE_EXPIRED`.
        status: The HTTP status.
        request_id: Quote it when you ask for help; the service's log and its activities name it.
        doc_url: A page about the code and its cure.
        detail: What exactly, where the code alone does not say it. `released`, of `DEVICE_NOT_ACTIVATED` and of a lease:
            a person took the seat of this device, so let the user activate it again.
        fields: The findings of a `VALIDATION_ERROR` or an `UNKNOWN_FIELD`; otherwise empty.
        retry_after: Seconds to wait before asking again, where the service said so.
        body: The refusal as it arrived, for `verify_refusal`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int,
        request_id: Optional[str] = None,
        doc_url: Optional[str] = None,
        detail: Optional[str] = None,
        fields: Tuple[Finding, ...] = (),
        retry_after: Optional[float] = None,
        body: bytes = b"",
    ) -> None:
        super().__init__(code, message if detail is None else f"{message} ({detail})")
        self.status = status
        self.request_id = request_id
        self.doc_url = doc_url
        self.detail = detail
        self.fields = fields
        self.retry_after = retry_after
        self.body = body


class UnavailableError(CountersignError):
    """There is no answer of the service.

    It could not be reached or the connection broke (`NETWORK_ERROR`), it took too long (`TIMEOUT`), or what came is not
    the service's (`INVALID_ANSWER`), as a page of a proxy. An app that holds a verified answer goes on until the
    `valid_until` of that one.

    Attributes:
        status: The HTTP status of an `INVALID_ANSWER`.
        retry_after: Seconds to wait before asking again, where an answer said so.
    """

    def __init__(
        self, code: str, message: str, status: Optional[int] = None, retry_after: Optional[float] = None
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.retry_after = retry_after


class VerificationError(CountersignError):
    """What came must not be trusted.

    `code` is one of `malformed`, `unsupported_algorithm`, `unknown_key`, `signature_mismatch`, `environment_mismatch`,
    `expired`, `nonce_mismatch`, `product_mismatch`; of refusals also `license_mismatch`, `request_mismatch`; of offline envelopes also `license_key_invalid`, `cannot_decrypt`,
    `device_mismatch`, `not_yet_valid`, `rolled_back`, `revoked`; of deliveries `missing_header`, `malformed_header`,
    `timestamp_out_of_tolerance`, `signature_mismatch`, `malformed_body`; of events `altered`, `commitment_mismatch`, `missing`, `inserted`,
    `reordered`, `other_license`, `not_in_log`, `checkpoint_malformed`, and `sequence` is that of the event then.

    A signature of a revoked key is `unknown_key`, like any other key that verifies nothing; `revoked_at` says then when it
    was revoked (RFC 3339), and is None otherwise.
    """

    def __init__(
        self, code: str, message: str, revoked_at: Optional[str] = None, *, sequence: Optional[int] = None
    ) -> None:
        super().__init__(code, message)
        self.revoked_at = revoked_at
        self.sequence = sequence


class InputError(CountersignError):
    """What was given cannot be sent: it is a mistake of the caller's, and nobody was asked.

    `code` is `LICENSE_KEY_MALFORMED`, `CREDENTIAL_MALFORMED` (a publishable key), `HEADER_MALFORMED` (as an idempotency key) or
    `URL_MALFORMED`.
    """
