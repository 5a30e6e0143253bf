"""The license in an app, against a vendor in the process of the test and a clock that the test moves."""

import hashlib
import json
import random
import threading
import unittest

from countersign import CountersignError, UnavailableError
from countersign.app import MemoryStore, open_license
from vendor import DAY, HOUR, STORMS, Vendor, VirtualClock

MOMENT = 0.001
REVOKED = (403, "LICENSE_INACTIVE", "revoked")


def short(standing):
    return f"{standing.state} {standing.reason} {'runs' if standing.may_run else 'stops'}"


def without(members, name):
    return {key: value for key, value in members.items() if key != name}


class Place(unittest.TestCase):
    """A vendor, a machine with its clock and its store, and what opens the app there."""

    def setUp(self):
        self.begin()

    def begin(self):
        self.clock = VirtualClock()
        self.vendor = Vendor(self.clock)
        self.addCleanup(self.vendor.close)
        self.store = MemoryStore()
        self.problems = []

    def open(self, **more):
        options = {
            "base_url": self.vendor.url,
            "product_code": self.vendor.product_code,
            "public_keys": self.vendor.pinned,
            "store": self.store,
            "fingerprint": "machine-1",
            "clock": self.clock,
            "max_retries": 0,
            "on_problem": self.problems.append,
        }
        return open_license(**{**options, **more})

    def activated(self):
        license = self.open()
        license.activate(self.vendor.key)
        return license

    def stands(self, expected, standing):
        self.assertEqual(short(standing), expected)
        return standing

    def refused(self, code, call, *args, **options):
        with self.assertRaises(CountersignError) as raised:
            call(*args, **options)
        self.assertEqual(raised.exception.code, code)

    def kept(self):
        return json.loads(self.store.text.split("\n")[1])

    def forged(self, change):
        """A store with a good digest, in which somebody changed the text."""
        text = change(self.store.text.split("\n")[1])
        return MemoryStore(f"countersign-license/1 {hashlib.sha256(text.encode()).hexdigest()}\n{text}")


