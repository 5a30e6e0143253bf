"""The closed schema of a statement, and what stands in it beside figures (docs/reference/exports.md, "From what each member follows")."""

import re

from strict_json import Refused

FIGURES = ("opening", "given", "carried", "corrected", "refunded", "used", "ended", "revoked", "closing", "uses", "amount",
           "within_quota", "from_pools", "adjusted")
# What is absent where it is 0.
SOMETIMES = ("told_before", "told_after", "overage")
TITLES = {"key": "Key", "feature_code": "Feature", "decimals": "Decimal places", "opening": "Opening balance",
          "told_before": "Late before", "given": "Given",
          "carried": "Carried over", "corrected": "Corrected", "refunded": "Refunded", "used": "Used", "ended": "Ended",
          "revoked": "Revoked", "told_after": "Late after", "closing": "Closing balance", "uses": "Usage events", "amount": "Amount",
          "within_quota": "Within quota", "from_pools": "From pools", "overage": "Overage", "adjusted": "Correction",
          "license_id": "License", "product_id": "Product"}
TEXTS = {"key", "feature_code", "license_id", "product_id"}
# What grants change that nothing in the evidence shows, where it does not begin with the first event of a license.
OF_GRANTS = ("opening", "given", "carried", "corrected", "ended", "revoked", "closing")


def text(value):
    return isinstance(value, str)


def whole(value):
    return type(value) is int and abs(value) < 2**53


def count(value):
    return whole(value) and value >= 0


def some(value):
    return whole(value) and value >= 1


def instant(value):
    return text(value) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value, re.ASCII) is not None


def root(value):
    return text(value) and re.fullmatch("[0-9a-f]{64}", value) is not None


def one_of(*values):
    return lambda value: text(value) and value in values


def names(value):
    return isinstance(value, dict) and all(map(text, value.values()))


# A member whose name ends in a question mark may be absent; a list has one kind of element.
_NAMED = {"product_id": text, "feature_code": text, "decimals?": count, **{f"{name}?": some for name in SOMETIMES},
          **{name: whole for name in FIGURES}}
SCHEMA = {
    "schema": one_of("countersign/report-snapshot/v1"),
    "report_kind": one_of("statement"),
    "report_schema": one_of("countersign/report/statement/v1"),
    "as_of_sequence": count,
    "frozen_at": instant,
    "row_count": count,
    "checkpoint?": {"tree_size": count, "root_hash": root},
    "evidence": {
        "schema": one_of("countersign/statement-evidence/v1", "countersign/statement-evidence/v2"),
        "chain?": one_of("complete", "filtered", "unlinked", "too_large"),
        "note": text, "events": text, "hashes": text,
        "features": [{"id": text, "product_id": text, "code": text}],
    },
    "filters": {"from": instant, "to": instant, "license_id?": text, "customer_id?": text, "feature_code?": text,
                "group_by?": text, "product_ids?": [text]},
    "presentation?": {"logo?": text, "vendor?": text, "names?": names,
                      "time_zone?": {"name": text, "offsets": [{"minutes": whole, "since": instant}]}},
    "summary": {
        "licenses": count,
        "features": [_NAMED],
        "license?": {"id": text, "product_id": text, "policy_id": text, "customer_id?": text, "license_key_prefix": text,
                     "license_key_last4": text},
        "customer?": {"id": text, "name": text, "code": text, "email?": text, "created_at": instant},
        "groups?": [{"product_id": text, "feature_code": text, "group?": text, "decimals?": count, "uses": count,
                     "amount": whole, "overage?": some}],
        "total_groups?": count,
    },
    "table": {"columns": [{"key": text, "title": text, "type": text}], "rows": [{"license_id": text, "key": text, **_NAMED}]},
}
# What follows from no event, by the places at which it stands; all that stands below such a place is meant.
WORDS = ("as_of_sequence", "checkpoint", "evidence.features[].product_id", "filters.customer_id", "filters.group_by",
         "filters.product_ids", "frozen_at", "presentation", "summary.licenses", "summary.groups", "summary.total_groups",
         *(f"summary.customer.{name}" for name in ("id", "name", "code", "email", "created_at")),
         *(f"summary.license.{name}" for name in ("product_id", "policy_id", "customer_id", "license_key_prefix", "license_key_last4")),
         "summary.features[].product_id", "summary.features[].decimals",
         "table.rows[].product_id", "table.rows[].decimals", "table.rows[].key")


