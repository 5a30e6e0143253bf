"""The license in an app against a running service, behind a network that comes and goes."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

from countersign import CountersignError, License, ServiceError, UnavailableError, read_keys, verify_receipt
from countersign.app import FileStore, open_license
from faulty import Faulty, answer, drop, lose, refusal
from test_service import URL, Case, manage, public_keys
from vendor import DAY, AppClock

KILLED = """
import sys, os
from countersign.app import FileStore, open_license
path, url, code, kid, key = sys.argv[1:]
pinned = [{"kid": kid, "algorithm": "Ed25519", "public_key": key}]
license = open_license(url, product_code=code, public_keys=pinned, store=FileStore(path), fingerprint="a", max_retries=0)
try:
    license.consume("render", 2)
finally:
    os._exit(9)
"""


class HurriedClock(AppClock):
    """Waits a hundredth as long."""

    def monotonic(self):
        return super().monotonic() * 100

    def wait(self, event, seconds):
        return event.wait(seconds / 100)


class MovedClock(AppClock):
    """The machine's clock and the time that nobody can set, both moved on by the test."""

    passed = 0.0

    def now(self):
        return super().now() + self.passed

    def monotonic(self):
        return super().monotonic() + self.passed


def short(standing):
    return f"{standing.state} {standing.reason} {'runs' if standing.may_run else 'stops'}"


