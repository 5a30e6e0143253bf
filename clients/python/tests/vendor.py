"""A vendor's service in the process of a test, as an app meets it, on a clock of the test and through whatever weather."""

import hashlib
import json
import threading
from base64 import b64encode
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from countersign.app import AppClock

HOUR = 3600
DAY = 24 * HOUR
START = datetime(2026, 11, 21, 10, tzinfo=timezone.utc)

# Every weather but a good one.
STORMS = ("down", "lost", "login", "blocked", "busy", "broken", "limited", "forged")
PAGES = {"login": (200, b"<html>Please log in</html>"), "blocked": (403, b"<html>Forbidden</html>")}
REFUSALS = {"busy": (503, "UNAVAILABLE"), "broken": (500, "INTERNAL"), "limited": (429, "RATE_LIMITED")}


class VirtualClock(AppClock):
    """Stands still until a test moves it. Who waits for it is woken as the time comes."""

    def __init__(self):
        self.passed = 0.0
        self.shift = 0.0
        self.changed = threading.Condition()
        self.sleepers = {}

    def now(self):
        return self.truth() + self.shift

    def truth(self):
        return START.timestamp() + self.passed

    def monotonic(self):
        return self.passed

    def set(self, by):
        """Sets the machine's clock, as its user does; the true time goes on."""
        self.shift = by

    def wait(self, event, seconds):
        woken = threading.Event()
        with self.changed:
            self.sleepers[event] = (self.passed + seconds, woken)
            self.changed.notify_all()
        while not woken.wait(0.05):
            if event.is_set():
                with self.changed:
                    self.sleepers.pop(event, None)
                return True
        return False

    def let_pass(self, seconds):
        """Lets time pass, and wakes whoever waits at its time, until each waits again."""
        end = self.passed + seconds
        with self.changed:
            while True:
                due = [(at, event, woken) for event, (at, woken) in self.sleepers.items() if at <= end]
                if not due:
                    break
                at, event, woken = min(due, key=lambda one: one[0])
                self.passed = max(self.passed, at)
                del self.sleepers[event]
                woken.set()
                # Whoever was woken waits again, or has ended, which it tells by its event alone.
                while event not in self.sleepers and not event.is_set():
                    self.changed.wait(0.05)
            self.passed = end