def _hold(value, schema, place):
    if isinstance(schema, list):
        if not isinstance(value, list):
            raise Refused("malformed", f"{place} is no list")
        for one in value:
            _hold(one, schema[0], f"{place}[]")
    elif isinstance(schema, dict):
        if not isinstance(value, dict):
            raise Refused("malformed", f"{place or 'it'} is no object")
        known = {name.rstrip("?"): name for name in schema}
        for name in value:
            if name not in known:
                raise Refused("malformed", f"{place}.{name} is no member of it")
        for name, said in known.items():
            if name in value:
                _hold(value[name], schema[said], f"{place}.{name}" if place else name)
            elif not said.endswith("?"):
                raise Refused("malformed", f"{place}.{name} is missing")
    elif not schema(value):
        raise Refused("malformed", f"{place} is not what it should be")


def hold_schema(snapshot):
    """Refuses a statement with a member that its schema does not know, or of another type."""
    _hold(snapshot, SCHEMA, "")


def _there(snapshot, place):
    at = [snapshot]
    for name in place.split("."):
        is_list = name.endswith("[]")
        at = [one[name.rstrip("[]")] for one in at if name.rstrip("[]") in one]
        at = [element for one in at for element in one] if is_list else at
    return bool(at)


def words_of(snapshot, is_whole, begins_by_reset):
    """The places of a statement at which only the vendor says what stands there."""
    hidden = [*([] if is_whole else OF_GRANTS), *(["adjusted"] if begins_by_reset else [])]
    return [place for place in WORDS if _there(snapshot, place)] + [
        f"{where}[].{name}" for name in hidden for where in ("summary.features", "table.rows")
    ]


def check_beside(snapshot, chained_licenses):
    """What stands beside the figures is one with them."""
    filters, summary, rows = snapshot["filters"], snapshot["summary"], snapshot["table"]["rows"]

    def require(is_so, why):
        if not is_so:
            raise Refused("figures_differ", why)

    require(snapshot["row_count"] == len(rows), "the number of rows is another")
    sums = summary["features"]
    shown = [name for name in TITLES
             if name not in ("decimals", *SOMETIMES) or any(name in one for one in sums)]
    columns = [{"key": name, "title": TITLES[name], "type": "text" if name in TEXTS else "integer"} for name in shown]
    require(snapshot["table"]["columns"] == columns, "the columns are not those of a statement")
    places = [(row["license_id"], row["feature_code"], row["product_id"]) for row in rows]
    require(places == sorted(places), "the rows are not in their order")
    places = [(one["feature_code"], one["product_id"]) for one in sums]
    require(places == sorted(places), "the sums are not in their order")
    decimals = {(one["product_id"], one["feature_code"]): one.get("decimals") for one in sums}
    require(all(row.get("decimals") == decimals.get((row["product_id"], row["feature_code"])) for row in rows),
            "a row has other decimal places than its sum")
    is_one = "license_id" in filters
    require(is_one != ("customer_id" in filters), "it is of a license and of a customer")
    require(("license" in summary) == is_one and ("customer" in summary) != is_one, "it is of another subject")
    subject, asked = (summary["license"], filters["license_id"]) if is_one else (summary["customer"], filters["customer_id"])
    require(subject["id"] == asked, "it is of another subject than was asked for")
    keys = {}
    for row in rows:
        require(keys.setdefault(row["license_id"], row["key"]) == row["key"], "a license has two keys")
    if is_one:
        hint = f"{subject['license_key_prefix']}\u2026{subject['license_key_last4']}"
        require(all(key == hint for key in keys.values()), "a row shows another license key")
        require(summary["licenses"] == 1, "the number of licenses is another")
    is_complete = snapshot["evidence"].get("chain") == "complete"
    require(summary["licenses"] == chained_licenses if is_complete else summary["licenses"] >= chained_licenses,
            "the number of licenses is another")
    if "feature_code" in filters:
        require(not is_complete and all(row["feature_code"] == filters["feature_code"] for row in rows),
                "a row is of another feature than was asked for")
    if "product_ids" in filters:
        require(all(row["product_id"] in filters["product_ids"] for row in rows), "a row is of another product")
    require(("group_by" in filters) == ("groups" in summary) == ("total_groups" in summary), "groups that nobody asked for")
    require(len(summary.get("groups", ())) <= summary.get("total_groups", 0), "there are more groups than it says")
    require(snapshot.get("checkpoint", {}).get("tree_size", 0) <= snapshot["as_of_sequence"], "its checkpoint is later")