class Away(Place):
    def test_runs_until_valid_until_then_until_the_grace_ends_and_at_once_again_when_it_is_back(self):
        for storm in STORMS:
            with self.subTest(storm):
                self.begin()
                self.activated()
                self.vendor.weather = storm
                license = self.open()
                self.stands("active confirmed runs", license.standing)
                self.stands("active confirmed runs", license.check())
                self.clock.let_pass(2 * DAY)
                self.stands("active confirmed runs", license.check())
                self.clock.let_pass(MOMENT)
                grace = self.stands("grace unreachable runs", license.check())
                self.assertAlmostEqual(grace.until.timestamp(), self.clock.truth() - MOMENT + 7 * DAY, places=3)
                self.assertTrue(grace.error.code)
                self.clock.let_pass(7 * DAY - MOMENT)
                self.assertTrue(self.open().check().may_run)
                self.clock.let_pass(MOMENT)
                self.stands("expired grace_over stops", license.check())
                self.stands("expired grace_over stops", self.open().standing)
                self.vendor.weather = "up"
                self.stands("active confirmed runs", license.check())

    def test_has_no_more_of_a_trial_than_its_days(self):
        self.vendor.more = {"license_type": "trial", "expires_at": "2026-11-24T10:00:00.000Z"}
        license = self.activated()
        self.vendor.weather = "down"
        self.clock.let_pass(3 * DAY)
        self.stands("grace unreachable runs", license.check())
        self.clock.let_pass(MOMENT)
        self.stands("expired trial_over stops", license.check())

    def test_that_refuses_has_stopped_also_after_a_restart_without_it_until_it_confirms(self):
        license = self.activated()
        self.vendor.refusal = REVOKED
        self.stands("revoked revoked stops", license.check())
        self.vendor.weather = "down"
        self.stands("revoked revoked stops", self.open().check())
        # The copy before says the same.
        self.store.text = self.store.text[:-20]
        self.stands("revoked revoked stops", self.open().standing)
        self.vendor.weather = "up"
        self.vendor.refusal = None
        self.stands("active confirmed runs", self.open().check())

    def test_stands_as_it_was_refused(self):
        for code, detail, expected in (
            ("LICENSE_EXPIRED", None, "expired license_expired"),
            ("LICENSE_INACTIVE", "suspended", "suspended suspended"),
            ("LICENSE_INACTIVE", "not_started", "suspended not_started"),
            ("DEVICE_BLACKLISTED", None, "unlicensed device_blocked"),
            ("VM_NOT_ALLOWED", None, "unlicensed machine_not_allowed"),
            ("LICENSE_KEY_INVALID", None, "unlicensed key_invalid"),
        ):
            with self.subTest(code, detail=detail):
                self.begin()
                license = self.activated()
                self.vendor.refusal = (403, code, detail)
                standing = self.stands(f"{expected} stops", license.check())
                self.assertEqual(standing.error.code, code)
                self.assertTrue(standing.show)

    def test_is_stopped_by_nobody_who_only_says_that_it_is_refused(self):
        for refusal in (REVOKED, (401, "LICENSE_KEY_INVALID"), (404, "DEVICE_NOT_ACTIVATED")):
            for weather, signs in (("up", False), ("forged", True)):
                with self.subTest(refusal, weather=weather):
                    self.begin()
                    license = self.activated()
                    self.vendor.refusal, self.vendor.weather, self.vendor.signs = refusal, weather, signs
                    standing = self.stands("active confirmed runs", license.check())
                    self.assertEqual(standing.error.code, refusal[1])
                    self.stands("active confirmed runs", self.open().check())
                    self.clock.let_pass(2 * DAY + MOMENT)
                    self.stands("grace unreachable runs", license.check())
                    self.assertEqual(self.vendor.asked.count("activate"), 1)
                    # What does not run is told why, and does not begin to run.
                    self.clock.let_pass(7 * DAY)
                    self.stands("expired grace_over stops", license.check())

    def test_that_refuses_has_stopped_also_an_app_whose_key_is_kept_as_it_was_typed(self):
        self.vendor.key = "CS-00000-00000-00000-00000-00000"
        typed = "\u201ccs\u201300000\u201300000\u201300000\u201300000\u201300000\u201d"
        license = self.activated()
        self.vendor.refusal = REVOKED
        self.stands("revoked revoked stops", license.check())
        # As an earlier version kept it, or the app has it from elsewhere.
        for key in ({"licenseKey": typed}, {}):
            store = self.forged(lambda text: json.dumps({**without(json.loads(text), "licenseKey"), **key}))
            self.stands("revoked revoked stops", self.open(store=store, license_key=typed).standing)
        # What can be no key was never refused.
        store = self.forged(lambda text: json.dumps({**json.loads(text), "licenseKey": "?"}))
        self.stands("active confirmed runs", self.open(store=store).standing)

    def test_takes_no_refusal_of_another_question_key_or_device_for_its_own(self):
        license = self.activated()
        self.vendor.refusal = REVOKED
        for change in ("nonce", "credential_hash", "request_hash", "fingerprint_hash", "type"):
            self.vendor.altered = change
            self.stands("active confirmed runs", license.check())
        self.vendor.altered = None
        self.stands("revoked revoked stops", license.check())
        kept = self.kept()
        self.assertEqual(kept["refusal"]["proof"]["statement"]["data"]["code"], "LICENSE_INACTIVE")
        # A refusal that an earlier version kept, or somebody wrote, proves nothing.
        for refusal in (
            {name: value for name, value in kept["refusal"].items() if name != "proof"},
            {**kept["refusal"], "code": "LICENSE_EXPIRED"},
        ):
            store = self.forged(lambda text: json.dumps({**json.loads(text), "refusal": refusal}))
            expected = "revoked revoked stops" if "proof" in refusal else "active confirmed runs"
            self.stands(expected, self.open(store=store).standing)

    def test_is_answered_by_nobody_who_makes_up_a_refusal_of_another_form(self):
        license = self.activated()
        self.vendor.refusal = (404, "NOT_FOUND")
        self.stands("active confirmed runs", license.check())


