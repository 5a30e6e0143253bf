"""What is sent again and what is not, against a fake that answers as it is told. No service is needed."""

import time
import unittest
from email.utils import formatdate

from countersign import License, Seat, ServiceError, UnavailableError, VerificationError, Verified
from countersign._transport import LONGEST_BACKOFF, Transport, read_retry_after, retry_delay
from faulty import Faulty, answer, drop, hang, refusal


class Sending(unittest.TestCase):
    def setUp(self):
        self.waits = []

    def fake(self, *script, **options):
        self.server = Faulty(script=script)
        self.addCleanup(self.server.close)
        return Transport(self.server.url, sleep=self.waits.append, **options)

    def send(self, *script, **options):
        transport = self.fake(*script, **options)
        return transport.send("POST", "/x", {"Idempotency-Key": "one"}, b'{"a":1}')

    def raised(self, kind, *script, **options):
        with self.assertRaises(kind) as raised:
            self.send(*script, **options)
        return raised.exception

    def test_repeats_what_was_not_decided_unchanged(self):
        undecided = [drop, *(refusal(status, "X") for status in (408, 429, 502, 503, 504))]
        undecided += [refusal(409, "IDEMPOTENCY_IN_FLIGHT"), answer(502, b"<h1>Bad gateway</h1>")]
        self.assertEqual(self.send(*undecided, answer(200, b'"done"'), max_retries=8), b'"done"')
        self.assertEqual(len(self.server.requests), 9)
        self.assertEqual({request.body for request in self.server.requests}, {b'{"a":1}'})
        self.assertEqual({request.headers["idempotency-key"] for request in self.server.requests}, {"one"})
        for retries, wait in enumerate(self.waits):
            whole = min(LONGEST_BACKOFF, 0.25 * 2**retries)
            self.assertTrue(whole / 2 <= wait <= whole, self.waits)

    def test_waits_as_long_as_it_is_told(self):
        self.send(refusal(429, "RATE_LIMITED", Retry_After="7"), refusal(503, "DRAINING", Retry_After="2"), answer(200))
        self.assertTrue(7 <= self.waits[0] <= 8.75 and 2 <= self.waits[1] <= 2.5, self.waits)

    def test_gives_up(self):
        error = self.raised(ServiceError, *[refusal(503, "DRAINING")] * 3, max_retries=2)
        self.assertEqual((error.code, error.status, len(self.server.requests)), ("DRAINING", 503, 3))
        error = self.raised(UnavailableError, *[drop] * 3, max_retries=2)
        self.assertEqual((error.code, len(self.server.requests)), ("NETWORK_ERROR", 3))

    def test_does_not_wait_for_longer_than_it_may(self):
        error = self.raised(ServiceError, refusal(429, "RATE_LIMITED", Retry_After="61"))
        self.assertEqual((error.retry_after, self.waits), (61, []))

    def test_repeats_nothing_that_was_refused(self):
        for status in (400, 401, 403, 404, 409, 410, 422, 500):
            error = self.raised(ServiceError, refusal(status, "NO"))
            self.assertEqual((error.status, len(self.server.requests)), (status, 1))

    def test_tells_what_the_service_said(self):
        body = (
            b'{"error":{"code":"VALIDATION_ERROR","message":"No.","detail":"so","doc_url":"https://x/docs/errors/V",'
            b'"fields":[{"path":"a.0","code":"too_small","message":"more"}]},"meta":{"request_id":"req_1"}}'
        )
        error = self.raised(ServiceError, answer(422, body))
        self.assertEqual((error.code, error.request_id, error.detail), ("VALIDATION_ERROR", "req_1", "so"))
        self.assertEqual(error.doc_url, "https://x/docs/errors/V")
        self.assertEqual([(one.path, one.code) for one in error.fields], [("a.0", "too_small")])
        self.assertEqual(str(error), "VALIDATION_ERROR: No. (so)")

    def test_follows_no_redirect(self):
        error = self.raised(UnavailableError, answer(307, b"", Location="http://127.0.0.1:9/"))
        self.assertEqual((error.code, error.status, len(self.server.requests)), ("INVALID_ANSWER", 307, 1))

    def test_takes_no_page_for_an_answer(self):
        for page in (b"<html></html>", b"[]", b'{"error":"no"}', b"\xff"):
            error = self.raised(UnavailableError, answer(403, page))
            self.assertEqual((error.code, error.status), ("INVALID_ANSWER", 403))

    def test_ends_what_takes_too_long(self):
        error = self.raised(UnavailableError, hang, timeout=0.1, max_retries=0)
        self.assertEqual(error.code, "TIMEOUT")

    def test_nobody_there(self):
        transport = self.fake(max_retries=1)
        self.server.close()
        with self.assertRaises(UnavailableError) as raised:
            transport.send("GET", "/x", {})
        self.assertEqual((raised.exception.code, len(self.waits)), ("NETWORK_ERROR", 1))

    def test_needs_an_address_of_http(self):
        for address in ("licenses.example.com", "ftp://x", "file:///etc"):
            with self.assertRaises(ValueError):
                Transport(address)

    def test_a_portal_in_between_is_not_the_service(self):
        self.fake(answer(200, b"<html>Log in</html>"))
        license = License(self.server.url, "key-0001", product_code="x", fingerprint="a", public_keys=[])
        with self.assertRaises(VerificationError) as raised:
            license.check()
        self.assertEqual(raised.exception.code, "malformed")


