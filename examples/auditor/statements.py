"""A frozen statement by its own evidence, without the feed (docs/reference/exports.md, "Evidence of a statement")."""

import gzip
import zlib
from datetime import datetime, timedelta, timezone

from closed import check_beside, hold_schema, words_of
from figures import FLOWS, USE, flows_of, over_quota, time_of
from log import check_unrevoked, sha256
from strict_json import Refused, canonical_bytes, decode_base64, parse

UNCHAINED, CHAINED = "countersign/statement-evidence/v1", "countersign/statement-evidence/v2"
CHAINS = ("complete", "filtered", "unlinked", "too_large")
# A use may be reported so much later than it was.
LATE = timedelta(days=7)
GRANTS = ("license.grant_given", "license.grant_revoked")
KINDS = (USE, "license.usage_reset", "license.feature_removed", *GRANTS)
FIGURES = (*FLOWS, "uses", "amount", "within_quota", "from_pools", "overage", "adjusted")


def _root(places, leaves, size, hashes):
    """The root that leaves at some places lead to in a tree of so many, where parts without any are given by their hashes."""
    given = iter(hashes)

    def part(start, end, first, last):
        if first == last:
            return next(given)
        if end - start == 1:
            return leaves[first]
        half = 1
        while half * 2 < end - start:
            half *= 2
        middle = first
        while middle < last and places[middle] < start + half:
            middle += 1
        left = part(start, start + half, first, middle)
        return sha256(b"\1", left, part(start + half, end, middle, last))

    if len(set(places)) != len(places) or any(place >= size for place in places):
        raise Refused("proof_mismatch", "an event stands twice, or outside of the tree")
    try:
        root = part(0, size, 0, len(places)) if size else sha256()
    except StopIteration:
        raise Refused("proof_mismatch", "the proof is too short") from None
    if next(given, None) is not None:
        raise Refused("proof_mismatch", "the proof is too long")
    return root


def _license(event):
    """The license of an event, as its leaf says it."""
    return event.get("license_id", event.get("resource_id") if event["resource_type"] == "license" else None)


def _events(evidence):
    """The events of the evidence in the order of the log, and the hashes of their leaves."""
    try:
        text = gzip.decompress(decode_base64(evidence["events"])).decode("utf-8")
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise Refused("malformed", f"the events cannot be read: {error}") from None
    events, leaves, place = [], [], 0
    for line in text.split("\n") if text else []:
        event = parse(line)
        if canonical_bytes(event) != line.encode("utf-8"):
            raise Refused("malformed", "an event is not canonical JSON")
        if event["sequence"] <= place:
            raise Refused("malformed", "an event is not in the order of the log")
        if evidence["schema"] == UNCHAINED and event["event_type"] not in KINDS:
            raise Refused("malformed", "an event is of another kind")
        if not isinstance(_license(event), str):
            raise Refused("malformed", "an event is about no license")
        place = event["sequence"]
        events.append(event)
        leaves.append(sha256(b"\0", line.encode("utf-8")))
    return events, leaves


def _hashes(text):
    try:
        joined = decode_base64(text)
    except ValueError as error:
        raise Refused("malformed", f"the hashes cannot be read: {error}") from None
    if len(joined) % 32:
        raise Refused("malformed", "the hashes are not of 32 bytes each")
    return [joined[at:at + 32] for at in range(0, len(joined), 32)]


def _check_places(evidence, events, leaves, note):
    """All events are in the log."""
    places = [event["sequence"] - 1 for event in events]
    root = _root(places, leaves, note["tree_size"], _hashes(evidence["hashes"]))
    if root.hex() != note["root_hash"]:
        raise Refused("proof_mismatch", "the events are not those of the log that was signed")


def _check_chain(events, start, end):
    """
    The events of one license: none of the period is missing. Answers how it ends: `closed`, `late` where uses may have been
    reported after the last event, `open` where nothing shows that the period is over.
    """
    over = datetime.strptime(end, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc) + LATE
    over = over.strftime("%Y-%m-%dT%H:%M:%S.") + f"{over.microsecond // 1000:03}Z"
    before = None
    for event in events:
        place = 0 if before is None else before["sequence"]
        previous = event.get("previous_of_license", {}).get("sequence")
        if previous is not None and previous < place:
            raise Refused("inserted", f"event {event['sequence']} does not name it", place)
        is_outside = event["created_at"] < start or (before is not None and before["created_at"] >= over)
        if previous != place and not is_outside:
            if previous is None:
                raise Refused("altered", "it does not name the previous event of its license", event["sequence"])
            raise Refused("missing", f"event {event['sequence']} names it", previous)
        before = event
    return "open" if before["created_at"] < end else "late" if before["created_at"] < over else "closed"


