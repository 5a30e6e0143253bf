"""The machine of the license in an app, judged by the published table. No service is needed."""

import itertools
import unittest

from countersign.app import REASONS, RUNNING, STATES, TRANSITIONS, Limits, MachineState, Problem, next_state
from countersign.app.machine import (
    INITIAL,
    Confirmed,
    Copied,
    Damaged,
    Deactivated,
    Refused,
    Sealed,
    Ticked,
    Unreachable,
    Unsigned,
)
from test_vectors import read

TABLE = read("app-states.json")
NOW = 1000
FAILED = {"refused": Refused, "unsigned": Unsigned, "unreachable": Unreachable, "copied": Copied, "damaged": Damaged}
DETAILS = (None, "released", "revoked", "suspended", "not_started", "of_tomorrow")
CODES = sorted({row["if"]["code"] for row in TABLE["transitions"] if "code" in row["if"]} | {"NOT_FOUND"})


def event_of(given):
    """An event of the table as the machine takes it."""
    kind = given["type"]
    if kind == "confirmed":
        return Confirmed(given["status"], Limits(**given.get("limits", {})))
    if kind == "sealed":
        return Sealed(given["offline_until"])
    if kind in FAILED:
        return FAILED[kind](Problem(given["code"], "", given.get("detail")))
    return {"ticked": Ticked, "deactivated": Deactivated}[kind]()


def row_for(before, event, limits):
    """The row that counts: what the machine must do, read from the data and not from its code."""
    for row in TABLE["transitions"]:
        condition = row["if"]
        within = condition.get("within")
        if (
            row["event"] == event["type"]
            and ("any" in row["from"] or before.state in row["from"])
            and condition.get("status") in (None, event.get("status"))
            and (within is None or (limits.get(within) is not None and NOW <= limits[within]))
            and ("known" not in condition or limits.get(condition["known"]) is not None)
            and ("unknown" not in condition or limits.get(condition["unknown"]) is None)
            and condition.get("is_trial") in (None, limits["is_trial"])
            and ("reasons" not in condition or before.reason in condition["reasons"])
            and condition.get("code") in (None, event.get("code"))
            and condition.get("detail") in (None, event.get("detail"))
        ):
            return row
    raise AssertionError(f"no row for {before}, {event}")


def every_event():
    yield from ({"type": "confirmed", "status": status} for status in ("active", "grace_period"))
    yield from ({"type": "sealed", "offline_until": until} for until in (NOW - 1, NOW))
    yield from ({"type": kind} for kind in ("ticked", "deactivated"))
    named = {row["event"] for row in TABLE["transitions"]}
    for kind in sorted(named & set(FAILED) - {"refused"}):
        yield {"type": kind, "code": "NETWORK_ERROR"}
    for code, detail in itertools.product(CODES, DETAILS):
        yield {"type": "refused", "code": code, "detail": detail}


class Machine(unittest.TestCase):
    def test_has_the_published_table(self):
        self.assertEqual(list(STATES), TABLE["states"])
        self.assertEqual(list(RUNNING), TABLE["running"])
        self.assertEqual([(name, reason._asdict()) for name, reason in REASONS.items()], list(TABLE["reasons"].items()))
        rows = [
            (row.event, ["any"] if len(row.states) == len(STATES) else list(row.states), row.when, row.to)
            for row in TRANSITIONS
        ]
        published = [(row["event"], row["from"], row["when"], row["to"]) for row in TABLE["transitions"]]
        self.assertEqual(rows, published)

    def test_does_in_every_situation_what_the_first_row_that_holds_says(self):
        used = set()
        edges = (None, NOW - 1, NOW)
        for reason, valid, grace, offline, trial in itertools.product(REASONS, edges, edges, edges, (False, True)):
            limits = {"valid_until": valid, "grace_until": grace, "offline_until": offline, "is_trial": trial}
            before = MachineState(REASONS[reason].state, reason, Limits(**limits))
            for event in every_event():
                after = {**limits, "offline_until": event["offline_until"]} if "offline_until" in event else limits
                row = row_for(before, event, after)
                used.add(id(row))
                given = event_of({**event, "limits": limits} if event["type"] == "confirmed" else event)
                found = next_state(before, given, NOW)
                expected = reason if row["to"] == "same" else row["to"]
                if (found.reason, found.state) != (expected, REASONS[expected].state):
                    self.fail(f"{found.reason} instead of {expected}: {before}, {event}")
        self.assertEqual([row for row in TABLE["transitions"] if id(row) not in used], [], "rows that never count")

    def test_goes_through_the_published_histories(self):
        for history in TABLE["histories"]:
            standing = INITIAL
            for step in history["steps"]:
                with self.subTest(history["name"], now=step["now"]):
                    standing = next_state(standing, event_of(step["event"]), step["now"])
                    error = None if standing.error is None else standing.error.code
                    found = {"reason": standing.reason, "until": standing.until, "error": error}
                    self.assertEqual(found, {"until": None, "error": None, **step["then"]})
                    self.assertEqual(standing.state, REASONS[standing.reason].state)
