"""Envelopes and files for machines without a network: docs/reference/offline.md."""

from __future__ import annotations

import json
import os
import secrets
from datetime import datetime
from typing import Any, Mapping, Optional, Union

from ._asking import Asking
from ._strict import parse_object
from .errors import VerificationError
from .verify import VerifiedOffline, verify_offline


class Offline:
    """`License.offline`."""

    def __init__(self, license: Asking) -> None:
        self._license = license

    def request(self, *, last_counter: int = 0) -> VerifiedOffline:
        """Fetches an envelope that this activated device can run on without a network, and verifies it.

        Store `envelope` and `offline_counter` of what is returned, and `device_id`.
        """
        license = self._license
        if license.device_id is None:
            license.check()
        nonce = secrets.token_urlsafe(16)
        answer = parse_object(license._send("offline", {**license._binding, "nonce": nonce}))
        verified = self.verify(json.dumps(answer.get("data")), last_counter=last_counter)
        if verified.data.get("nonce") != nonce:
            raise VerificationError("nonce_mismatch", "The envelope belongs to another request")
        return verified

    def verify(
        self,
        envelope: Union[str, bytes],
        *,
        device_id: Optional[str] = None,
        last_counter: int = 0,
        revocations: Optional[Mapping[str, Any]] = None,
        now: Optional[datetime] = None,
    ) -> VerifiedOffline:
        """Opens an envelope that was stored. `device_id` is that of the activation, where no answer named it yet.

        It asks nobody if the public keys were pinned. `revocations` is the `data` of `License.revocations()`.
        """
        license = self._license
        return verify_offline(
            envelope,
            license.license_key,
            license.keys,
            device_id=license.device_id if device_id is None else device_id,
            product_code=license.product_code,
            last_counter=last_counter,
            revocations=revocations,
            now=now,
            skew=license.skew,
            allow_test=license.allow_test,
        )

    def verify_file(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        last_counter: int = 0,
        revocations: Optional[Mapping[str, Any]] = None,
        now: Optional[datetime] = None,
    ) -> VerifiedOffline:
        """Opens a `.lic` file, which is tied to the fingerprint of this machine."""
        license = self._license
        with open(path, "rb") as file:
            text = file.read()
        return verify_offline(
            text,
            license.license_key,
            license.keys,
            fingerprint=license.fingerprint,
            product_code=license.product_code,
            last_counter=last_counter,
            revocations=revocations,
            now=now,
            skew=license.skew,
            allow_test=license.allow_test,
        )