class Activation(Place):
    def test_is_not_made_by_itself_where_a_person_released_the_device(self):
        license = self.activated()
        other = self.open(store=MemoryStore(), fingerprint="machine-2")
        self.vendor.release()
        self.stands("unlicensed device_released stops", license.check())
        self.stands("unlicensed device_released stops", self.open(license_key=self.vendor.key).check())
        self.assertEqual(self.vendor.devices, set())
        self.stands("active confirmed runs", other.activate(self.vendor.key))
        other.deactivate()
        self.stands("active confirmed runs", license.activate(self.vendor.key))
        self.stands("active confirmed runs", license.check())

    def test_takes_a_seat_and_is_made_again_where_the_device_was_away_for_long(self):
        license = self.activated()
        other = self.open(store=MemoryStore(), fingerprint="machine-2")
        self.refused("ACTIVATION_LIMIT_EXCEEDED", other.activate, self.vendor.key)
        self.stands("over-limit no_free_seat stops", other.standing)
        self.vendor.devices.clear()
        self.stands("active confirmed runs", license.check())
        self.assertEqual(len(self.vendor.devices), 1)
        self.stands("unlicensed given_back stops", license.deactivate())
        self.assertEqual(len(self.vendor.devices), 0)
        self.stands("unlicensed given_back stops", license.check())
        self.stands("active confirmed runs", other.activate(self.vendor.key))

    def test_with_a_wrong_key_leaves_a_license_that_runs_as_it_is(self):
        license = self.activated()
        self.refused("LICENSE_KEY_INVALID", license.activate, "CS-00000-00000-00000-00000-00000")
        self.refused("LICENSE_KEY_MALFORMED", license.activate, "CS-WRONG")
        self.refused("LICENSE_KEY_MALFORMED", license.acquire, "my key is \u201c\U0001f511\u201d")
        self.stands("active confirmed runs", license.standing)
        self.stands("active confirmed runs", license.check())

    def test_keeps_the_seat_while_nobody_can_be_told_that_it_is_given_back(self):
        license = self.activated()
        self.vendor.weather = "down"
        self.refused("NETWORK_ERROR", license.deactivate)
        self.assertTrue(license.check().may_run)

    def test_is_made_by_the_first_check_with_a_key_that_the_app_has(self):
        license = self.open(license_key=self.vendor.key)
        self.stands("unlicensed no_license stops", license.standing)
        self.stands("active confirmed runs", license.check())

    def test_needs_arguments_that_make_sense(self):
        for wrong in (
            {"public_keys": []},
            {"public_keys": None},
            {"fingerprint": " "},
            {"grace_days": -1},
            {"key_rotation": "never"},
            {"product_code": None},
            {"product_code": ""},
            {"base_url": "licenses.example.com"},
            {"base_url": "https://"},
            {"base_url": None},
        ):
            with self.assertRaises(ValueError):
                self.open(**wrong)


class OtherEnvironment(Place):
    REFUSED = "unlicensed other_environment stops"
    TEST_KEY = "CST-000G4-0R40M-30E20-9185G-R38EC"

    def test_no_credential_of_it_is_sent_by_an_app_for_customers(self):
        license = self.open()
        self.refused("environment_mismatch", license.activate, f"License key: {self.TEST_KEY.lower()}")
        self.refused("environment_mismatch", license.acquire, self.TEST_KEY)
        self.refused("environment_mismatch", license.start_trial, "cpk_test_000SYW7RiJxkEgOGusQGwp2g3V2T")
        self.stands(self.REFUSED, license.standing)
        self.assertIn("of the test environment", license.standing.error.message)
        self.refused("environment_mismatch", license.devices)
        self.stands(self.REFUSED, self.open(license_key=self.TEST_KEY).check())
        self.assertEqual(self.vendor.asked, [])
        self.assertIsNone(self.store.text)

    def test_nothing_of_its_answers_is_kept(self):
        self.vendor.more = {"environment": "test"}
        license = self.open()
        self.refused("environment_mismatch", license.activate, self.vendor.key)
        self.stands(self.REFUSED, license.standing)
        self.assertIsNone(self.store.text)
        self.stands("unlicensed no_license stops", self.open().standing)

    def test_a_license_goes_on_whatever_it_says(self):
        license = self.activated()
        self.vendor.more = {"environment": "test"}
        self.stands("active confirmed runs", license.check())
        self.assertEqual(license.standing.error.code, "environment_mismatch")
        self.refused("environment_mismatch", license.deactivate)
        self.clock.let_pass(2 * DAY + 1)
        self.stands("grace unreachable runs", license.check())

    def test_an_app_for_tests_runs_on_it_and_no_other_by_what_it_kept(self):
        self.vendor.more = {"environment": "test"}
        tested = self.open(allow_test=True)
        self.stands("active confirmed runs", tested.activate(self.vendor.key))
        license = self.open()
        self.stands(self.REFUSED, license.standing)
        self.assertIsNone(license.standing.data)
        self.vendor.weather = "down"
        self.stands(self.REFUSED, license.check())
        self.vendor.weather, self.vendor.more = "up", {}
        self.stands("active confirmed runs", license.check())

    def test_an_app_for_tests_takes_its_time(self):
        self.vendor.more = {"environment": "test"}
        self.clock.set(-100 * DAY)
        license = self.open(allow_test=True)
        self.stands("active confirmed runs", license.activate(self.vendor.key))
        self.assertFalse(license.standing.is_clock_set_back)
        self.vendor.weather = "down"
        self.clock.let_pass(2 * DAY + HOUR)
        late = self.open(allow_test=True).check()
        self.stands("grace unreachable runs", late)
        self.assertFalse(late.is_clock_set_back)


