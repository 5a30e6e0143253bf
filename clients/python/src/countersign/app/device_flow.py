"""A sign-in at an identity provider by another device (RFC 8628)."""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import urlencode, urlsplit

from .._transport import open_without_redirects
from ..errors import CountersignError
from .clock import AppClock
from .keys import is_trusted_way

_PATIENCE = 10.0
_LARGEST_ANSWER = 262_144
# The pause between two questions where the provider names none, and what `slow_down` adds, in seconds (RFC 8628).
_DEFAULT_INTERVAL = 5.0
_SLOW_DOWN = 5.0
# The bounds of what a provider may ask for: it can neither be flooded nor make an app wait without end. In seconds.
_LONGEST_INTERVAL = 60.0
_LONGEST_FLOW = 1800.0
_ADDRESS = re.compile("https?://[!-~]{1,2040}")
_SECRET = re.compile("client_?(secret|assertion)", re.IGNORECASE)
_USER_CODE = re.compile("[!-~][ -~]{0,63}")

_Answer = Tuple[int, Mapping[str, Any]]


class SignInError(CountersignError):
    """A person could not be signed in at the identity provider.

    `code` is `SIGN_IN_UNSUPPORTED`, `SIGN_IN_DENIED`, `SIGN_IN_EXPIRED`, `SIGN_IN_FAILED` or `IDENTITY_PROVIDER_UNAVAILABLE`.

    Attributes:
        detail: What the identity provider said.
    """

    def __init__(self, code: str, message: str, detail: Optional[str] = None) -> None:
        super().__init__(code, message if detail is None else f"{message} ({detail})")
        self.detail = detail


@dataclass(frozen=True)
class UserCode:
    """The code and the page that a person is shown, to sign in by another device.

    Attributes:
        user_code: The code to type on the page.
        verification_uri: The page to open, on any device.
        verification_uri_complete: The page with the code in it, for a QR code; None where the provider has none.
        lifetime: For how many seconds the code is good.
    """

    user_code: str
    verification_uri: str
    verification_uri_complete: Optional[str]
    lifetime: float


@dataclass(frozen=True)
class DeviceFlow(UserCode):
    """A sign-in that has begun."""

    _form: Mapping[str, str]
    _endpoint: str
    _interval: float
    _ends_at: float
    _clock: AppClock

    def id_token(self, stop: Optional[threading.Event] = None) -> str:
        """Waits until the person has signed in, and answers the ID token. `stop` ends it (`SIGN_IN_EXPIRED`)."""
        interval, stopped = self._interval, threading.Event() if stop is None else stop
        while True:
            if self._clock.monotonic() + interval > self._ends_at or self._clock.wait(stopped, interval):
                raise SignInError("SIGN_IN_EXPIRED", "The code was not used in time. Start again.")
            try:
                status, members = _ask(self._endpoint, self._form)
            except SignInError:
                status, members = 503, {}
            if status >= 500 or status == 429:
                interval = min(interval * 2, _LONGEST_INTERVAL)
                continue
            if status == 200:
                token = _text(members, "id_token")
                if token is None:
                    raise SignInError("SIGN_IN_FAILED", "The identity provider gave no ID token")
                return token
            said = members.get("error")
            if said == "slow_down":
                interval = min(interval + _SLOW_DOWN, _LONGEST_INTERVAL)
            elif said != "authorization_pending":
                raise _ending(members)


def start_device_flow(clock: AppClock, issuer: str, client_id: str, scope: str) -> DeviceFlow:
    """Begins a sign-in for a person who has a browser on another device.

    The app asks the identity provider itself: the device code, which is worth an ID token, is then known to nobody else.
    Raises a `SignInError`.
    """
    device, token = _endpoints(issuer)
    status, members = _ask(device, {"client_id": client_id, "scope": scope})
    if status != 200:
        if status >= 500 or status == 429:
            raise _unusable(f"its status is {status}")
        if _wants_secret(members):
            raise _secret_wanted(members)
        message = "The identity provider does not let this app sign people in so"
        raise SignInError("SIGN_IN_UNSUPPORTED", message, _said(members))
    device_code, user_code = _text(members, "device_code"), _text(members, "user_code")
    page, lifetime = _address(members, _page_member(members)), _seconds(members, "expires_in", 0, _LONGEST_FLOW)
    if device_code is None or page is None or lifetime is None:
        raise _unusable("its response lacks a code or a page")
    if user_code is None or _USER_CODE.fullmatch(user_code) is None:
        raise _unusable("its code cannot be typed")
    interval = _seconds(members, "interval", 1, _LONGEST_INTERVAL)
    form = {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": device_code,
        "client_id": client_id,
    }
    return DeviceFlow(
        user_code=user_code,
        verification_uri=page,
        verification_uri_complete=_address(members, "verification_uri_complete"),
        lifetime=lifetime,
        _form=form,
        _endpoint=token,
        _interval=_DEFAULT_INTERVAL if interval is None else interval,
        _ends_at=clock.monotonic() + lifetime,
        _clock=clock,
    )


