"""Against a running service: COUNTERSIGN_TEST_URL and COUNTERSIGN_TEST_TOKEN say where, and who manages it."""

import json
import os
import queue
import tempfile
import threading
import unittest
import uuid
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import Request, urlopen

from countersign import License, ServiceError, UnavailableError, VerificationError, webhooks
from faulty import Faulty, change, cut, drop, lose, refusal

URL = os.environ.get("COUNTERSIGN_TEST_URL")
TOKEN = os.environ.get("COUNTERSIGN_TEST_TOKEN")


def manage(method, path, body=None):
    """A call of the vendor's; answers `data`."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    payload = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{URL}/api/v1{path}", payload, headers, method=method), timeout=60) as answer:
        return json.load(answer)["data"]


def public_keys():
    with urlopen(f"{URL}/api/v1/system/public-keys", timeout=60) as answer:
        return json.load(answer)


@unittest.skipUnless(URL, "COUNTERSIGN_TEST_URL names no service")
class Case(unittest.TestCase):
    def issue(self, **policy):
        """A product, a policy and a license."""
        self.code = str(uuid.uuid4())
        self.product = manage("POST", "/products", {"name": "Acme Studio", "code": self.code})
        path = f"/products/{self.product['id']}/policies"
        made = manage("POST", path, {"name": "Annual", "code": "annual", "license_type": "subscription", **policy})
        issued = manage("POST", "/licenses", {"product_id": self.product["id"], "policy_id": made["id"]})
        self.issued, self.key = issued["license"], issued["license_key"]

    def feature(self, **terms):
        made = manage("POST", f"/products/{self.product['id']}/features", {"name": "Render", "code": "render"})
        manage("POST", f"/licenses/{self.issued['id']}/features", {"feature_id": made["id"], **terms})

    def license(self, fingerprint="a", url=URL, **options):
        self.waits = []
        options = {"product_code": self.code, "fingerprint": fingerprint, "sleep": self.waits.append, **options}
        return License(url, self.key, **options)

    def proxied(self, *script, **options):
        """A license whose requests meet these faults on their way. Its keys are pinned, so the first is its own."""
        self.proxy = Faulty(URL, script)
        self.addCleanup(self.proxy.close)
        return self.license(url=self.proxy.url, **{"public_keys": public_keys(), **options})

    def refused(self, code, call, *args, **options):
        with self.assertRaises(ServiceError) as raised:
            call(*args, **options)
        self.assertEqual(raised.exception.code, code)
        return raised.exception

    def mistrusted(self, code, call, *args, **options):
        with self.assertRaises(VerificationError) as raised:
            call(*args, **options)
        self.assertEqual(raised.exception.code, code)


class Asking(Case):
    def test_a_life(self):
        self.issue(max_activations=1)
        license = self.license(device={"hostname": "studio-07", "os": "linux"})
        error = self.refused("DEVICE_NOT_ACTIVATED", license.validate)
        self.assertTrue(error.request_id)
        self.assertTrue(error.doc_url.endswith("/docs/errors/DEVICE_NOT_ACTIVATED"))
        activated = license.activate()
        self.assertEqual((activated.status, activated.license_id), ("active", self.issued["id"]))
        self.assertEqual(license.device_id, activated.device_id)
        self.assertGreater(activated.valid_until, datetime.now(timezone.utc))
        self.assertLessEqual(activated.next_check_at, activated.valid_until)
        self.assertEqual(license.activate().device_id, activated.device_id)
        self.assertEqual(license.validate().device_id, activated.device_id)
        self.assertEqual(license.check().device_id, activated.device_id)
        error = self.refused("ACTIVATION_LIMIT_EXCEEDED", self.license("b").activate)
        self.assertEqual(error.status, 403)
        license.deactivate()
        self.refused("DEVICE_NOT_ACTIVATED", license.check)
        self.license("b").activate()
        manage("POST", f"/licenses/{self.issued['id']}/revoke")
        self.refused("LICENSE_INACTIVE", self.license("b").check)
        hosts = [one.get("hostname") for one in manage("GET", f"/licenses/{self.issued['id']}/devices")]
        self.assertIn("studio-07", hosts)

    def test_keys_of_others(self):
        self.issue()
        self.refused("LICENSE_KEY_INVALID", License(URL, "unknown-0001", product_code="x", fingerprint="a").check)
        self.refused("PRODUCT_MISMATCH", self.license(product_code="another").activate)

    def test_counts_a_use_once_however_often_it_is_sent(self):
        self.issue()
        self.license().activate()
        self.feature(max_consumptions=10)
        # Lost after it was counted, cut in the middle of the answer, and kept away from the service.
        license = self.proxied(lose, cut, drop, refusal(503, "DRAINING"))
        answer = license.consume("render", 4)
        self.assertEqual(answer.features["render"]["consumed"], 4)
        self.assertEqual(len(self.proxy.requests), 5)
        self.assertEqual(len({request.body for request in self.proxy.requests}), 1)
        self.assertEqual(len({request.headers["idempotency-key"] for request in self.proxy.requests}), 1)
        self.assertEqual(len(self.waits), 4)
        # A use has an id of its own, unless the app gives one.
        self.assertEqual(license.consume("render").features["render"]["consumed"], 5)
        for _ in range(2):
            self.assertEqual(license.consume("render", 2, event_id="work-1").features["render"]["consumed"], 7)
        self.refused("FEATURE_QUOTA_EXCEEDED", license.consume, "render", 4)
        self.refused("FEATURE_NOT_ENTITLED", license.consume, "export")
        self.refused("IDEMPOTENCY_CONFLICT", license.consume, "render", 3, event_id="work-1")
        self.refused("REFUND_NOT_ALLOWED", license.refund, "render", "work-1")
        manage("PATCH", f"/licenses/{self.issued['id']}", {"overrides": {"refund_window_minutes": 5}})
        self.proxy.script[:] = [lose]
        given_back = license.refund("render", "work-1", 1)
        self.assertEqual(given_back.data["refund"], {"feature_code": "render", "event_id": "work-1", "amount": 1, "refunded": 1})
        self.assertEqual(given_back.features["render"]["consumed"], 6)

    def test_a_key_of_the_callers_survives_a_crash(self):
        self.issue(max_activations=2)
        first = self.license().activate(idempotency_key="install-1")
        again = self.proxied().activate(idempotency_key="install-1")
        self.assertEqual(first.data, again.data)
        self.assertEqual(self.proxy.answered[0][1]["idempotency-replayed"], "true")

    def test_every_write_has_one_key_over_its_attempts(self):
        self.issue(max_floating_users=1, allow_offline_activation=True, offline_grace_days=3)
        license = self.proxied()

        def sent(call, *args):
            self.proxy.script[:] = [lose]
            before = len(self.proxy.requests)
            answer = call(*args)
            keys = [request.headers["idempotency-key"] for request in self.proxy.requests[before:]]
            self.assertEqual((len(keys), len(set(keys))), (2, 1), call)
            self.assertEqual(len({request.body for request in self.proxy.requests[before:]}), 1)
            return answer

        sent(license.activate)
        envelope = sent(license.offline.request)
        self.assertEqual(envelope.offline_counter, 1)
        sent(license.deactivate)
        lease = sent(license.floating.checkout)
        lease = sent(license.floating.heartbeat, lease.data["lease_token"])
        sent(license.floating.checkin, lease.data["lease_token"])

    def test_trusts_no_other_answer(self):
        self.issue()
        license = self.proxied(None, change(b'"status":"active"', b'"status":"perfect"'))
        license.activate()
        self.mistrusted("signature_mismatch", license.check)
        earlier = self.proxy.answered[0]
        self.proxy.script = [lambda handler, forward: handler.reply(*earlier)]
        self.mistrusted("nonce_mismatch", license.check)
        license.skew = timedelta(days=-3650)
        self.mistrusted("expired", license.check)

    def test_keys_that_are_pinned_and_keys_that_are_fetched(self):
        self.issue()
        fetching = self.proxied(public_keys=None)
        fetching.activate()
        fetching.check()
        self.assertEqual(len(self.proxy.to("/public-keys")), 1)
        old = public_keys()
        pinned = self.license(public_keys=old["data"])
        pinned.check()
        manage("POST", "/signing-keys/rotate")
        fetching.check()
        self.assertEqual(len(self.proxy.to("/public-keys")), 2)
        self.mistrusted("unknown_key", pinned.check)
        self.license(public_keys=public_keys()).check()

    def test_goes_on_when_the_service_does(self):
        self.issue()
        license = self.proxied(refusal(429, "RATE_LIMITED", Retry_After="3"), drop)
        license.activate()
        self.assertTrue(3 <= self.waits[0] <= 3.75, self.waits)
        self.proxy.close()
        with self.assertRaises(UnavailableError):
            license.check()


class RenamedProduct(Case):
    def test_an_installed_app_goes_on_until_its_code_is_retired(self):
        self.issue(max_activations=2, max_floating_users=2, allow_offline_activation=True)
        self.feature(max_consumptions=10)
        license = self.license()
        license.activate()
        floating = self.license("b").floating
        token = floating.checkout().data["lease_token"]
        path = f"/products/{self.product['id']}"
        manage("PATCH", path, {"code": str(uuid.uuid4())})
        for answer in (license.validate(), license.check(), license.activate(), license.consume("render", 2)):
            self.assertEqual(answer.data["product_code"], self.code)
        self.assertEqual(license.offline.request().data["product_code"], self.code)
        token = floating.heartbeat(token).data["lease_token"]
        self.assertEqual(floating.checkin(token).data["product_code"], self.code)
        body = {"fingerprint": "air-gapped", "license_key": self.key, "product_code": self.code}
        issued = manage("POST", f"/licenses/{self.issued['id']}/offline-files", body)
        with tempfile.TemporaryDirectory() as place:
            file = os.path.join(place, issued["file_name"])
            with open(file, "w", encoding="utf-8") as lic:
                json.dump(issued["lic"], lic)
            self.assertEqual(self.license("air-gapped").offline.verify_file(file).data["product_code"], self.code)
        manage("PATCH", path, {"former_codes": []})
        for ask in (license.validate, license.check, license.activate, license.offline.request, floating.checkout):
            self.refused("PRODUCT_MISMATCH", ask)


class FloatingSeats(Case):
    def test_of_two_processes_of_a_device(self):
        # Where a seat is the device's, whoever asks last has it; where it is a process's, each has its own.
        self.issue(max_floating_users=2, lease_unit="process")
        with self.license().floating.seat(interval=0.01) as one, self.license().floating.seat(interval=0.01) as two:
            self.assertEqual(one.answer.data["lease_unit"], "process")
            self.refused("FLOATING_LIMIT_EXCEEDED", self.license().floating.checkout, process_id="third")
            tokens = [seat.answer.data["lease_token"] for seat in (one, two)]
            while any(seat.answer.data["lease_token"] == token for seat, token in zip((one, two), tokens)):
                self.assertFalse(one.lost.wait(0.02) or two.lost.is_set(), (one.error, two.error))
        for _ in range(2):
            self.license().floating.checkout(process_id="renderer")
        with self.license().floating.seat(process_id="another") as seat:
            self.assertFalse(seat.lost.is_set())

    def live(self):
        return manage("GET", f"/licenses/{self.issued['id']}/leases?is_live=true")

    def test_a_seat_is_taken_kept_and_given_back(self):
        self.issue(max_activations=0, max_floating_users=1, floating_timeout_minutes=1)
        license = self.proxied()
        with license.floating.seat(interval=0.01) as seat:
            self.assertEqual(len(self.live()), 1)
            self.refused("FLOATING_LIMIT_EXCEEDED", self.license("b").floating.checkout)
            self.proxy.wait_for("/heartbeat", 3)
            self.assertFalse(seat.lost.is_set())
            self.assertGreater(seat.expires_at, datetime.now(timezone.utc))
        tokens = [json.loads(request.body)["lease_token"] for request in self.proxy.to("/heartbeat")]
        self.assertEqual(len(set(tokens)), len(tokens), "each heartbeat has the token of the one before")
        self.assertEqual(len(self.proxy.to("/checkin")), 1)
        self.assertEqual(self.live(), [])

    def test_a_seat_outlives_what_breaks_in_between(self):
        self.issue(max_floating_users=1)
        license = self.proxied(None, drop, lose, cut, refusal(503, "DRAINING"), max_retries=0)
        with license.floating.seat(interval=0.01) as seat:
            self.proxy.wait_for("/heartbeat", 6)
            self.assertFalse(seat.lost.is_set(), seat.error)
            self.assertEqual(len(self.live()), 1)
        self.assertEqual(self.live(), [])

    def test_a_seat_that_was_taken_back(self):
        self.issue(max_floating_users=1)
        told = queue.Queue()
        with self.license(public_keys=public_keys()).floating.seat(interval=0.01, on_lost=told.put) as seat:
            lease = self.live()[0]["id"]
            manage("POST", f"/licenses/{self.issued['id']}/leases/{lease}/release")
            self.assertTrue(seat.lost.wait(60))
        self.assertEqual((told.get(timeout=60).code, seat.error.code), ("LEASE_NOT_FOUND", "LEASE_NOT_FOUND"))
        self.assertTrue(told.empty())

    def test_a_seat_that_a_person_took_is_not_taken_again(self):
        for code in ("LEASE_NOT_FOUND", "LEASE_EXPIRED"):
            self.issue(max_floating_users=1)
            license = self.proxied(None, refusal(404, code, detail="released"))
            with license.floating.seat(interval=0.01) as seat:
                self.assertTrue(seat.lost.wait(60))
            self.assertEqual((seat.error.code, seat.error.detail), (code, "released"))
            self.assertEqual(len(self.proxy.to("/checkout")), 1)

    def test_a_seat_that_nobody_knows_is_taken_again(self):
        self.issue(max_floating_users=1)
        license = self.proxied(None, refusal(404, "LEASE_NOT_FOUND"))
        with license.floating.seat(interval=0.01) as seat:
            self.proxy.wait_for("/checkout", 2)
            self.proxy.wait_for("/heartbeat", 2)
            self.assertFalse(seat.lost.is_set(), seat.error)

    def test_a_seat_whose_lease_ran_out_is_taken_again(self):
        self.issue(max_floating_users=1)
        license = self.proxied(None, refusal(409, "LEASE_EXPIRED"))
        with license.floating.seat(interval=0.01) as seat:
            self.proxy.wait_for("/checkout", 2)
            self.proxy.wait_for("/heartbeat", 2)
            self.assertFalse(seat.lost.is_set(), seat.error)
        self.assertEqual(self.live(), [])

    def test_an_error_in_the_block_gives_the_seat_back(self):
        self.issue(max_floating_users=1)
        with self.assertRaises(KeyError), self.license().floating.seat():
            raise KeyError
        self.assertEqual(self.live(), [])

    def test_no_seat(self):
        self.issue()
        with self.assertRaises(ServiceError), self.license().floating.seat():
            self.fail("there is no seat")


class OfflineMachines(Case):
    def test_an_envelope(self):
        self.issue(allow_offline_activation=True, offline_grace_days=30)
        license = self.license()
        license.activate()
        first = license.offline.request()
        second = license.offline.request(last_counter=first.offline_counter)
        self.assertEqual((first.offline_counter, second.offline_counter), (1, 2))
        away = self.license(url="http://127.0.0.1:9", public_keys=public_keys())
        bound = {"device_id": second.device_id}
        opened = away.offline.verify(second.envelope, last_counter=2, **bound)
        self.assertEqual(opened.data, second.data)
        self.mistrusted("rolled_back", away.offline.verify, first.envelope, last_counter=2, **bound)
        late = datetime.now(timezone.utc) + timedelta(days=31)
        self.mistrusted("expired", away.offline.verify, first.envelope, now=late, **bound)
        self.mistrusted("cannot_decrypt", away.offline.verify, first.envelope, device_id="dev_other")
        before = license.revocations()
        away.offline.verify(second.envelope, revocations=before.data, **bound)
        manage("POST", f"/licenses/{self.issued['id']}/revoke")
        after = license.revocations()
        self.assertGreater(after.data["number"], before.data["number"])
        self.assertIn(self.issued["id"], after.data["revoked_license_ids"])
        self.mistrusted("revoked", away.offline.verify, second.envelope, revocations=after.data, **bound)

    def test_an_envelope_of_another_request(self):
        self.issue(allow_offline_activation=True, offline_grace_days=30)
        license = self.proxied()
        license.activate()
        license.offline.request()
        earlier = self.proxy.answered[-1]
        self.proxy.script = [lambda handler, forward: handler.reply(*earlier)]
        self.mistrusted("nonce_mismatch", license.offline.request)

    def test_a_device_that_asks_first(self):
        self.issue(allow_offline_activation=True, offline_grace_days=30)
        self.license().activate()
        self.assertEqual(self.license().offline.request().offline_counter, 1)

    def test_not_allowed(self):
        self.issue(allow_offline_activation=False)
        license = self.license()
        license.activate()
        self.refused("OFFLINE_NOT_ALLOWED", license.offline.request)

    def test_a_file(self):
        self.issue(allow_offline_activation=True, offline_grace_days=30)
        path = f"/licenses/{self.issued['id']}/offline-files"
        made = manage("POST", path, {"fingerprint": "island", "license_key": self.key})
        with tempfile.TemporaryDirectory() as directory:
            name = os.path.join(directory, made["file_name"])
            with open(name, "w", encoding="utf-8") as file:
                json.dump(made["lic"], file)
            there = self.license(" island\n", url="http://127.0.0.1:9", public_keys=public_keys())
            opened = there.offline.verify_file(name)
            self.assertEqual(opened.data["offline_file_id"], made["file"]["id"])
            other = self.license("mainland", public_keys=public_keys())
            self.mistrusted("device_mismatch", other.offline.verify_file, name)
            manage("POST", f"{path}/{made['file']['id']}/revoke")
            listed = self.license().revocations().data
            self.mistrusted("revoked", there.offline.verify_file, name, revocations=listed)


class Receiving(Case):
    def test_a_delivery(self):
        received = queue.Queue()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put((body, dict(self.headers.items())))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/hooks"
        made = manage("POST", "/webhooks", {"name": "w", "url": url, "event_types": ["license.suspended"]})
        self.issue()
        manage("POST", f"/licenses/{self.issued['id']}/suspend")
        body, headers = received.get(timeout=90)
        delivery = webhooks.verify(body, headers, made["secret"])
        self.assertEqual((delivery.type, delivery.data["id"]), ("license.suspended", self.issued["id"]))
        self.assertEqual(delivery.data["status"], "suspended")
        self.assertEqual((delivery.epoch, delivery.cursor, delivery.is_test), (1, delivery.sequence, False))
        manage("POST", f"/webhooks/{made['webhook']['id']}/test")
        tried = webhooks.verify(*received.get(timeout=90), made["secret"])
        self.assertEqual((tried.is_test, tried.data["id"]), (True, made["webhook"]["id"]))
        for wrong in (body.replace(b"suspended", b"activated"), body + b" "):
            self.mistrusted("signature_mismatch", webhooks.verify, wrong, headers, made["secret"])
