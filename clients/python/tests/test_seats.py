"""Seats of an app in the process of a test: what one process does to another's, and what outlives a seat."""

import threading

from countersign.app import MemoryStore
from test_app import Place
from vendor import HOUR


class Floating(Place):
    def setUp(self):
        super().setUp()
        self.vendor.seats = 2

    def holder(self, name=None):
        license = self.open(process_id=name)
        license.acquire(self.vendor.key)
        return license

    def test_taken_while_another_process_gives_its_own_back_goes_on(self):
        for names in ((None, None), ("one", "two")):
            with self.subTest(names):
                self.begin()
                self.vendor.seats = 2
                one, two = self.holder(names[0]), self.open(process_id=names[1])

                def meanwhile(operation):
                    if operation == "floating/checkin":
                        self.vendor.meanwhile = lambda operation: None
                        taking = threading.Thread(target=two.acquire, args=(self.vendor.key,))
                        taking.start()
                        taking.join()

                self.vendor.meanwhile = meanwhile
                one.release()
                two.check()
                self.stands("active confirmed runs", two.standing)
                self.stands("active confirmed runs", self.open(process_id=names[1]).standing)

    def test_that_was_refused_says_nothing_of_the_next_license(self):
        self.vendor.others.add("OTHER-LICENSE-1")
        one, two, three = self.holder("one"), self.holder("two"), self.open(process_id="three")
        self.refused("FLOATING_LIMIT_EXCEEDED", three.acquire)
        self.stands("over-limit no_floating_seat stops", three.standing)
        self.stands("active confirmed runs", three.activate("OTHER-LICENSE-1"))
        self.stands("active confirmed runs", three.check())
        one.release()
        two.check()
        self.assertEqual(one.standing.may_run, two.standing.may_run)

    def test_that_was_given_back_says_nothing_of_the_next_license(self):
        one = self.holder("one")
        self.holder("two")
        self.stands("unlicensed given_back stops", one.release())
        self.stands("active confirmed runs", one.activate(self.vendor.key))
        self.stands("active confirmed runs", one.check())

    def test_that_was_refused_for_a_license_that_another_process_changed_is_forgotten_by_a_check(self):
        self.holder("one")
        two, three = self.holder("two"), self.open(process_id="three")
        self.refused("FLOATING_LIMIT_EXCEEDED", three.acquire)
        two.activate(self.vendor.key)
        self.stands("active confirmed runs", three.check())

    def test_that_was_given_back_is_forgotten_once_another_process_activated_the_license(self):
        one, two = self.holder("one"), self.holder("two")
        one.release()
        two.activate(self.vendor.key)
        self.stands("active confirmed runs", one.check())

    def test_that_lapsed_and_was_forgotten_by_another_process_is_given_back_all_the_same(self):
        one = self.holder("one")
        self.clock.let_pass(2 * HOUR)
        self.holder("two")
        self.assertEqual(list(self.kept()["seats"]), ["two"])
        self.stands("unlicensed given_back stops", one.release())
        self.stands("unlicensed given_back stops", one.check())

    def test_of_another_license_that_is_not_had_leaves_the_one_that_runs(self):
        for name in (None, "one"):
            with self.subTest(name):
                self.begin()
                self.vendor.seats = 1
                self.vendor.others.add("OTHER-LICENSE-1")
                license = self.open(process_id=name)
                license.activate(self.vendor.key)
                self.vendor.leases["another's"] = "another"
                self.refused("FLOATING_LIMIT_EXCEEDED", license.acquire, "OTHER-LICENSE-1")
                self.stands("active confirmed runs", license.standing)
                self.vendor.weather = "down"
                self.refused("NETWORK_ERROR", license.acquire, "OTHER-LICENSE-1")
                self.stands("active confirmed runs", license.standing)
                self.stands("active confirmed runs", self.open(process_id=name).standing)
                self.vendor.weather = "up"
                self.vendor.leases.clear()
                self.stands("active confirmed runs", license.acquire("OTHER-LICENSE-1"))
                self.assertEqual(self.kept()["licenseKey"], "OTHER-LICENSE-1")

    def test_that_is_not_had_the_first_time_is_told(self):
        self.vendor.seats = 0
        for name in (None, "one"):
            license = self.open(process_id=name, store=MemoryStore())
            self.refused("FLOATING_LIMIT_EXCEEDED", license.acquire, self.vendor.key)
            self.stands("over-limit no_floating_seat stops", license.standing)