def _ask(url: str, form: Optional[Mapping[str, str]] = None) -> _Answer:
    """Asks an identity provider. Redirects are not followed: they could carry the device code elsewhere."""
    body = None if form is None else urlencode(form).encode("ascii")
    request = urllib.request.Request(url, body, {"Accept": "application/json", "User-Agent": "countersign-python"})
    try:
        try:
            with open_without_redirects(request, _PATIENCE) as response:
                status, text = response.status, response.read(_LARGEST_ANSWER + 1)
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read(_LARGEST_ANSWER + 1)
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        message = "The identity provider does not respond"
        raise SignInError("IDENTITY_PROVIDER_UNAVAILABLE", message) from error
    if len(text) > _LARGEST_ANSWER:
        raise _unusable("it sends too much")
    try:
        members = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        members = None
    return status, members if isinstance(members, dict) else {}


def _endpoints(issuer: str) -> Tuple[str, str]:
    if _address({"issuer": issuer}, "issuer") is None:
        raise _unusable("its address does not begin with https")
    address = f"{issuer[:-1] if issuer.endswith('/') else issuer}/.well-known/openid-configuration"
    status, members = _ask(address)
    if status != 200 or members.get("issuer") != issuer:
        raise _unusable("it does not describe itself")
    if _text(members, "device_authorization_endpoint") is None:
        message = "The identity provider has no sign-in by another device (RFC 8628)"
        raise SignInError("SIGN_IN_UNSUPPORTED", message)
    device, token = _address(members, "device_authorization_endpoint"), _address(members, "token_endpoint")
    if device is None or token is None:
        raise _unusable("its endpoints are not behind https")
    return device, token


def _ending(members: Mapping[str, Any]) -> SignInError:
    """The sign-in ends here: what no further question changes."""
    if _wants_secret(members):
        return _secret_wanted(members)
    said = _said(members)
    codes: Dict[Optional[str], Tuple[str, str]] = {
        "access_denied": ("SIGN_IN_DENIED", "The person did not allow the sign-in"),
        "expired_token": ("SIGN_IN_EXPIRED", "The code was not used in time. Start again."),
    }
    code, message = codes.get(said, ("SIGN_IN_FAILED", "The identity provider refuses the sign-in"))
    return SignInError(code, message, said)


def _wants_secret(members: Mapping[str, Any]) -> bool:
    """Whether it refuses an app because it comes without a secret: in the code of RFC 6749, or in words, as Google does."""
    described = _text(members, "error_description") or ""
    return members.get("error") == "invalid_client" or _SECRET.search(described) is not None


def _secret_wanted(members: Mapping[str, Any]) -> SignInError:
    message = "The identity provider wants a client secret, which no app can keep: register a public client there"
    return SignInError("SIGN_IN_UNSUPPORTED", message, _said(members))


def _page_member(members: Mapping[str, Any]) -> str:
    """The member with the page to open: Google has kept the name of a draft of RFC 8628."""
    return "verification_url" if _text(members, "verification_uri") is None else "verification_uri"


def _unusable(what: str) -> SignInError:
    return SignInError("IDENTITY_PROVIDER_UNAVAILABLE", f"The identity provider cannot be used: {what}")


def _said(members: Mapping[str, Any]) -> Optional[str]:
    """What the provider refuses with: the text of another party, which may be shown in a terminal."""
    said = _text(members, "error")
    return None if said is None else re.sub("[^ -~]", "?", said)[:100]


def _text(members: Mapping[str, Any], name: str) -> Optional[str]:
    value = members.get(name)
    return value if isinstance(value, str) and value else None


def _seconds(members: Mapping[str, Any], name: str, least: float, most: float) -> Optional[float]:
    value = members.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return float(min(max(value, least), most))


def _address(members: Mapping[str, Any], name: str) -> Optional[str]:
    """An address that codes and people may be sent to: https, or this machine."""
    value = _text(members, name)
    if value is None or _ADDRESS.fullmatch(value) is None:
        return None
    try:
        urlsplit(value)
        return value if is_trusted_way(value) else None
    except ValueError:
        return None
