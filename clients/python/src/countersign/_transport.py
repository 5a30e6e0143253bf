"""Sends requests until they are decided."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import time
import urllib.error
import urllib.request
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional, Tuple

from .errors import CountersignError, Finding, InputError, ServiceError, UnavailableError

FIRST_DELAY = 0.25
LONGEST_BACKOFF = 8.0

# RFC 9110, 5.5: what a header may have.
_HEADER_VALUE = re.compile("[\t -~\u0080-\u00ff]*")

# What says that the request was not decided, so that the same may be sent again: it was not read (408), there were too
# many (429), the service or what stands before it cannot answer now (502, 503, 504).
UNDECIDED = frozenset({408, 429, 502, 503, 504})


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirect could carry the license key to another host.
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def open_without_redirects(request: urllib.request.Request, timeout: float) -> Any:
    """The response to a request that is sent nowhere else, to read in a `with` block."""
    return _OPENER.open(request, timeout=timeout)


def read_retry_after(value: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """A `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP date) in seconds from now; None when it is neither."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now))
    except (TypeError, ValueError):
        return None


def retry_delay(retries: int, retry_after: Optional[float], chance: float) -> float:
    """How long to wait before sending again, in seconds, with jitter: callers who failed together come back apart.

    Where the service said when, that and up to a quarter more; otherwise between the half and the whole of an
    exponential backoff. `retries` counts those before this one, `chance` is from 0 to below 1.
    """
    backoff = min(LONGEST_BACKOFF, FIRST_DELAY * 2.0**retries)
    if retry_after is None:
        return backoff * (0.5 + chance / 2)
    return retry_after + chance * max(backoff, retry_after) / 4


def _refusal(status: int, headers: Message, body: bytes) -> CountersignError:
    retry_after = read_retry_after(headers.get("Retry-After"))
    try:
        answer = json.loads(body.decode("utf-8"))
        error, meta = answer["error"], answer.get("meta", {})
        findings = tuple(Finding(one["path"], one["code"], one["message"]) for one in error.get("fields", []))
        return ServiceError(
            str(error["code"]),
            str(error["message"]),
            status,
            request_id=meta.get("request_id", headers.get("X-Request-Id")),
            doc_url=error.get("doc_url"),
            detail=error.get("detail"),
            fields=findings,
            retry_after=retry_after,
            body=body,
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        message = f"What answered with {status} is not the service"
        return UnavailableError("INVALID_ANSWER", message, status, retry_after)


def _may_retry(error: CountersignError) -> bool:
    if isinstance(error, ServiceError):
        # IDEMPOTENCY_IN_FLIGHT: an earlier attempt of the same request still runs.
        return error.status in UNDECIDED or error.code == "IDEMPOTENCY_IN_FLIGHT"
    return isinstance(error, UnavailableError) and (error.status is None or error.status in UNDECIDED)


class Transport:
    """One service. Requests that were not decided are sent again, the same each time; what was refused never is."""

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = 30,
        max_retries: int = 4,
        max_delay: float = 60,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not isinstance(base_url, str) or not re.match("https?://[^/?#]", base_url, re.IGNORECASE):
            example = "https:// or http://, as https://licenses.example.com does"
            raise ValueError(f"base_url must begin with {example}, and is {base_url!r}")
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_delay = max_delay
        self._sleep = sleep

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[bytes] = None,
        *,
        once_within: Optional[float] = None,
    ) -> bytes:
        """The body of a success. Raises a `ServiceError` or an `UnavailableError`.

        With `once_within` it is sent once, and no longer than that many seconds are waited for the answer.
        """
        max_retries = self._max_retries if once_within is None else 0
        timeout = self._timeout if once_within is None else min(self._timeout, once_within)
        retries = 0
        while True:
            try:
                return self._attempt(method, path, headers, body, timeout)
            except (ServiceError, UnavailableError) as error:
                if retries >= max_retries or not _may_retry(error):
                    raise
                if (error.retry_after or 0) > self._max_delay:
                    raise
                delay = retry_delay(retries, error.retry_after, random.random())
            self._sleep(min(delay, self._max_delay))
            retries += 1

    def _attempt(
        self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes], timeout: float
    ) -> bytes:
        named = {"User-Agent": "countersign-python", **headers}
        for name, value in named.items():
            if _HEADER_VALUE.fullmatch(value) is None:
                raise InputError("HEADER_MALFORMED", f"The header {name} has a character that no header can carry.")
        request = urllib.request.Request(self._base_url + path, body, named, method=method)
        try:
            status, given, answer = self._exchange(request, timeout)
        except (socket.timeout, TimeoutError) as error:
            raise UnavailableError("TIMEOUT", f"The service did not respond within {timeout:g} s") from error
        except urllib.error.URLError as error:
            late = isinstance(error.reason, (socket.timeout, TimeoutError))
            code, message = ("TIMEOUT", "did not answer in time") if late else ("NETWORK_ERROR", "cannot be reached")
            raise UnavailableError(code, f"The service {message}: {error.reason}") from error
        except (http.client.InvalidURL, UnicodeError) as error:
            raise InputError("URL_MALFORMED", f"Nothing can be sent to {self._base_url}: {error}") from error
        except (OSError, http.client.HTTPException) as error:
            raise UnavailableError("NETWORK_ERROR", f"The connection broke: {error!r}") from error
        if not 200 <= status < 300:
            raise _refusal(status, given, answer)
        return answer

    def _exchange(self, request: urllib.request.Request, timeout: float) -> Tuple[int, Message, bytes]:
        try:
            with open_without_redirects(request, timeout) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()
