"""The published vectors: each is judged as they say. No service is needed."""

import base64
import json
import os
import unittest
from datetime import datetime

from countersign import VerificationError, read_keys, verify_answer, verify_offline, verify_refusal, webhooks
from countersign._trust import learn, trust_of

VECTORS = os.path.join(os.path.dirname(__file__), "../../../test/vectors")


def read(name):
    with open(os.path.join(VECTORS, name), encoding="utf-8") as file:
        return json.load(file)


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Vectors(unittest.TestCase):
    def hold(self, case, verify):
        with self.subTest(case["name"]):
            try:
                verify()
                verdict = "verified"
            except VerificationError as error:
                verdict = error.code
            self.assertEqual(verdict, case["expected"])

    def test_answers(self):
        vectors = read("envelopes.json")
        keys = read_keys([*vectors["keys"]["data"], *vectors["keys"]["revoked"]])
        self.assertEqual(len(keys), 1, "a key that is said to be revoked verifies nothing")
        self.assertEqual(read_keys(vectors["keys"]), keys, "nor where the answer lists it as revoked")
        [withdrawn] = [case for case in vectors["cases"] if case["name"] == "a key that was revoked"]
        for known in (keys, read_keys(vectors["keys"])):
            with self.assertRaisesRegex(VerificationError, "by a key that was revoked on 2026-03-05") as refused:
                verify_answer(withdrawn["body"], known)
            self.assertEqual(refused.exception.revoked_at, "2026-03-05T10:00:00.000Z")
        both = [*vectors["keys"]["data"], {**vectors["keys"]["data"][0], "revoked_at": "2026-03-05T10:00:00.000Z"}]
        self.assertEqual(read_keys(both), {}, "a key that is listed twice, once as revoked")
        for case in vectors["cases"]:
            expected = {"nonce": case["nonce"], "product_code": case["product_code"], "now": instant(case["now"])}
            self.hold(case, lambda: verify_answer(case["body"], keys, **expected))
            self.hold(case, lambda: verify_answer(case["body"].encode(), keys, **expected))

    def test_refusals(self):
        vectors = read("refusals.json")
        keys = read_keys(vectors["keys"])
        for case in vectors["cases"]:
            question = {"nonce": case["nonce"], "license_key": case["license_key"], "request": case["request"]}
            self.hold(case, lambda: verify_refusal(case["body"], keys, **question))

    def test_offline(self):
        vectors = read("offline.json")
        keys = read_keys(vectors["public_keys"])
        for case in vectors["cases"]:
            fingerprint = case.get("fingerprint")
            bound = {"device_id": case.get("device_id", vectors["device_id"])} if fingerprint is None else {}
            self.hold(
                case,
                lambda: verify_offline(
                    json.dumps(case["envelope"]),
                    case.get("license_key", vectors["license_key_as_typed"]),
                    keys,
                    fingerprint=fingerprint,
                    product_code=case.get("product_code"),
                    last_counter=case.get("last_counter", 0),
                    revocations=case.get("revocations"),
                    now=instant(case["now"]),
                    **bound,
                ),
            )
        verified = verify_offline(
            json.dumps(vectors["envelope"]),
            vectors["license_key"],
            keys,
            device_id=vectors["device_id"],
            now=instant("2026-11-25T00:00:00Z"),
        )
        self.assertEqual(verified.data, json.loads(vectors["signed"]["data_utf8"]))
        self.assertEqual((verified.offline_counter, verified.status), (3, "active"))
        self.assertTrue(verified.allows("export-pdf"))
        self.assertFalse(verified.allows("render"), "it is switched off")
        self.assertFalse(verified.allows("nothing"))

    def test_files_as_they_are_handed_on(self):
        vectors = read("offline.json")
        keys = read_keys(vectors["public_keys"])
        for case in vectors["texts"]:
            given = case["text"] if "text" in case else base64.b64decode(case["bytes"])
            now = instant("2026-11-25T00:00:00Z")
            self.hold(
                case, lambda: verify_offline(given, vectors["license_key"], keys, fingerprint="123456", now=now)
            )

    def test_neither_device_nor_fingerprint(self):
        vectors = read("offline.json")
        with self.assertRaises(VerificationError) as raised:
            verify_offline(
                json.dumps(vectors["envelope"]), vectors["license_key"], read_keys(vectors["public_keys"])
            )
        self.assertEqual(raised.exception.code, "device_mismatch")

    def test_deliveries(self):
        vectors = read("deliveries.json")
        for case in vectors["cases"]:
            body, headers = case["body"].encode(), case["headers"]
            self.hold(
                case,
                lambda: webhooks.verify(
                    body, headers, case["secrets"], tolerance=vectors["tolerance"], now=case["now"]
                ),
            )
        genuine = vectors["cases"][0]
        body, secret = genuine["body"].encode(), genuine["secrets"][0]
        delivery = webhooks.verify(body, genuine["headers"], secret, now=genuine["now"])
        self.assertEqual(delivery.id, genuine["headers"]["X-Service-Delivery-ID"])
        self.assertEqual((delivery.type, delivery.sequence), ("license.activated", 42))
        self.assertEqual(delivery.data["seats"], 1)
        for none in (None, 7, b"x" * 16, {secret: 1}, "", [], [""], [secret, None], [None], ["null"], ["short"], [7], ["x" * 129]):
            with self.assertRaises(ValueError):
                webhooks.verify(body, genuine["headers"], none)
        with self.assertRaises(VerificationError):
            webhooks.verify(body, genuine["headers"], secret, now=float("nan"))

    def test_key_lists(self):
        vectors = read("key-lists.json")
        for case in vectors["cases"]:
            with self.subTest(case["name"]):
                verdict, learned = "learned", case["learned"]
                try:
                    learned = learn(case["body"], case["pinned"], learned)
                except VerificationError as error:
                    verdict = error.code
                self.assertEqual(verdict, case["expected"])
                keys = trust_of(case["pinned"], learned).keys
                expected = {kid: base64.b64decode(vectors["public_keys"][kid]) for kid in case["verify"]}
                self.assertEqual((dict(keys), list(keys.revoked)), (expected, case["revoked"]))