class Clock(Place):
    def test_set_back_stretches_nothing(self):
        license = self.activated()
        self.vendor.weather = "down"
        self.clock.let_pass(DAY)
        license.check()
        self.clock.set(-30 * DAY)
        self.assertTrue(license.standing.is_clock_set_back)
        self.clock.let_pass(DAY + MOMENT)
        self.stands("grace unreachable runs", license.check())
        restarted = self.open()
        self.assertTrue(restarted.standing.is_clock_set_back)
        self.stands("grace unreachable runs", restarted.standing)
        self.clock.let_pass(7 * DAY)
        self.stands("expired grace_over stops", restarted.check())
        self.stands("expired grace_over stops", self.open().standing)

    def test_far_ahead_locks_nobody_out_once_the_service_was_reached(self):
        self.activated()
        self.clock.set(3650 * DAY)
        license = self.open()
        self.stands("expired grace_over stops", license.standing)
        self.stands("active confirmed runs", license.check())
        self.vendor.weather = "down"
        self.clock.let_pass(DAY)
        self.stands("active confirmed runs", self.open().check())
        self.clock.set(0)
        self.stands("active confirmed runs", self.open().standing)
        self.clock.let_pass(9 * DAY)
        self.assertFalse(self.open().check().may_run)


class Full(MemoryStore):
    def write(self, text):
        raise OSError("ENOSPC")


