"""The public keys of a service, and signatures over texts."""

import ed25519
from strict_json import Refused, decode_base64, parse


class Keys:
    """What `GET /api/v1/system/public-keys` answers: `data` verifies, `revoked` tells whose a kept note is."""

    def __init__(self, body):
        self.published = {}
        self.revoked = {}
        # Keys that the log introduced: of each its bytes, the origin of the log, and the place of the event (tlog.py).
        self.introduced = {}
        for key in body["data"]:
            try:
                raw = decode_base64(key.get("public_key"), 32)
            except ValueError:
                continue  # What is no key stops none beside it.
            if key.get("algorithm") == "Ed25519":
                self.published.setdefault(key["kid"], raw)
        for key in body["data"]:
            if key.get("status") == "revoked":
                self.published.pop(key["kid"], None)
        for key in body.get("revoked", []):
            self.published.pop(key["kid"], None)
            self.revoked[key["kid"]] = (decode_base64(key["public_key"], 32), key["revoked_at"])

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            return cls(parse(file.read()))

    def introduced_in(self, origin, size):
        """The keys that the log of this origin introduced in its first events, and their IDs."""
        return [(kid, raw) for kid, (raw, log, place) in self.introduced.items() if log == origin and place <= size]

    def check(self, signature, message):
        """Checks `{alg, algorithm, kid, value}` over bytes; the id of the key, or Refused."""
        if not isinstance(signature, dict):
            raise Refused("malformed", "there is no signature")
        if signature.get("alg") != "Ed25519" or signature.get("algorithm", "Ed25519") != "Ed25519":
            raise Refused("unsupported_algorithm", "it is not signed with Ed25519")
        kid = signature.get("kid")
        if kid not in self.published:
            raise Refused("unknown_key", "the key was revoked" if kid in self.revoked else "nobody published the key")
        try:
            value = decode_base64(signature.get("value"), 64)
        except ValueError:
            raise Refused("malformed", "the signature is not 64 bytes of base64") from None
        if not ed25519.verify(self.published[kid], message, value):
            raise Refused("signature_mismatch", f"it is not what {kid} signed")
        return kid