def rfc3339(seconds):
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Signer:
    """Ed25519 (RFC 8032, 5.1.6) with nothing but whole numbers, so that tests need no package that signs."""

    PRIME = 2**255 - 19
    ORDER = 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
    BASE_Y = 4 * pow(5, PRIME - 2, PRIME) % PRIME
    BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202

    def __init__(self, kid, seed):
        digest = hashlib.sha512(bytes([seed]) * 32).digest()
        self.secret = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
        self.prefix = digest[32:]
        self.public = self.packed(self.secret)
        self.kid = kid
        self.published = {"kid": kid, "algorithm": "Ed25519", "public_key": b64encode(self.public).decode()}

    def add(self, one, other):
        p = self.PRIME
        a, b = (one[1] - one[0]) * (other[1] - other[0]) % p, (one[1] + one[0]) * (other[1] + other[0]) % p
        c, d = 2 * one[3] * other[3] * self.D % p, 2 * one[2] * other[2] % p
        e, f, g, h = b - a, d - c, d + c, b + a
        return e * f % p, g * h % p, f * g % p, e * h % p

    def packed(self, factor):
        """The base point times a factor, as 32 bytes."""
        point = (self.BASE_X, self.BASE_Y, 1, self.BASE_X * self.BASE_Y % self.PRIME)
        sum = (0, 1, 1, 0)
        while factor > 0:
            sum = self.add(sum, point) if factor & 1 else sum
            point = self.add(point, point)
            factor >>= 1
        inverse = pow(sum[2], self.PRIME - 2, self.PRIME)
        x, y = sum[0] * inverse % self.PRIME, sum[1] * inverse % self.PRIME
        return (y | (x & 1) << 255).to_bytes(32, "little")

    def sign(self, message):
        def number(*parts):
            return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % self.ORDER

        once = number(self.prefix, message)
        point = self.packed(once)
        answer = (once + number(point, self.public, message) * self.secret) % self.ORDER
        return b64encode(point + answer.to_bytes(32, "little")).decode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def exchange(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = self.server.vendor.answer(self.path, self.headers, body)
        self.close_connection = True
        if answer is None:
            return
        status, text = answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = exchange

    def log_message(self, *_):
        pass


class Vendor:
    """Answers what the service would about one license."""

    key = "CS-TESTS-TESTS-TESTS-TESTS-TESTS"
    product_code = "acme-studio"

    def __init__(self, clock):
        self.clock = clock
        self.weather = "up"
        # Why the license is refused: status, code and detail; None: it is not.
        self.refusal = None
        # Whether refusals are signed; somebody between cannot.
        self.signs = True
        # A member of what is signed about a refusal that is of something else.
        self.altered = None
        # What the signed data says beside the usual.
        self.more = {}
        self.valid = 2 * DAY
        self.seats = 1
        self.devices = set()
        # Floating seats by their tokens: of which device.
        self.leases = {}
        # Keys of more licenses.
        self.others = set()
        self.released = set()
        self.uses = {}
        self.asked = []
        # Called with each operation before it is answered.
        self.meanwhile = lambda operation: None
        self.signer = Signer("sig_first", 1)
        self.forger = Signer("sig_first", 9)
        self.pinned = [self.signer.published]
        self.published = [self.signer.published]
        self.revoked = []
        # Every key that ever signed, and whether they sign their list.
        self.signers = [self.signer]
        self.endorses = False
        # What the list of keys says in the place of these.
        self.listed = None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.vendor = self
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def rotate(self, kid, is_revoked=False):
        """Signs with a new key from now on, and revokes the one before if it is to be."""
        before = self.signer.published
        self.signer = Signer(kid, len(self.signers) + 2)
        self.signers.insert(0, self.signer)
        self.published = [self.signer.published, *([] if is_revoked else self.published)]
        if is_revoked:
            self.revoked = [before, *self.revoked] if self.endorses else [before]

    def release(self):
        """Takes the seats of all devices, as a person does."""
        self.released |= self.devices
        self.devices.clear()

    def answer(self, path, headers, body):
        operation = path.replace("/api/v1/license/", "")
        self.asked.append(operation)
        if self.weather == "down":
            return None
        if self.weather in PAGES:
            return PAGES[self.weather]
        if self.weather in REFUSALS:
            status, code = REFUSALS[self.weather]
            return self.refuse(status, code)
        found = self.decide(operation, path, headers, body)
        self.meanwhile(operation)
        return None if self.weather == "lost" else found

    def refuse(self, status, code, detail=None, asked=None):
        """A refusal; one of a question (path, headers and body) is signed."""
        said = {"code": code, **({} if detail is None else {"detail": detail})}
        meta = {}
        if asked is not None and self.signs:
            path, headers, body = asked
            members = json.loads(body)
            about = {"fingerprint_hash": sha256(members["fingerprint"])} if "fingerprint" in members else {}
            meta = {
                "refusal": self.seal(
                    {
                        **said,
                        **about,
                        "type": "refusal",
                        "credential_hash": sha256(headers["Authorization"].split(" ", 1)[1]),
                        "request_hash": hashlib.sha256(f"POST {path}\n".encode() + body).hexdigest(),
                        "nonce": members["nonce"],
                        "issued_at": rfc3339(self.clock.truth()),
                        **({} if self.altered is None else {self.altered: "0" * 64}),
                    }
                )
            }
        return status, json.dumps({"error": {**said, "message": code}, "meta": meta}).encode()

    def decide(self, operation, path, headers, body):
        if operation.endswith("/public-keys"):
            if self.listed is not None:
                return 200, self.listed
            listed = {"data": self.published, "revoked": self.revoked, "meta": {}}
            return 200, json.dumps({**listed, **({"endorsement": self.endorsement()} if self.endorses else {})}).encode()
        asked, question = json.loads(body), (path, headers, body)
        if headers["Authorization"].split(" ", 1)[1] not in {self.key, *self.others}:
            return self.refuse(401, "LICENSE_KEY_INVALID", asked=question)
        if self.refusal is not None:
            status, code, detail = (*self.refusal, None)[:3]
            return self.refuse(status, code, detail, question)
        if operation.startswith("floating/"):
            return self.lend(operation, asked, question)
        device = sha256(asked["fingerprint"])
        if operation == "activate":
            if device not in self.devices and len(self.devices) >= self.seats:
                return self.refuse(403, "ACTIVATION_LIMIT_EXCEEDED", asked=question)
            self.devices.add(device)
            self.released.discard(device)
        elif device not in self.devices:
            detail = "released" if device in self.released else None
            return self.refuse(404, "DEVICE_NOT_ACTIVATED", detail, question)
        if operation == "deactivate":
            self.devices.discard(device)
        if operation == "consume":
            self.uses[asked["event_id"]] = asked["amount"]
        return 200, self.signed(device, asked["nonce"])

    def lend(self, operation, asked, question):
        """A floating seat of a process, or of a device whose processes have no names."""
        process = asked.get("process_id")
        if operation == "floating/checkout":
            device = sha256(asked["fingerprint"])
            token = f"{device}/{process or ''}"
            if token not in self.leases and len(self.leases) >= self.seats:
                return self.refuse(409, "FLOATING_LIMIT_EXCEEDED", asked=question)
            self.leases[token] = device
        else:
            token = asked["lease_token"]
            if token not in self.leases:
                return self.refuse(404, "LEASE_NOT_FOUND", asked=question)
            device = self.leases[token]
        if operation == "floating/checkin":
            del self.leases[token]
        return 200, self.signed(
            device,
            asked["nonce"],
            lease_token=token,
            lease_unit="device" if token.endswith("/") else "process",
            lease_expires_at=rfc3339(self.clock.truth() + HOUR),
        )

    def signed(self, device, nonce, **lease):
        """A signed answer."""
        now, consumed = self.clock.truth(), sum(self.uses.values())
        data = {
            "license_id": "lic_1",
            "status": "active",
            "license_type": "subscription",
            "product_code": self.product_code,
            "device_id": f"dev_{device[:8]}",
            "fingerprint_hash": device,
            "issued_at": rfc3339(now),
            "valid_until": rfc3339(now + self.valid),
            "next_check_at": rfc3339(now + self.valid / 2),
            "features": [
                {"code": "export", "enabled": True, "quota": 10, "consumed": consumed, "remaining": 10 - consumed}
            ],
            "nonce": nonce,
            **lease,
            **self.more,
        }
        return json.dumps({**self.seal(data), "meta": {}}).encode()

    def endorsement(self):
        """The list as all keys sign it, the revoked ones too."""
        issued_at = rfc3339(self.clock.truth())
        data = {"type": "signing_keys", "issued_at": issued_at, "keys": self.published, "revoked": self.revoked}
        text = json.dumps(data, sort_keys=True, separators=(",", ":")).encode()
        alg = {"alg": "Ed25519", "algorithm": "Ed25519"}
        return {"data": data, "signatures": [{**alg, "kid": one.kid, "value": one.sign(text)} for one in self.signers]}

    def seal(self, data):
        """What is signed, with a signature that is somebody else's when it is forged."""
        signer = self.forger if self.weather == "forged" else self.signer
        text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        signature = {"alg": "Ed25519", "algorithm": "Ed25519", "kid": self.signer.kid, "value": signer.sign(text)}
        return {"data": data, "signature": signature}