class Store(Place):
    def test_of_another_machine_is_refused_and_takes_no_seat_there(self):
        self.vendor.seats = 2
        self.activated()
        copied = self.open(store=MemoryStore(self.store.text), fingerprint="machine-2")
        self.stands("unlicensed other_device stops", copied.standing)
        self.stands("unlicensed other_device stops", copied.check())
        self.assertEqual(len(self.vendor.devices), 1)
        self.vendor.weather = "down"
        self.stands("unlicensed other_device stops", copied.check())
        self.vendor.weather = "up"
        self.stands("active confirmed runs", copied.activate(self.vendor.key))

    def test_torn_at_any_byte_neither_crashes_the_app_nor_frees_it_and_the_copy_before_serves(self):
        self.activated().check()
        whole = self.store.text
        for length in range(0, len(whole), 41):
            self.stands("unlicensed store_unreadable stops", self.open(store=MemoryStore(whole[:length])).standing)
            self.store.text = whole[:length]
            self.stands("active confirmed runs", self.open().standing)
        asked = self.open(store=MemoryStore(whole[:99]), license_key=self.vendor.key)
        self.stands("active confirmed runs", asked.check())

    def test_in_which_somebody_wrote_another_answer_is_not_believed(self):
        self.activated()
        forged = self.open(store=self.forged(lambda text: text.replace("2026-", "2099-")))
        standing = self.stands("unlicensed store_unreadable stops", forged.standing)
        self.assertEqual(standing.error.code, "signature_mismatch")
        self.stands("active confirmed runs", forged.check())
        self.assertEqual(len(self.vendor.devices), 1)

    def test_in_which_somebody_wrote_something_else_crashes_nothing(self):
        self.activated()
        for name in ("answer", "pending", "version", "floor", "licenseKey", "ahead"):
            for value in (None, 7, "x", [], {}, [7], {"text": 1}):
                changed = self.forged(lambda text: json.dumps({**json.loads(text), name: value}))
                self.open(store=changed).check()
        for text in ("null", "[]", "7", "{", '{"version":1,"floor":0,"pending":[]}', '"\\ud800"'):
            self.assertFalse(self.open(store=self.forged(lambda _: text)).standing.may_run)

    def test_that_cannot_be_written_locks_nobody_out_while_the_app_runs_and_is_told_of(self):
        license = self.open(store=Full())
        self.stands("active confirmed runs", license.activate(self.vendor.key))
        self.vendor.weather = "down"
        self.stands("active confirmed runs", license.check())
        self.assertTrue(self.problems)
        with self.assertRaises(OSError):
            license.consume("export")

    def test_shared_by_two_processes_loses_no_refusal_no_use_and_no_floor(self):
        one, two = self.activated(), self.open()
        self.clock.let_pass(HOUR)
        self.vendor.weather = "down"
        uses = [
            threading.Thread(target=license.consume, args=("export", 1), kwargs={"event_id": f"use-{index}"})
            for index, license in enumerate((one, two, one, two))
        ]
        for use in uses:
            use.start()
        for use in uses:
            use.join()
        self.vendor.weather = "up"
        self.vendor.refusal = REVOKED
        one.check()
        changes = []
        with two.watch(lambda standing: changes.append(short(standing))):
            self.vendor.weather = "down"
            self.clock.let_pass(HOUR)
        self.assertEqual(changes[-1], "revoked revoked stops")
        self.stands("revoked revoked stops", self.open().standing)
        self.assertEqual(len(self.kept()["pending"]), 4)
        self.assertGreaterEqual(self.kept()["floor"], (self.clock.truth() - HOUR) * 1000)
        self.vendor.weather = "up"
        self.vendor.refusal = None
        two.check()
        self.assertEqual(len(self.vendor.uses), 4)
        self.assertEqual(self.kept()["pending"], [])
        self.stands("active confirmed runs", one.check())

    def test_keeps_a_refusal_that_came_while_an_older_question_was_on_its_way(self):
        one, slow = self.activated(), self.open()
        asked, held, found = threading.Event(), threading.Event(), []

        def meanwhile(operation):
            asked.set()
            held.wait(60)

        self.vendor.meanwhile = meanwhile
        checking = threading.Thread(target=lambda: found.append(slow.check()))
        checking.start()
        self.assertTrue(asked.wait(60))
        self.vendor.meanwhile = lambda operation: None
        self.vendor.refusal = REVOKED
        self.assertFalse(one.check().may_run)
        held.set()
        checking.join()
        self.stands("revoked revoked stops", found[0])
        self.stands("revoked revoked stops", self.open().standing)


class Uses(Place):
    def test_wait_for_the_service_within_the_quota_and_are_counted_once(self):
        license = self.activated()
        self.vendor.weather = "lost"
        self.assertEqual(license.consume("export", 4, event_id="a").state, "pending")
        self.assertEqual(license.consume("export", 6, event_id="b").state, "pending")
        self.refused("FEATURE_QUOTA_EXCEEDED", license.consume, "export", 1, event_id="c")
        self.refused("FEATURE_NOT_ENTITLED", license.consume, "print")
        self.vendor.weather = "up"
        self.vendor.uses.clear()
        self.open().check()
        self.assertEqual(self.vendor.uses, {"a": 4, "b": 6})
        self.assertEqual(license.feature("export")["code"], "export")
        self.assertIsNone(license.feature("print"))

    def test_signed_custom_fields_are_known_while_it_may_run(self):
        self.vendor.more = {"custom_fields": {"order_number": "PO-4711", "seats": 0, "other": {}}}
        license = self.activated()
        self.assertEqual([license.custom_field(code) for code in ("order_number", "seats")], ["PO-4711", 0])
        self.assertEqual([license.custom_field(code) for code in ("other", "never")], [None, None])
        self.vendor.weather = "down"
        self.clock.let_pass(30 * DAY)
        license.check()
        self.assertIsNone(license.custom_field("order_number"))

    def test_of_an_app_that_may_not_run_are_refused_without_the_service(self):
        license = self.activated()
        self.vendor.weather = "down"
        self.clock.let_pass(10 * DAY)
        with self.assertRaises(UnavailableError):
            license.consume("export")


