"""The published vectors: each is judged as they say. No service is needed."""

import base64
import json
import os
import unittest
from datetime import datetime
from unittest.mock import patch

from countersign import (
    Link,
    VerificationError,
    read_keys,
    verify_answer,
    verify_event,
    verify_license_chain,
    verify_license_events,
    verify_offline,
    verify_receipt,
    verify_refusal,
    webhooks,
)
from countersign._trust import learn, trust_of, with_learned
from countersign.events import START
from countersign.verify import verify_bytes

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
            expected["allow_test"] = case.get("allow_test", False)
            self.hold(case, lambda: verify_answer(case["body"], keys, **expected))
            self.hold(case, lambda: verify_answer(case["body"].encode(), keys, **expected))

    def test_receipts(self):
        vectors = read("receipts.json")
        keys = read_keys(vectors["keys"])
        for case in vectors["cases"]:
            expected = {name: case[name] for name in ("license_id", "event_id", "nonce")}
            expected["allow_test"] = case.get("allow_test", False)
            self.hold(case, lambda: verify_receipt(case["body"], keys, **expected))
            self.hold(case, lambda: verify_receipt(case["body"].encode(), keys, **expected))

    def test_refusals(self):
        vectors = read("refusals.json")
        keys = read_keys(vectors["keys"])
        for case in vectors["cases"]:
            question = {"nonce": case["nonce"], "license_key": case["license_key"], "request": case["request"]}
            question["allow_test"] = case.get("allow_test", False)
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
                    allow_test=case.get("allow_test", False),
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
        for case in vectors["kept"]:
            with self.subTest(case["name"]):
                kept = {"other": 1, **case["kept"]}
                taught = with_learned(case["pinned"], kept, case["learned"])
                self.assertEqual(taught, {**kept, **(case["learned"] if case["stays"] == "learned" else {})})

    def test_license_chains(self):
        vectors = read("license-chains.json")
        license_id, keys = vectors["license_id"], read_keys(vectors["keys"])

        def known(case):
            if "after" not in case:
                return None
            return Link(**case["after"]) if case["after"] else START

        def hold(case, verify):
            with self.subTest(case["name"]):
                try:
                    verify()
                    verdict = ("verified", None)
                except VerificationError as error:
                    verdict = (error.code, error.sequence)
                self.assertEqual(verdict, (case["expected"], case.get("sequence")))

        for case in vectors["cases"]:
            hold(case, lambda: verify_license_events(case["events"], license_id, after=known(case)))
        for case in vectors["proven"]:
            hold(case, lambda: verify_license_chain(case["events"], case["note"], license_id, keys, after=START))
        whole = vectors["proven"][0]
        verified = verify_license_chain(whole["events"], whole["note"], license_id, keys)
        last = whole["events"][-1]["event"]
        self.assertEqual((verified.after, verified.last), (START, Link(last["sequence"], last["hash"])))
        self.assertEqual((verified.events, verified.checkpoint.tree_size), (len(whole["events"]), 14))
        for none in (None, 7, [], {}, {"sequence": True}, {"sequence": 1}, {"sequence": 1, "previous_hash": 1, "data": float("nan")}):
            with self.assertRaises(VerificationError) as raised:
                verify_event(none)
            self.assertEqual(raised.exception.code, "altered")

    def test_events_of_exports(self):
        for name in ("events.ndjson", "events-kinds.ndjson", "events-restored.ndjson"):
            with open(os.path.join(VECTORS, name), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            events = [line for line in lines if "event_type" in line]
            self.assertGreater(len(events), 7)
            for event in events:
                with self.subTest(name, sequence=event["sequence"]):
                    self.assertEqual(len(verify_event(event)), 32)
                    with self.assertRaises(VerificationError) as raised:
                        verify_event({**event, "created_at": "2020-01-01T00:00:00.000Z"})
                    self.assertEqual((raised.exception.code, raised.exception.sequence), ("altered", event["sequence"]))

    def test_what_is_nested_too_deep_is_nothing(self):
        envelopes, refusals, offline = read("envelopes.json"), read("refusals.json"), read("offline.json")
        keys = read_keys(envelopes["keys"])
        answer, refusal = envelopes["cases"][0]["body"], refusals["cases"][0]["body"]
        for levels in (101, *range(300, 1000, 25), 5000, 100_000):
            member = '"about":' + "[" * levels + "]" * levels + ","
            within = '"data":{'
            deep = {
                "answer": lambda: verify_answer(answer.replace(within, within + member, 1), keys),
                "refusal": lambda: verify_refusal(
                    refusal.replace(within, within + member), keys, nonce="", license_key="", request=""
                ),
                "envelope": lambda: verify_offline(
                    json.dumps(offline["envelope"]).replace("{", "{" + member, 1),
                    offline["license_key"],
                    keys,
                    fingerprint="one",
                ),
            }
            for name, verify in deep.items():
                with self.subTest(name, levels=levels), self.assertRaises(VerificationError) as raised:
                    verify()
                self.assertEqual(raised.exception.code, "malformed")

    def test_key_lists_are_bounded(self):
        case = read("key-lists.json")["cases"][0]
        pinned, honest = case["pinned"], json.loads(case["body"])
        data, [*_, own] = honest["endorsement"]["data"], honest["endorsement"]["signatures"]
        [key, *_] = data["keys"]
        other = {**own, "value": base64.b64encode(bytes(64)).decode()}

        def verdict(keys=(), signatures=(own,), listed=honest["data"], spaces=0):
            endorsement = {"data": {**data, "keys": [*data["keys"], *keys]}, "signatures": [*signatures]}
            body = json.dumps({"data": [*listed], "endorsement": endorsement}) + " " * spaces
            try:
                return "learned" if learn(body, pinned, {}) else None
            except VerificationError as error:
                return error.code

        self.assertEqual(own["kid"], pinned[0]["kid"])
        self.assertEqual(verdict(signatures=[*({**other, "kid": f"sig_{at}"} for at in range(999)), own]), "learned")
        self.assertEqual(verdict(signatures=[own] * 1001), "malformed")
        self.assertEqual(verdict(keys=[key] * 998), "unknown_key")
        self.assertEqual(verdict(keys=[key] * 999), "malformed")
        self.assertEqual(verdict(listed=[key] * 1000), "learned")
        self.assertEqual(verdict(listed=[key] * 1001), "malformed")
        self.assertEqual(verdict(spaces=1_000_000), "malformed")
        with patch("countersign._trust.verify_bytes", wraps=verify_bytes) as verified:
            self.assertEqual(verdict(signatures=[other] * 1000), "unknown_key")
        self.assertEqual(verified.call_count, 1)