def _check_chains(evidence, events, start, end):
    """How the chain of each license ends; none where the evidence says that there is no chain."""
    if evidence["schema"] == UNCHAINED:
        return {}
    if evidence.get("chain") not in CHAINS:
        raise Refused("malformed", "the evidence does not say whether it has the chain of each license")
    if evidence["chain"] != "complete":
        return {}
    of_license = {}
    for event in events:
        of_license.setdefault(_license(event), []).append(event)
    return {license_id: _check_chain(its, start, end) for license_id, its in of_license.items()}


def _total(event):
    return 0 if event["event_type"] == "license.feature_removed" else event["data"]["total_consumptions"]


def _check_totals(usage, first, last):
    """Each use continues the running total, from the one before the window to the one after. What a correction sets shows nothing."""
    for at in range(first, min(last + 2, len(usage))):
        event, before = usage[at], _total(usage[at - 1]) if at else 0
        change, metadata = _total(event) - before, event["metadata"]
        if event["event_type"] == USE:
            expected = event["data"]["amount"]
        elif "refund_of" in metadata:
            expected = -metadata.get("counted", 0)
        else:
            continue
        if change != expected:
            raise Refused("missing", "the running total does not continue", event["sequence"])


def _flows(events, figures, start, end, below_zero):
    """Adds what became of grants."""
    grants = {}
    for event in events:
        kind, data = event["event_type"], event["data"]
        if kind == "license.grant_given":
            grants[data["id"]] = {
                "source": data["source"], "amount": data["amount"], "ends": data.get("expires_at"), "revoked": None, "taken": [],
                "at": data["starts_at"] if data["source"] == "rollover" else event["created_at"],
            }
        elif kind == "license.grant_revoked":
            if data["id"] in grants:
                grants[data["id"]]["revoked"] = event["created_at"]
        else:
            is_use = kind == USE
            for units in (data if is_use else event["metadata"]).get("grants", ()):
                if units["grant_id"] in grants:
                    taken = units["amount"] if is_use else -units["amount"]
                    grants[units["grant_id"]]["taken"].append((time_of(event), taken))
    for grant in grants.values():
        for name, units in flows_of(grant, start, end, below_zero).items():
            figures[name] += units


def _figures(events, start, end, below_zero):
    """The figures of one feature of a license from its events."""
    figures = dict.fromkeys(FIGURES, 0)
    _flows(events, figures, start, end, below_zero)
    usage = [event for event in events if event["event_type"] not in GRANTS]
    inside = [at for at, event in enumerate(usage) if start <= time_of(event) < end]
    if not inside:
        return figures
    _check_totals(usage, inside[0], inside[-1])
    for at in inside:
        event, data = usage[at], usage[at]["data"]
        if event["event_type"] != USE:
            figures["adjusted"] += _total(event) - (_total(usage[at - 1]) if at else 0)
            continue
        overage, grants = over_quota(data) or 0, data.get("grants", ())
        figures["uses"] += 1
        figures["amount"] += data["amount"]
        figures["overage"] += overage
        figures["from_pools"] += sum(units["amount"] for units in grants if units["grant_id"].startswith("pool_"))
        figures["within_quota"] += data["amount"] - overage - sum(units["amount"] for units in grants)
    return figures


def _differ(shown, computed):
    for name in shown:
        if name not in computed:
            raise Refused("figures_differ", f"no figure of {' '.join(name)} follows from the events")
    for name in computed:
        says = shown.get(name, {})
        for figure in FIGURES:
            comes = computed.get(name, {}).get(figure, 0)
            if says.get(figure, 0) != comes:
                raise Refused("figures_differ", f"{figure} of {' '.join(name)} is {says.get(figure, 0)}, and its events come to {comes}")


def _keyed(rows, *names):
    keyed = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if key in keyed:
            raise Refused("figures_differ", f"{' '.join(key)} appears twice")
        keyed[key] = row
    return keyed


def _compare(snapshot, parts, below_zero):
    """Whether the figures follow from the events: balances as they are stated, or, as earlier releases did, below zero."""
    filters, computed, sums = snapshot["filters"], {}, {}
    features = {one["id"]: one for one in snapshot["evidence"]["features"]}
    for (license_id, feature_id), of_it in parts.items():
        feature = features[feature_id]
        figures = _figures(of_it, filters["from"], filters["to"], below_zero)
        if any(figures.values()):
            computed[(license_id, feature["product_id"], feature["code"])] = figures
    _differ(_keyed(snapshot["table"]["rows"], "license_id", "product_id", "feature_code"), computed)
    for (_, product_id, code), figures in computed.items():
        total = sums.setdefault((product_id, code), dict.fromkeys(FIGURES, 0))
        for name in FIGURES:
            total[name] += figures[name]
    _differ(_keyed(snapshot["summary"]["features"], "product_id", "feature_code"), sums)