class Keys(Place):
    def test_that_the_vendor_rotated_are_fetched_kept_and_believed_no_longer_once_revoked(self):
        license = self.activated()
        self.vendor.rotate("sig_second")
        self.stands("active confirmed runs", license.check())
        self.vendor.weather = "down"
        self.stands("active confirmed runs", self.open().standing)
        self.vendor.weather = "up"
        self.vendor.rotate("sig_third", is_revoked=True)
        self.stands("active confirmed runs", license.check())
        self.assertEqual(license.standing.data["status"], "active")
        self.assertEqual(self.kept()["revokedKids"], ["sig_second"])

    def test_are_not_fetched_where_the_app_pins_them(self):
        self.activated()
        self.vendor.rotate("sig_second")
        standing = self.stands("active confirmed runs", self.open(key_rotation="pinned").check())
        self.assertEqual(standing.error.code, "unknown_key")
        self.assertNotIn("/api/v1/system/public-keys", self.vendor.asked)


class Watching(Place):
    def test_checks_when_the_service_said_more_often_while_there_is_no_answer_and_tells_every_change(self):
        license = self.activated()
        seen = []
        with license.watch(lambda standing: seen.append(f"{standing.state} {standing.reason}")):
            self.clock.let_pass(4 * HOUR)
            self.assertEqual(len(self.vendor.asked), 1)
            self.clock.let_pass(DAY)
            self.assertEqual(len(self.vendor.asked), 2)
            self.vendor.weather = "down"
            self.clock.let_pass(3 * DAY)
            self.assertEqual(seen[-1], "grace unreachable")
            self.assertTrue(50 < len(self.vendor.asked) < 400, len(self.vendor.asked))
            self.vendor.weather = "up"
            self.clock.let_pass(HOUR)
            self.assertEqual(seen[-1], "active confirmed")
            self.vendor.refusal = (403, "LICENSE_INACTIVE", "suspended")
            self.clock.let_pass(2 * DAY)
            self.assertEqual(seen[-1], "suspended suspended")
            self.vendor.refusal = None
            self.clock.let_pass(HOUR)
            self.assertEqual(seen[-1], "active confirmed")
        count = len(self.vendor.asked)
        self.clock.let_pass(3 * DAY)
        self.assertEqual(len(self.vendor.asked), count)

    def test_may_be_ended_by_its_own_listener(self):
        license = self.activated()
        watches = []
        watches.append(license.watch(lambda standing: watches[0].stop()))
        self.vendor.weather = "down"
        self.clock.let_pass(3 * DAY)
        watches[0].stop()


class Weather(Place):
    def test_an_honest_customer_is_not_refused_within_the_grace_and_a_revoked_license_does_not_run(self):
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        for history in range(6):
            self.begin()
            license = self.activated()
            story = [f"seed {seed}, history {history}"]
            heard, is_revoked, knows = self.clock.truth(), False, False
            for _ in range(40):
                self.vendor.weather = chance.choice(("up", *STORMS))
                act = chance.choice(("check", "check", "restart", "consume", "time", *(() if is_revoked else ("revoke",))))
                story.append(f"{self.vendor.weather} {act}")
                if act == "time":
                    self.clock.let_pass(chance.randrange(3 * DAY))
                if act == "revoke" and chance.random() < 0.25:
                    is_revoked, self.vendor.refusal = True, REVOKED
                if act == "restart":
                    license = self.open()
                was_asked = act in ("check", "restart", "consume")
                if act == "consume":
                    try:
                        license.consume("export")
                    except CountersignError:
                        pass
                elif was_asked:
                    license.check()
                if self.vendor.weather == "up" and was_asked:
                    heard, knows = self.clock.truth(), is_revoked
                may_run = (license if was_asked else self.open()).standing.may_run
                away = self.clock.truth() - heard
                if knows or away > 9 * DAY:
                    self.assertFalse(may_run, story)
                elif not is_revoked:
                    self.assertTrue(may_run, story)
