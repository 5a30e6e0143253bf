"""A frozen statement by its own evidence, without the feed (docs/reference/exports.md, "Evidence of a statement")."""

import gzip

from figures import FLOWS, USE, flows_of, over_quota, time_of
from log import check_note, sha256
from strict_json import Refused, canonical_bytes, decode_base64, parse

SCHEMA = "countersign/statement-evidence/v1"
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


def _events(evidence):
    """The events of the evidence in the order of the log, and the hashes of their leaves."""
    text = gzip.decompress(decode_base64(evidence["events"])).decode("utf-8")
    events, leaves, place = [], [], 0
    for line in text.split("\n") if text else []:
        event = parse(line)
        if canonical_bytes(event) != line.encode("utf-8"):
            raise Refused("malformed", "an event is not canonical JSON")
        if event["event_type"] not in KINDS or event["sequence"] <= place:
            raise Refused("malformed", "an event is of another kind, or not in the order of the log")
        place = event["sequence"]
        events.append(event)
        leaves.append(sha256(b"\0", line.encode("utf-8")))
    return events, leaves


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


def _flows(events, figures, start, end):
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
        for name, units in flows_of(grant, start, end).items():
            figures[name] += units


def _figures(events, start, end):
    """The figures of one feature of a license from its events."""
    figures = dict.fromkeys(FIGURES, 0)
    _flows(events, figures, start, end)
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
    for name in {*shown, *computed}:
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


def check_statement(content, keys):
    """Verifies the snapshot of a statement by the evidence in it. Answers the note, how many events there are, and how many rows."""
    snapshot = parse(content)
    evidence, filters = snapshot.get("evidence"), snapshot["filters"]
    if snapshot["report_kind"] != "statement" or evidence is None or evidence["schema"] != SCHEMA:
        raise Refused("malformed", "this is no statement with evidence")
    note = check_note(evidence["note"], keys)
    if "revoked_at" in note:
        raise Refused("revoked_key", f"{note['kid']} was revoked at {note['revoked_at']}")
    if snapshot["as_of_sequence"] > note["tree_size"]:
        raise Refused("truncated", "the checkpoint is older than the statement")
    events, leaves = _events(evidence)
    joined = decode_base64(evidence["hashes"])
    if len(joined) % 32:
        raise Refused("malformed", "the hashes are not of 32 bytes each")
    hashes = [joined[at:at + 32] for at in range(0, len(joined), 32)]
    root = _root([event["sequence"] - 1 for event in events], leaves, note["tree_size"], hashes)
    if root.hex() != note["root_hash"]:
        raise Refused("proof_mismatch", "the events are not those of the log that was signed")
    features, parts, computed = {one["id"]: one for one in evidence["features"]}, {}, {}
    for event in events:
        if filters.get("license_id", event["resource_id"]) != event["resource_id"]:
            raise Refused("other_license", "an event is of another license", event["sequence"])
        parts.setdefault((event["resource_id"], event["data"]["feature_id"]), []).append(event)
    for (license_id, feature_id), of_it in parts.items():
        feature = features[feature_id]
        figures = _figures(of_it, filters["from"], filters["to"])
        if any(figures.values()):
            computed[(license_id, feature["product_id"], feature["code"])] = figures
    rows = snapshot["table"]["rows"]
    _differ(_keyed(rows, "license_id", "product_id", "feature_code"), computed)
    sums = {}
    for (_, product_id, code), figures in computed.items():
        total = sums.setdefault((product_id, code), dict.fromkeys(FIGURES, 0))
        for name in FIGURES:
            total[name] += figures[name]
    _differ(_keyed(snapshot["summary"]["features"], "product_id", "feature_code"), sums)
    return note, len(events), len(rows)
