"""License keys as they are pasted: the published table, and that a caller's mistake is never an outage."""

import json
import os
import unittest

from countersign import (
    CountersignError,
    InputError,
    License,
    UnavailableError,
    VerificationError,
    normal_license_key,
)
from countersign._keys import FAULTS, read_license_key
from countersign._transport import Transport

VECTORS = os.path.join(os.path.dirname(__file__), "../../../test/vectors")

with open(os.path.join(VECTORS, "keys.json"), encoding="utf-8") as file:
    CASES = json.load(file)["cases"]

# Nobody listens there; whoever sends something learns that.
NOWHERE = "http://127.0.0.1:9"


class Keys(unittest.TestCase):
    def test_each_is_read_as_what_was_meant(self):
        for case in CASES:
            with self.subTest(case["name"]):
                key, fault = read_license_key(case["pasted"])
                self.assertEqual((key, fault or None), (case.get("key"), case.get("fault")))

    def test_every_fault_has_words(self):
        self.assertEqual(set(FAULTS), {case["fault"] for case in CASES if "fault" in case})

    def test_what_cannot_be_one_is_an_error_of_its_own_before_anything_is_sent(self):
        for case in CASES:
            license = License(
                NOWHERE, case["pasted"], product_code="studio", fingerprint="one", max_retries=0, allow_test=True
            )
            expected = UnavailableError if "key" in case else InputError
            with self.subTest(case["name"]), self.assertRaises(expected) as raised:
                license.validate()
            if expected is InputError:
                self.assertEqual(raised.exception.code, "LICENSE_KEY_MALFORMED")
                with self.assertRaises(CountersignError):
                    normal_license_key(case["pasted"])

    def test_one_of_the_test_environment_is_sent_by_no_app_for_customers(self):
        for case in CASES:
            if case.get("key", "").startswith("CST-") and not case["name"].startswith("of another system"):
                license = License(NOWHERE, case["pasted"], product_code="studio", fingerprint="one", max_retries=0)
                with self.subTest(case["name"]), self.assertRaises(VerificationError) as raised:
                    license.validate()
                self.assertEqual(raised.exception.code, "environment_mismatch")

    def test_no_other_mistake_is_an_outage_either(self):
        [key] = {case["key"] for case in CASES if case["name"] == "as it was issued"}
        license = License(NOWHERE, key, product_code="studio", fingerprint="one", max_retries=0)
        for idempotency_key in ("caf\u00e9 \U0001f511", "two\nlines"):
            with self.subTest(idempotency_key), self.assertRaises(InputError) as raised:
                license.activate(idempotency_key=idempotency_key)
            self.assertEqual(raised.exception.code, "HEADER_MALFORMED")
        for url in ("http://127.0.0.1:9/two words", "http://127.0.0.1:9/\u00fc", "http://127.0.0.1:port"):
            with self.subTest(url), self.assertRaises(InputError) as raised:
                Transport(url, max_retries=0).send("GET", "/", {})
            self.assertEqual(raised.exception.code, "URL_MALFORMED")