class Away:
    """Floating seats of a service that goes away after the checkout, and whose leases are short."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.limits = []
        self.checkins = 0

    def checkout(self, process_id):
        at = {"issued_at": "2026-01-01T00:00:00.000Z", "lease_expires_at": "2026-01-01T00:00:00.050Z"}
        return Verified({**at, "lease_token": "csl_1"}, "sig_1")

    def heartbeat(self, token, once_within):
        self.limits.append(once_within)
        raise self.errors.pop(0) if len(self.errors) > 1 else self.errors[0]

    def checkin(self, token):
        self.checkins += 1
        raise UnavailableError("NETWORK_ERROR", "away")


class Seats(unittest.TestCase):
    def test_is_lost_with_its_lease_when_the_service_stays_away(self):
        for away in (UnavailableError("NETWORK_ERROR", "away"), ServiceError("DRAINING", "later", 503)):
            floating = Away(away)
            with Seat(floating, 0.001, None) as seat:
                self.assertTrue(seat.lost.wait(60))
            self.assertIs(seat.error, away)
            self.assertEqual(floating.checkins, 0, "there is nothing to give back")
            self.assertTrue(all(limit == 1 for limit in floating.limits), "an attempt does not outlast the lease")

    def test_is_lost_at_once_when_it_is_refused_or_not_to_be_trusted(self):
        for error in (ServiceError("LICENSE_INACTIVE", "revoked", 403), VerificationError("signature_mismatch", "x")):
            with Seat(Away(error), 0.001, None) as seat:
                self.assertTrue(seat.lost.wait(60))
            self.assertIs(seat.error, error)

    def test_an_end_that_nobody_hears_of(self):
        with Seat(Away(UnavailableError("NETWORK_ERROR", "away")), 3600, None) as seat:
            pass
        self.assertFalse(seat.lost.is_set())
        self.assertEqual(seat.answer.data["lease_token"], "csl_1")

    def test_heartbeats_come_three_to_a_lease_and_sooner_towards_its_end(self):
        seat = Seat(Away(), None, None)
        with self.assertRaises(RuntimeError):
            seat.answer
        now = time.monotonic()
        pauses = ((600, None, 200), (60, None, 20), (60, 40, 40), (60, 900, 60), (2, None, 1), (-5, 9, 1))
        for left, retry_after, pause in pauses:
            seat._ends = now + left
            self.assertAlmostEqual(seat._pause(retry_after), pause, delta=5 if left > 5 else 0)


class Waiting(unittest.TestCase):
    def test_reads_retry_after(self):
        now = 1_800_000_000
        self.assertEqual(read_retry_after(" 12 "), 12)
        self.assertEqual(read_retry_after(formatdate(now + 90, usegmt=True), now), 90)
        self.assertEqual(read_retry_after(formatdate(now - 90, usegmt=True), now), 0)
        for text in (None, "", "soon", "-1", "1.5", "\u0661", "9" * 400):
            self.assertIsNone(read_retry_after(text, time.time()), text)

    def test_jitter(self):
        self.assertEqual([retry_delay(n, None, 0) for n in range(4)], [0.125, 0.25, 0.5, 1])
        self.assertEqual(retry_delay(2000 // 20, None, 0.5), LONGEST_BACKOFF * 0.75)
        self.assertEqual((retry_delay(0, 8, 0), retry_delay(0, 8, 0.5)), (8, 9))