def _names(features, events):
    """What features lack: each is called what its last event here calls it. One that was renamed since is not."""
    ids, last = [feature["id"] for feature in features], {}
    for event in events:
        if event["event_type"] in KINDS:
            last[event["data"]["feature_id"]] = event["data"].get("feature_code")
    if ids != sorted(set(ids)) or set(ids) != set(last):
        raise Refused("figures_differ", "the features are not those of the events, each once and in their order")
    if len({(feature["product_id"], feature["code"]) for feature in features}) != len(features):
        raise Refused("figures_differ", "two features have one name")
    return [f"that {feature['id']} is called {feature['code']}: its last event calls it {last[feature['id']]}"
            for feature in features if last[feature["id"]] != feature["code"]]


def _begins_by_reset(events, start, end):
    """Whether a correction that sets a total comes first in the period, after usage from before it."""
    usage = [event for event in events if event["event_type"] not in GRANTS]
    first = next((at for at, event in enumerate(usage) if start <= time_of(event) < end), None)
    return bool(first) and usage[first]["event_type"] != USE and "refund_of" not in usage[first]["metadata"]


def _is_whole(events):
    """Whether the chain of each license begins with its first event, and goes on without a gap."""
    last = {}
    for event in events:
        license_id = _license(event)
        if event.get("previous_of_license", {}).get("sequence") != last.get(license_id, 0):
            return False
        last[license_id] = event["sequence"]
    return True


class Statement:
    """
    What was found: its note, how many events and rows, how the chain of each license ends, the vendor's words, and what it lacks;
    and the environment that its events name, None for the live one.
    """

    def __init__(self, note, events, rows, ends, words, lacks, environment):
        self.note, self.events, self.rows, self.ends, self.words, self.lacks = note, events, rows, ends, words, lacks
        self.environment = environment


def check_statement(content, keys):
    """Verifies the snapshot of a statement by the evidence in it. A statement that lacks something is not proven."""
    snapshot = parse(content)
    if not isinstance(snapshot, dict) or "evidence" not in snapshot:
        raise Refused("malformed", "this is no statement with evidence")
    hold_schema(snapshot)
    evidence, filters = snapshot["evidence"], snapshot["filters"]
    start, end = filters["from"], filters["to"]
    if start >= end:
        raise Refused("malformed", "it names no period")
    note = check_unrevoked(evidence["note"], keys)
    if snapshot["as_of_sequence"] > note["tree_size"]:
        raise Refused("truncated", "the checkpoint is older than the statement")
    named = snapshot.get("checkpoint")
    if named is not None and named["tree_size"] == note["tree_size"] and named["root_hash"] != note["root_hash"]:
        raise Refused("rewritten", "the checkpoint that it names is another than that of its evidence")
    events, leaves = _events(evidence)
    if not events:
        raise Refused("nothing_proven", "there is no event of any license")
    if events[-1]["sequence"] > snapshot["as_of_sequence"]:
        raise Refused("malformed", "an event is later than the statement", events[-1]["sequence"])
    _check_places(evidence, events, leaves, note)
    parts = {}
    for event in events:
        if filters.get("license_id", _license(event)) != _license(event):
            raise Refused("other_license", "an event is of another license", event["sequence"])
        if event["event_type"] in KINDS:
            parts.setdefault((event["resource_id"], event["data"]["feature_id"]), []).append(event)
    ends = _check_chains(evidence, events, start, end)
    lacks = _names(evidence["features"], events)
    rows = snapshot["table"]["rows"]
    try:
        _compare(snapshot, parts, below_zero=False)
    except Refused as refused:
        try:
            _compare(snapshot, parts, below_zero=True)
        except Refused:
            raise refused from None
    check_beside(snapshot, len({_license(event) for event in events}))
    if not ends:
        lacks.append("the chain of each license: an event that no figure shows may be missing")
    for license_id, how in ends.items():
        if how == "late":
            lacks.append(f"whether usage was reported late after the last event of {license_id}")
        elif how == "open":
            lacks.append(f"whether {license_id} had more events: nothing shows that the period is over after the last one")
    if "license_id" not in filters:
        lacks.append("which licenses the customer has")
    is_whole = bool(ends) and _is_whole(events)
    by_reset = not is_whole and any(_begins_by_reset(of_it, start, end) for of_it in parts.values())
    environment = next((event["environment"] for event in events if "environment" in event), None)
    return Statement(note, len(events), len(rows), ends, words_of(snapshot, is_whole, by_reset), lacks, environment)
