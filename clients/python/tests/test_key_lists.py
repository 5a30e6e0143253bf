"""What a list of keys may do to an app, be it somebody's who stands between, or none at all."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

from countersign import CountersignError, License
from countersign.app import MemoryStore
from countersign.app.record import write_record
from test_app import MOMENT, REVOKED, Place
from vendor import DAY, HOUR, Signer

LIST = "/api/v1/system/public-keys"
REVOKED_AT = "2026-11-21T10:00:00.000Z"
ODD_LISTS = (
    b"<html>Please log in</html>",
    b"[]",
    b"{}",
    b'{"data":5}',
    b'{"data":[5,{}],"revoked":5}',
    b'{"data":[],"revoked":[5,{"kid":"sig_second","revoked_at":5}]}',
    b'{"data":[],"revoked":[{"kid":"sig_second","algorithm":"Ed25519","public_key":"","revoked_at":5}]}',
    b"[" * 100_000,
)


class Interposed(Place):
    """Whoever presents a certificate that the machine trusts serves a list of keys, and signs with one of them."""

    def begin(self):
        super().begin()
        self.honest = self.vendor.signer, self.vendor.published

    def stand_between(self, is_dated=True):
        [pinned] = self.vendor.published
        self.vendor.signer = Signer("sig_between", 7)
        self.vendor.published = [self.vendor.signer.published]
        self.vendor.revoked = [{**pinned, **({"revoked_at": REVOKED_AT} if is_dated else {})}]

    def end(self):
        self.vendor.signer, self.vendor.published = self.honest
        self.vendor.revoked, self.vendor.refusal, self.vendor.signs = [], None, True

    def stopped_by_another(self):
        """An app that was stopped by whoever stood between, who is gone by now."""
        license = self.activated()
        self.stand_between()
        self.vendor.refusal = REVOKED
        self.stands("revoked revoked stops", license.check())
        self.end()
        return license


class Between(Interposed):
    def test_stops_the_app_no_longer_than_until_the_service_is_reached_again(self):
        for is_dated in (True, False):
            for recover in ("check", "activate", "restart"):
                with self.subTest(recover, is_dated=is_dated):
                    self.begin()
                    license = self.activated()
                    self.stand_between(is_dated)
                    self.vendor.refusal = REVOKED
                    self.stands("revoked revoked stops", license.check())
                    self.end()
                    self.vendor.asked.clear()
                    license = self.open() if recover == "restart" else license
                    standing = license.activate(self.vendor.key) if recover == "activate" else license.check()
                    self.stands("active confirmed runs", standing)
                    self.stands("active confirmed runs", self.open().standing)
                    self.assertEqual(self.vendor.asked.count(LIST), 1)
                    self.assertEqual((self.kept()["keys"], self.kept()["revokedKids"]), ([], []))
                    license.check()
                    self.assertEqual(self.vendor.asked.count(LIST), 1)

    def test_counts_for_nothing_once_the_app_pins_its_keys(self):
        license = self.stopped_by_another()
        self.stands("active confirmed runs", self.open(key_rotation="pinned").standing)

    def test_frees_the_app_no_longer_than_until_the_service_is_reached_again(self):
        license = self.activated()
        self.vendor.refusal = REVOKED
        self.stands("revoked revoked stops", license.check())
        self.vendor.refusal = None
        self.stand_between()
        self.stands("active confirmed runs", license.check())
        self.end()
        self.vendor.refusal = REVOKED
        self.stands("revoked revoked stops", license.check())
        self.stands("revoked revoked stops", self.open().standing)

    def test_stops_nothing_once_a_list_is_had_whatever_else_the_service_says(self):
        license = self.stopped_by_another()
        self.vendor.refusal, self.vendor.signs = (500, "INTERNAL"), False
        self.vendor.asked.clear()
        self.stands("active confirmed runs", license.check())
        self.assertEqual(self.vendor.asked.count(LIST), 1)

    def test_a_list_that_vouches_for_nothing_takes_no_answer_away(self):
        license = self.activated()
        self.vendor.rotate("sig_second")
        self.stands("active confirmed runs", license.check())
        # A copy from before, of a cache, while the next key signs.
        stale = json.dumps({"data": self.vendor.pinned, "revoked": [], "meta": {}}).encode()
        self.vendor.rotate("sig_third")
        self.vendor.listed = stale
        self.stands("active confirmed runs", license.check())
        self.stands("active confirmed runs", self.open().standing)

    def test_lists_are_fetched_once_in_a_check_at_most(self):
        license = self.activated()
        self.vendor.rotate("sig_second")
        self.vendor.devices.clear()
        self.vendor.asked.clear()
        self.stands("active confirmed runs", license.check())
        self.assertEqual(self.vendor.asked, ["validate", LIST, "activate"])
        for listed in ODD_LISTS:
            self.vendor.rotate("sig_" + str(len(self.vendor.published)))
            self.vendor.listed = listed
            self.vendor.asked.clear()
            self.stands("active confirmed runs", license.check())
            self.assertEqual(self.vendor.asked.count(LIST), 1)


class Endorsed(Interposed):
    """The same, where the app ships a key that signs the list."""

    def begin(self):
        super().begin()
        self.vendor.endorses = True
        self.shipped = [{**key, "endorses": True} for key in self.vendor.pinned]

    def stand_between(self, is_dated=True):
        super().stand_between(is_dated)
        self.vendor.signers = [self.vendor.signer]

    def end(self):
        super().end()
        self.vendor.signers = [self.vendor.signer]

    def open(self, **more):
        return super().open(**{"public_keys": self.shipped, **more})

    def test_is_out_of_reach(self):
        for endorses in (True, False):
            with self.subTest(endorses=endorses):
                self.begin()
                license = self.activated()
                self.stand_between()
                self.vendor.endorses = endorses
                self.vendor.refusal = REVOKED
                self.stands("active confirmed runs", license.check())
                self.end()
                self.vendor.endorses, self.vendor.refusal = True, REVOKED
                self.stands("revoked revoked stops", license.check())
                self.stand_between()
                self.vendor.endorses, self.vendor.refusal = endorses, None
                self.stands("revoked revoked stops", license.check())
                # Nor does it help to write a key of one's own into the store.
                stored = {**self.kept(), "keys": self.vendor.published, "revokedKids": [], "revokedAt": {}}
                self.store.text = write_record(stored)
                self.stands("revoked revoked stops", self.open().check())

    def test_follows_rotations_and_the_revocation_of_the_key_that_it_ships(self):
        self.activated()
        for kid, is_revoked in (("sig_second", False), ("sig_third", True), ("sig_fourth", True)):
            self.clock.let_pass(MOMENT)
            self.vendor.rotate(kid, is_revoked)
            self.stands("active confirmed runs", self.open().check())
            self.vendor.asked.clear()
            license = self.open()
            self.stands("active confirmed runs", license.standing)
            self.stands("active confirmed runs", license.check())
            self.assertEqual(self.vendor.asked.count(LIST), 0)


class OddLists(Place):
    def test_leave_the_license_to_its_limits(self):
        for listed in ODD_LISTS:
            with self.subTest(listed[:80]):
                self.begin()
                license = self.activated()
                self.vendor.rotate("sig_second")
                self.vendor.listed = listed
                self.assertTrue(self.stands("active confirmed runs", license.check()).error.code)
                self.clock.let_pass(2 * DAY + MOMENT)
                self.stands("grace unreachable runs", license.check())
                self.vendor.listed = None
                self.stands("active confirmed runs", license.check())

    def test_are_no_answer_to_who_asks_by_hand(self):
        for listed in ODD_LISTS:
            with self.subTest(listed[:80]):
                self.begin()
                self.vendor.rotate("sig_second", is_revoked=True)
                self.vendor.listed = listed
                by_hand = License(
                    self.vendor.url,
                    self.vendor.key,
                    product_code=self.vendor.product_code,
                    fingerprint="machine-1",
                    max_retries=0,
                )
                with self.assertRaises(CountersignError):
                    by_hand.activate()


class Slow(Place):
    def test_keep_nobody_waiting_who_has_keys(self):
        by_hand = License(
            self.vendor.url,
            self.vendor.key,
            product_code=self.vendor.product_code,
            fingerprint="machine-1",
            max_retries=0,
            skew=timedelta(days=9999),  # the vendor's clock is one of a test
        )
        known = by_hand.activate().kid
        self.vendor.rotate("sig_second")
        send, asked, go = by_hand._transport.send, Event(), Event()

        def slow(method, path, *rest, **more):
            if path == LIST:
                asked.set()
                go.wait(60)
            return send(method, path, *rest, **more)

        by_hand._transport.send = slow
        with ThreadPoolExecutor() as pool:
            asking = pool.submit(by_hand.validate)
            self.assertTrue(asked.wait(60))
            try:
                self.assertEqual(list(pool.submit(lambda: by_hand.keys).result(20)), [known])
            finally:
                go.set()
            self.assertEqual(asking.result(60).kid, "sig_second")


class Portals(Place):
    def test_give_no_envelope(self):
        license = self.activated()
        for page in (b"<html>Please log in</html>", b"[]", b"{}", b'{"data":null}', b'{"data":5}', b"[" * 100_000):
            self.vendor.answer = lambda *_: (200, page)
            self.refused("malformed", license.go_offline)
            self.stands("active confirmed runs", license.standing)


class Broken(Place):
    def test_checks_are_made_again_later_and_not_at_once(self):
        license = self.activated()
        problem, asked, watches = RuntimeError("of somebody else"), [], []

        def broken(*_, **__):
            asked.append(self.clock.truth())
            if len(asked) > 100:
                watches[0].stop()
            raise problem

        license._session.questions.ask = broken
        with license.watch() as watch:
            watches.append(watch)
            self.clock.let_pass(DAY + 3 * HOUR)
        self.assertGreater(len(asked), 3)
        self.assertLess(len(asked), 100)
        self.assertIn(problem, self.problems)
        self.stands("active confirmed runs", self.open(store=MemoryStore(self.store.text)).standing)
