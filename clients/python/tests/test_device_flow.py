"""Sign-ins by another device, at a provider in the process of the test and by a clock that passes by waiting alone."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from countersign.app import AppClock, SignInError
from countersign.app.device_flow import start_device_flow

PENDING = {"error": "authorization_pending"}


class WaitedClock(AppClock):
    def __init__(self):
        self.waited = []

    def monotonic(self):
        return sum(self.waited)

    def wait(self, event, seconds):
        self.waited.append(seconds)
        return event.is_set()


class Provider(ThreadingHTTPServer):
    """Answers as it is told: members, with 200 or with 400 where they have an error; or a page of a proxy."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server_address[1]}"
        self.about, self.device, self.tokens, self.sent = {}, {}, [], []

    def said(self, path):
        at = self.issuer
        if path == "/device":
            shown = {"user_code": "ABCD-EFGH", "verification_uri": f"{at}/activate", "expires_in": 600}
            return {"device_code": "secret", **shown, **self.device}
        if path == "/token":
            return self.tokens.pop(0) if self.tokens else PENDING
        endpoints = {"device_authorization_endpoint": f"{at}/device", "token_endpoint": f"{at}/token"}
        return {"issuer": at, **endpoints, **self.about}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        said = self.server.said(self.path)
        body = b"<html>" if said == "broken" else json.dumps(said).encode()
        self.send_response(502 if said == "broken" else 400 if "error" in said else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.sent.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.do_GET()

    def log_message(self, *_):
        pass


class SignInByAnotherDevice(unittest.TestCase):
    def begin(self, tokens=(), about=None, device=None):
        self.provider = provider = Provider()
        provider.tokens, provider.about, provider.device = list(tokens), about or {}, device or {}
        thread = threading.Thread(target=provider.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.addCleanup(lambda: (provider.shutdown(), thread.join(), provider.server_close()))
        self.clock = WaitedClock()
        return start_device_flow(self.clock, provider.issuer, "app", "openid")

    def refused(self, code, call, *args, **options):
        with self.assertRaises(SignInError) as refused:
            call(*args, **options)
        self.assertEqual(refused.exception.code, code)

    def test_asks_as_the_provider_says_and_slower_when_told_or_unanswered(self):
        flow = self.begin([PENDING, {"error": "slow_down"}, "broken", PENDING, {"id_token": "e.y.J"}])
        self.assertEqual((flow.user_code, flow.lifetime), ("ABCD-EFGH", 600))
        self.assertEqual(flow.id_token(), "e.y.J")
        self.assertEqual(self.clock.waited, [5, 5, 10, 20, 20])
        self.assertEqual(self.provider.sent[0], "client_id=app&scope=openid")
        self.assertIn("device_code=secret&client_id=app", self.provider.sent[1])

    def test_ends_when_it_is_refused_or_too_late_or_given_up(self):
        for tokens, device, code, waits in (
            ([PENDING, {"error": "access_denied"}], {}, "SIGN_IN_DENIED", 2),
            ([{"error": "expired_token"}], {}, "SIGN_IN_EXPIRED", 1),
            ([{"error": "invalid_grant"}], {}, "SIGN_IN_FAILED", 1),
            ([{"error": "invalid_request", "error_description": "client_secret is missing."}], {}, "SIGN_IN_UNSUPPORTED", 1),
            ([{"error": "invalid_client"}], {}, "SIGN_IN_UNSUPPORTED", 1),
            ([{"access_token": "without openid"}], {}, "SIGN_IN_FAILED", 1),
            ([], {"expires_in": 60}, "SIGN_IN_EXPIRED", 12),
            ([], {"expires_in": 1e9, "interval": 3600}, "SIGN_IN_EXPIRED", 30),
        ):
            self.refused(code, self.begin(tokens, device=device).id_token)
            self.assertEqual(len(self.clock.waited), waits)
        stop = threading.Event()
        stop.set()
        self.refused("SIGN_IN_EXPIRED", self.begin().id_token, stop)

    def test_takes_the_page_by_the_name_of_a_draft_and_says_when_a_secret_is_wanted(self):
        page = "https://www.example.com/device"
        flow = self.begin(device={"verification_uri": None, "verification_url": page})
        self.assertEqual(flow.verification_uri, page)
        with self.assertRaisesRegex(SignInError, "wants a client secret, which no app can keep"):
            self.begin(device={"error": "invalid_client"})

    def test_uses_no_provider_that_cannot_be_trusted(self):
        unusable = "IDENTITY_PROVIDER_UNAVAILABLE"
        self.refused("SIGN_IN_UNSUPPORTED", self.begin, about={"device_authorization_endpoint": None})
        self.refused("SIGN_IN_UNSUPPORTED", self.begin, device={"error": "unauthorized_client"})
        self.refused(unusable, self.begin, about={"issuer": "https://other.example.com"})
        self.refused(unusable, self.begin, about={"token_endpoint": "http://login.example.com/token"})
        self.refused(unusable, self.begin, device={"verification_uri": "javascript:alert(1)"})
        self.refused(unusable, self.begin, device={"user_code": "AB\x1b[2JCD"})
        self.refused(unusable, self.begin, device={"expires_in": "soon"})
        self.refused(unusable, start_device_flow, WaitedClock(), "http://login.example.com", "app", "openid")
        self.refused(unusable, start_device_flow, WaitedClock(), "http://127.0.0.1:9", "app", "openid")