class Apps(Case):
    def place(self, **policy):
        self.issue(**policy)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "license"
        self.clock = MovedClock()
        self.proxy = Faulty(URL)
        self.addCleanup(self.proxy.close)
        self.pinned = public_keys()["data"]

    def open(self, name="license", fingerprint="a", **more):
        options = {
            "base_url": self.proxy.url,
            "product_code": self.code,
            "public_keys": self.pinned,
            "store": FileStore(self.path.with_name(name)),
            "fingerprint": fingerprint,
            "clock": self.clock,
            "max_retries": 0,
        }
        return open_license(**{**options, **more})

    def stands(self, expected, standing):
        self.assertEqual(short(standing), expected)
        return standing

    def consumed(self):
        return manage("GET", f"/licenses/{self.issued['id']}")["total_consumptions"]

    def device(self):
        return manage("GET", f"/licenses/{self.issued['id']}/devices")[0]["id"]

    def test_takes_the_seat_of_the_device_that_a_person_chooses(self):
        self.place(max_activations=1, self_service=True, max_self_service_resets=2)
        old, new = self.open(), self.open("new", "b", device={"hostname": "new laptop"})
        self.stands("active confirmed runs", old.activate(self.key))
        with self.assertRaises(CountersignError) as refused:
            new.activate(f"License key: {self.key}.")
        self.assertEqual(refused.exception.code, "ACTIVATION_LIMIT_EXCEEDED")
        [device] = new.devices()
        self.assertEqual((device.name, device.kind, device.is_this), (socket.gethostname(), "hardware", False))
        self.stands("active confirmed runs", new.take_seat(device))
        self.stands("unlicensed device_released stops", old.check())
        [device] = new.devices()
        self.assertEqual((device.name, device.is_this), ("new laptop", True))
        plain = License(URL, self.key, product_code=self.code, fingerprint="c", name_device=False)
        self.assertEqual([one.id for one in plain.devices()], [device.id])
        self.assertEqual(plain.take_seat(device.id).status, "active")
        self.assertEqual([(one.name, one.is_this) for one in plain.devices()], [(None, True)])
        self.proxy.script[:] = [answer(200, b"<html>Please log in</html>")]
        with self.assertRaises(UnavailableError):
            new.devices()

    def test_runs_for_the_person_who_is_signed_in_until_the_person_is_removed(self):
        self.place(max_users=1, max_activations=2)
        named = {"issuer": os.environ["COUNTERSIGN_TEST_ISSUER"], "audience": os.environ["COUNTERSIGN_TEST_AUDIENCE"]}
        path = f"/licenses/{self.issued['id']}"
        manage("PATCH", path, {"trusted_issuer": {**named, "admits": "anyone"}})
        token = os.environ["COUNTERSIGN_TEST_ID_TOKEN"]
        app = self.open()
        with self.assertRaises(CountersignError) as refused:
            app.activate(self.key)
        self.assertEqual(refused.exception.code, "USER_SIGN_IN_REQUIRED")
        with self.assertRaises(CountersignError) as refused:
            app.sign_in_user(token, nonce="another", license_key=self.key)
        self.assertEqual(refused.exception.code, "ID_TOKEN_INVALID")
        self.stands("active confirmed runs", app.sign_in_user(token, nonce="mine", license_key=self.key))
        self.assertEqual(app.user["name"], "Ada")
        self.stands("active confirmed runs", self.open().check())
        [user] = manage("GET", f"{path}/users")
        manage("POST", f"{path}/users/{user['id']}/remove", {})
        self.stands("unlicensed user_required stops", app.check())

    def test_knows_who_signed_in_where_no_seat_is_free(self):
        self.place(max_users=1, max_activations=2, max_devices_per_user=1, self_service=True)
        named = {"issuer": os.environ["COUNTERSIGN_TEST_ISSUER"], "audience": os.environ["COUNTERSIGN_TEST_AUDIENCE"]}
        manage("PATCH", f"/licenses/{self.issued['id']}", {"trusted_issuer": {**named, "admits": "anyone"}})
        token = os.environ["COUNTERSIGN_TEST_ID_TOKEN"]
        old, new = self.open(), self.open("new", "b")
        self.stands("active confirmed runs", old.sign_in_user(token, nonce="mine", license_key=self.key))
        with self.assertRaises(CountersignError) as refused:
            new.sign_in_user(token, nonce="mine", license_key=self.key)
        self.assertEqual(refused.exception.code, "USER_DEVICE_LIMIT_EXCEEDED")
        [device] = new.devices()
        self.stands("active confirmed runs", new.take_seat(device))
        self.assertEqual(new.user["name"], "Ada")
        self.stands("unlicensed device_released stops", old.check())

    def test_signs_a_person_in_by_another_device(self):
        self.place(max_users=1)
        named = {"issuer": os.environ["COUNTERSIGN_TEST_DEVICE_ISSUER"], "audience": os.environ["COUNTERSIGN_TEST_DEVICE_CLIENT"]}
        manage("PATCH", f"/licenses/{self.issued['id']}", {"trusted_issuer": {**named, "admits": "anyone"}})
        prompt = self.open(clock=HurriedClock()).start_user_sign_in(license_key=self.key)
        self.assertRegex(prompt.user_code, "^[A-Z]{4}-[A-Z]{4}$")
        self.assertIn(prompt.user_code, prompt.verification_uri_complete)
        self.stands("active confirmed runs", prompt.finish())
        [user] = manage("GET", f"/licenses/{self.issued['id']}/users")
        self.assertEqual(user["subject"], "ada")

    def mailed(self, address):
        """The code and the link of the newest mail to an address, which the test that runs this one waits for."""
        with urllib.request.urlopen(f"{os.environ['COUNTERSIGN_TEST_MAILS']}?{urllib.parse.quote(address)}") as mail:
            return json.load(mail)

    def test_signs_a_person_in_by_a_mail_and_renews_it(self):
        self.place(max_users=1, validation_interval_minutes=60)
        path = f"/licenses/{self.issued['id']}"
        app = self.open()
        address = f"{secrets.token_hex(4)}@example.com"
        manage("POST", f"{path}/users", {"email": address, "delivery": "none"})
        prompt = app.start_mail_sign_in(address.upper(), license_key=self.key)
        mail = self.mailed(address)
        self.assertIn(prompt.reference, mail["text"])
        for code in ("0000-0000", None):
            stop = threading.Event()
            stop.set()
            with self.assertRaises(CountersignError) as refused:
                prompt.finish(code=code, stop=stop)
            self.assertEqual((refused.exception.code, refused.exception.detail), ("MAILBOX_NOT_PROVEN", "pending" if code is None else "invalid"))
        self.stands("active confirmed runs", prompt.finish(code=mail["code"].lower()))
        first = dict(app.user)
        self.assertEqual(first["email"], address)
        self.clock.passed += 40 * 60
        self.stands("active confirmed runs", self.open().check())
        renewed = self.open()
        self.assertGreater(renewed.user["renewal"]["at"], first["renewal"]["at"])
        self.assertEqual(renewed.user["renewal"]["token"], first["renewal"]["token"])
        [user] = manage("GET", f"{path}/users")
        manage("POST", f"{path}/users/{user['id']}/remove", {})
        self.stands("unlicensed user_required stops", renewed.check())

    def test_signs_a_person_in_by_the_link_of_a_mail(self):
        self.place(max_users=1)
        address = f"{secrets.token_hex(4)}@example.com"
        manage("POST", f"/licenses/{self.issued['id']}/users", {"email": address, "delivery": "none"})
        app = self.open(clock=HurriedClock())
        prompt = app.start_mail_sign_in(address, license_key=self.key)
        link = f"token={self.mailed(address)['link']}"
        form = urllib.request.Request(f"{URL}/user-sign-in", link.encode(), {"Sec-Fetch-Site": "same-origin"})
        urllib.request.urlopen(form).close()
        self.stands("active confirmed runs", prompt.finish())

    def file(self, fingerprint="a"):
        asked = {"license_key": self.key, "fingerprint": fingerprint}
        return json.dumps(manage("POST", f"/licenses/{self.issued['id']}/offline-files", asked)["lic"])

    def test_runs_by_a_file_that_the_vendor_mailed(self):
        self.place(max_activations=5, offline_grace_days=30, offline_file_days=60)
        first, app = self.file(), self.open(base_url="http://127.0.0.1:9")
        self.refused("NO_LICENSE", app.keep_offline, first)
        mailed = "\r\n> ".join(["", *[first[at : at + 76] for at in range(0, len(first), 76)]]).encode("utf-16")
        standing = self.stands("offline offline_envelope runs", app.keep_offline(mailed, f" {self.key.lower()} "))
        self.assertGreater(standing.until.timestamp(), self.clock.now() + 59 * DAY)
        self.stands("offline offline_envelope runs", app.check())
        self.stands("offline offline_envelope runs", self.open(base_url="http://127.0.0.1:9").standing)

        second = self.file()
        for code, file, key in (
            ("device_mismatch", self.file("b"), None),
            ("cannot_decrypt", second, "ABCD-EFGH-1234"),
            ("malformed", b"<html>", None),
        ):
            self.refused(code, app.keep_offline, file, key)
        self.refused("product_mismatch", self.open("other", product_code="another").keep_offline, second, self.key)
        app.keep_offline(second)
        self.refused("rolled_back", app.keep_offline, first)

        online = self.open()
        manage("POST", f"/licenses/{self.issued['id']}/suspend")
        self.stands("suspended suspended stops", online.check())
        self.refused("LICENSE_INACTIVE", app.keep_offline, second)
        self.stands("suspended suspended stops", app.standing)
        manage("POST", f"/licenses/{self.issued['id']}/reinstate")
        self.stands("offline offline_envelope runs", app.keep_offline(self.file()))

        self.clock.passed = 61 * DAY
        self.stands("expired offline_over stops", app.check())
        self.refused("expired", self.open("fresh").keep_offline, second, self.key)
        # A clock that was set back gains nothing.
        self.clock.passed = -400 * DAY
        fresh = self.open("fresh", base_url="http://127.0.0.1:9")
        self.assertTrue(fresh.keep_offline(second, self.key).is_clock_set_back)
        self.clock.passed += 61 * DAY
        self.stands("expired offline_over stops", fresh.check())

    def refused(self, code, call, *args):
        with self.assertRaises(CountersignError) as raised:
            call(*args)
        self.assertEqual(raised.exception.code, code)

    def test_survives_the_loss_of_the_service_and_stops_when_the_license_is_revoked(self):
        self.place()
        app = self.open()
        self.stands("active confirmed runs", app.activate(self.key))
        self.proxy.script[:] = [drop, answer(403, b"<h1>Blocked</h1>"), answer(502, b"")]
        for _ in range(3):
            self.stands("active confirmed runs", app.check())
        self.clock.passed = 3 * DAY
        self.proxy.script[:] = [drop]
        self.stands("grace unreachable runs", app.check())
        self.stands("grace unreachable runs", self.open().standing)
        manage("POST", f"/licenses/{self.issued['id']}/suspend")
        self.stands("suspended suspended stops", app.check())
        manage("POST", f"/licenses/{self.issued['id']}/reinstate")
        self.stands("active confirmed runs", app.check())
        manage("POST", f"/licenses/{self.issued['id']}/revoke")
        self.stands("revoked revoked stops", app.check())
        self.proxy.script[:] = [drop]
        self.stands("revoked revoked stops", self.open().check())

    def test_takes_one_seat_and_gives_it_back(self):
        self.place(max_activations=1)
        app = self.open()
        app.activate(f"  {self.key}\n")
        self.refused("ACTIVATION_LIMIT_EXCEEDED", self.open("other", "b").activate, self.key)
        app.deactivate()
        self.stands("unlicensed given_back stops", self.open().standing)
        self.stands("active confirmed runs", app.activate(self.key))
        manage("POST", f"/licenses/{self.issued['id']}/devices/{self.device()}/reset")
        self.stands("unlicensed device_released stops", app.check())
        other = self.open("other", "b")
        self.stands("active confirmed runs", other.activate(self.key))
        other.deactivate()
        self.stands("active confirmed runs", app.activate(self.key))

    def test_binds_a_container_by_its_names(self):
        self.place(allow_container=True)
        names = {"is_container": True, "cluster_id": "a b/c", "pod_name": "caf\u00e9 (1)!"}
        self.stands("active confirmed runs", self.open(device=names).activate(self.key))
        self.stands("active confirmed runs", self.open(device=names).standing)
        self.stands("unlicensed other_device stops", self.open(device={**names, "pod_name": "2"}).standing)

    def test_trusts_a_key_of_the_service_that_it_does_not_ship_as_one_fetched_from_this_machine(self):
        self.place()
        app = self.open()
        app.activate(self.key)
        manage("POST", "/signing-keys/rotate")
        self.assertIsNone(app.check().error)
        self.stands("active confirmed runs", self.open().standing)
        self.assertEqual(self.open(key_rotation="pinned").check().error.code, "unknown_key")

    def test_counts_a_use_once_whatever_becomes_of_its_answer(self):
        self.place()
        self.feature(max_consumptions=10)
        app = self.open()
        app.activate(self.key)
        self.assertEqual(app.consume("render", 2).state, "counted")
        self.proxy.script[:] = [lose]
        self.assertEqual(app.consume("render", 3).state, "pending")
        self.proxy.script[:] = [drop]
        self.assertEqual(app.consume("render", 4, dimensions={"model": "small"}).state, "pending")
        self.assertEqual(self.consumed(), 5)
        self.open().check()
        app.check()
        self.assertEqual(self.consumed(), 9)
        ledger = manage("GET", f"/reports/usage-ledger?license_id={self.issued['id']}")
        self.assertEqual([use.get("dimensions") for use in ledger], [{"model": "small"}, None, None])
        with self.assertRaises(ServiceError) as raised:
            app.consume("render", 2)
        self.assertEqual(raised.exception.code, "FEATURE_QUOTA_EXCEEDED")
        self.assertEqual(app.feature("render")["remaining"], 1)

    def test_refunds_a_use_only_with_the_service(self):
        self.place(refund_window_minutes=5)
        self.feature(max_consumptions=10)
        app = self.open()
        app.activate(self.key)
        self.proxy.script[:] = [drop]
        self.assertEqual(app.consume("render", 4, event_id="job").state, "pending")
        self.proxy.script[:] = [drop]
        self.refused("NETWORK_ERROR", app.refund, "render", "job")
        self.assertEqual(app.refund("render", "job", 1).refunded, 1)
        self.assertEqual(app.refund("render", "job").amount, 3)
        self.assertEqual(app.feature("render")["remaining"], 10)
        self.refused("STATE_CONFLICT", app.refund, "render", "job")
        self.refused("NOT_FOUND", app.refund, "render", "none")
        self.refused("NOT_FOUND", app.receipt, "none")
        for _ in range(100):
            try:
                receipt = app.receipt("job", "render")
                break
            except ServiceError as error:
                self.assertEqual(error.code, "UNAVAILABLE")
                time.sleep(0.1)
        self.assertEqual(receipt.event["data"]["amount"], 4)
        self.assertEqual(verify_receipt(receipt.text, read_keys(self.pinned)).event, receipt.event)
        self.stands("active confirmed runs", app.standing)

    def test_counts_a_use_of_an_app_that_ended_before_it_heard_of_it(self):
        self.place()
        self.feature(max_consumptions=10)
        self.open().activate(self.key)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        for fate in (drop, lose):
            self.proxy.script[:] = [fate]
            [key] = [one for one in self.pinned if one["status"] == "active"]
            arguments = [str(self.path), self.proxy.url, self.code, key["kid"], key["public_key"]]
            ended = subprocess.run([sys.executable, "-c", KILLED, *arguments], env=environment)
            self.assertEqual(ended.returncode, 9)
            self.open().check()
        self.assertEqual(self.consumed(), 4)
        self.open().check()
        self.assertEqual(self.consumed(), 4)

    def test_runs_by_an_envelope_on_its_own_machine_until_that_is_too_old(self):
        self.place(allow_offline_activation=True, offline_grace_days=30)
        app = self.open(grace_days=0)
        app.activate(self.key)
        app.go_offline()
        app.go_offline()
        away = {"grace_days": 0, "base_url": "http://127.0.0.1:1"}
        self.clock.passed = 20 * DAY
        self.stands("offline offline_envelope runs", self.open(**away).standing)
        offline = self.stands("offline offline_envelope runs", self.open(**away).check())
        self.assertGreater(offline.until.timestamp(), self.clock.now() + 9 * DAY)
        self.stands("unlicensed other_device stops", self.open(**away, fingerprint="b").standing)
        self.clock.passed = 31 * DAY
        self.stands("expired grace_over stops", self.open(**away).check())

    def test_goes_on_where_the_terms_allow_no_envelope(self):
        self.place(allow_offline_activation=False)
        app = self.open()
        app.activate(self.key)
        self.refused("OFFLINE_NOT_ALLOWED", app.go_offline)
        self.stands("active confirmed runs", app.check())

    def test_takes_a_floating_seat_keeps_it_by_heartbeats_shares_it_and_gives_it_back(self):
        self.place(max_floating_users=1, floating_timeout_minutes=1)
        app = self.open()
        self.stands("active confirmed runs", app.acquire(self.key))
        rival = self.open("rival", "b")
        self.refused("FLOATING_LIMIT_EXCEEDED", rival.acquire, self.key)
        self.stands("over-limit no_floating_seat stops", rival.standing)
        window = self.open()
        self.stands("active confirmed runs", window.acquire())
        with app.watch():
            self.proxy.wait_for("/floating/heartbeat", 1)
        self.stands("active confirmed runs", window.check())
        app.release()
        self.refused("FLOATING_LIMIT_EXCEEDED", rival.acquire, self.key)
        self.stands("unlicensed given_back stops", window.release())
        self.stands("active confirmed runs", rival.acquire(self.key))
        self.refused("FLOATING_LIMIT_EXCEEDED", app.acquire)

    def test_has_a_floating_seat_of_its_own_where_each_process_has_one(self):
        self.place(max_floating_users=2, lease_unit="process")
        one, two, three = (self.open(process_id=name) for name in ("one", "two", "three"))
        for app in (one, two):
            self.stands("active confirmed runs", app.acquire(self.key))
        leases = manage("GET", f"/licenses/{self.issued['id']}/leases?is_live=true")
        self.assertEqual(sorted(lease["process_id"] for lease in leases), ["one", "two"])
        # One that has none stops none that has.
        self.refused("FLOATING_LIMIT_EXCEEDED", three.acquire)
        self.stands("over-limit no_floating_seat stops", three.standing)
        for app in (one, two, one):
            self.stands("active confirmed runs", app.check())
        self.stands("over-limit no_floating_seat stops", three.check())
        # The same name has its seat back, as after a crash.
        self.stands("active confirmed runs", self.open(process_id="one").check())
        self.stands("unlicensed given_back stops", one.release())
        self.stands("unlicensed given_back stops", one.check())
        self.stands("active confirmed runs", two.check())
        self.stands("active confirmed runs", three.check())
        [lease] = [one for one in manage("GET", f"/licenses/{self.issued['id']}/leases?is_live=true") if one["process_id"] == "two"]
        manage("POST", f"/licenses/{self.issued['id']}/leases/{lease['id']}/release")
        self.stands("unlicensed device_released stops", two.check())
        self.stands("active confirmed runs", three.check())
        self.stands("unlicensed given_back stops", three.release())
        self.stands("active confirmed runs", one.acquire())
        manage("POST", f"/licenses/{self.issued['id']}/revoke")
        self.stands("revoked revoked stops", one.check())

    def test_takes_a_floating_seat_that_a_person_took_away_anew_on_purpose_alone(self):
        self.place(max_floating_users=1)
        app = self.open()
        app.acquire(self.key)
        manage("POST", f"/licenses/{self.issued['id']}/devices/{self.device()}/reset")
        self.stands("unlicensed device_released stops", app.check())
        self.stands("unlicensed device_released stops", app.check())
        self.stands("active confirmed runs", app.acquire(self.key))
        self.stands("active confirmed runs", app.check())

    def test_opens_its_trial_with_the_key_that_it_ships(self):
        self.place()
        product = manage("POST", "/products", {"name": "Studio", "code": str(uuid.uuid4())})
        policy = {"name": "Trial", "code": "trial", "license_type": "trial", "duration": "P14D"}
        made = manage("POST", f"/products/{product['id']}/policies", policy)
        path = f"/products/{product['id']}/publishable-keys"
        publishable = manage("POST", path, {"name": "app", "policy_id": made["id"]})["key"]
        app = self.open(product_code=product["code"])
        self.stands("active confirmed runs", app.start_trial(publishable))
        self.stands("active confirmed runs", app.start_trial(publishable))
        self.assertEqual(app.standing.data["license_type"], "trial")
        manage("POST", f"/licenses/{app.standing.data['license_id']}/revoke")
        self.stands("revoked revoked stops", app.check())
        self.refused("LICENSE_INACTIVE", app.start_trial, publishable)

    def test_has_errors_of_its_own(self):
        self.place()
        app = self.open()
        for call in (app.acquire, app.release, app.deactivate, app.go_offline, lambda: app.consume("render")):
            with self.assertRaises(CountersignError) as raised:
                call()
            self.assertEqual(raised.exception.code, "NO_LICENSE")
        self.proxy.script[:] = [refusal(429, "RATE_LIMITED")]
        self.refused("RATE_LIMITED", app.activate, self.key)
        self.stands("unlicensed no_license stops", app.standing)
