"""Every figure of every report, computed from the feed alone (docs/reference/reports.md)."""

from datetime import datetime, timedelta, timezone

MOST = 2**53 - 1
USE = "license.usage_recorded"
CORRECTIONS = ("license.usage_reset", "license.feature_removed")
# Members of a license that decide how long it serves after its end.
TERMS = ("overrides", "awaits_activation", "ends_without_grace")

OWNERS = ("customer_id", "order_id", "subscription_id")
SUBJECTS = ("product_id", "customer_id", "license_id", "order_id", "subscription_id")


def safe(total):
    """Sums stop where whole numbers of every JSON library do."""
    return max(-MOST, min(total, MOST))


def present(**members):
    return {name: value for name, value in members.items() if value is not None}


def by_bytes(text):
    return text.encode("utf-8")


def over_quota(data):
    """How much of a use lies over its quota: uses of earlier releases say it as `overage` alone."""
    return data.get("over_quota", data.get("overage"))


def time_of(event):
    """When what an event tells was: a use that a backend reported says so itself."""
    return event["data"].get("used_at", event["created_at"]) if event["event_type"] == USE else event["created_at"]


class Ledger:
    """What the events tell, in the order of the feed."""

    def __init__(self):
        self.sequence = 0
        self.licenses = {}
        self.entries = []
        self.grants = {}
        self.renewals = []
        self.events_of = {}
        self.resources = {}
        self._totals = {}

    def see(self, event):
        """Takes an event; they must come from the first one on."""
        self.sequence = event["sequence"]
        kind, about, data, metadata = (event.get(name) for name in ("event_type", "resource_id", "data", "metadata"))
        family = event["resource_type"]
        if family == "license":
            self._license(event, kind, about, data, metadata)
        elif kind in ("device.reset", "device.blacklisted", "device.expired"):
            self.licenses[data["license_id"]]["seats"].discard(about)
        elif family in ("product", "policy", "feature", "customer", "order", "subscription"):
            # What a policy grants is told by events about the policy, which show the feature and not the policy.
            if kind.startswith("policy.feature_"):
                pass
            elif kind.endswith(".deleted"):
                self.resources.pop(about, None)
            else:
                self.resources[about] = {"family": family, **data}
        of = {about} if family == "license" else set()
        of |= {one["license_id"] for one in (data, metadata) if isinstance(one.get("license_id"), str)}
        for license_id in of:
            self.events_of.setdefault(license_id, []).append(event)

    def _license(self, event, kind, about, data, metadata):
        if kind == "license.created":
            self.licenses[about] = {
                "state": "active", "seats": set(), "times_activated": 0, "times_transferred": 0, "total_consumptions": 0,
                **{
                    name: data.get(name)
                    for name in (
                        "id", "product_id", "policy_id", "customer_id", "order_id", "subscription_id", "created_at",
                        "license_key_prefix", "license_key_last4", "starts_at", "expires_at", *TERMS,
                    )
                },
            }
        license = self.licenses[about]
        changed = {
            "license.transferred": ("customer_id",),
            "license.updated": ("customer_id", "order_id", "subscription_id", "starts_at", "expires_at", *TERMS),
            "license.started": ("starts_at", "expires_at", *TERMS),
            "license.renewed": ("expires_at", *TERMS),
            "license.policy_changed": ("policy_id", "order_id", "subscription_id", "expires_at", *TERMS),
            "license.key_rotated": ("license_key_prefix", "license_key_last4"),
        }
        for name in changed.get(kind, ()):
            license[name] = data.get(name)
        if kind == "license.activated":
            license["times_activated"] += 1
            license["seats"].add(data["device"]["id"])
        elif kind == "license.deactivated":
            license["seats"].discard(data["device"]["id"])
        elif kind == "license.transferred":
            license["times_transferred"] += 1
        elif kind in ("license.suspended", "license.revoked", "license.reinstated"):
            license["state"] = {"suspended": "suspended", "revoked": "revoked"}.get(kind.split(".")[1], "active")
            if kind == "license.revoked":
                license["seats"].clear()
        elif kind == "license.renewed":
            self.renewals.append({
                "at": event["created_at"],
                "order_id": metadata.get("order_id") or license["order_id"],
                "subscription_id": metadata.get("subscription_id") or license["subscription_id"],
            })
        elif kind == "license.grant_given":
            self.grants[data["id"]] = {
                "license_id": about, "feature_id": data["feature_id"], "source": data["source"], "amount": data["amount"],
                # Carried units are there when the period turns, and become a grant later.
                "at": data["starts_at"] if data["source"] == "rollover" else event["created_at"], "ends": data.get("expires_at"), "revoked": None, "taken": [],
            }
        elif kind == "license.grant_revoked":
            self.grants[data["id"]]["revoked"] = event["created_at"]
        elif kind == USE or kind in CORRECTIONS:
            for units in (data if kind == USE else metadata).get("grants", ()):
                amount = units["amount"] if kind == USE else -units["amount"]
                if units["grant_id"] in self.grants:
                    self.grants[units["grant_id"]]["taken"].append((time_of(event), amount))
            counter = (about, data["feature_id"])
            before = self._totals.get(counter, 0)
            after = 0 if kind == "license.feature_removed" else data["total_consumptions"]
            self._totals[counter] = after
            amount = data["amount"] if kind == USE else after - before
            if kind == USE:
                license["total_consumptions"] = safe(license["total_consumptions"] + amount)
            self.entries.append({
                "kind": kind, "at": time_of(event), "amount": amount, "after": after, "event": event,
                "feature_code": data["feature_code"], "license_id": about,
                "overage": (over_quota(data) or 0) if kind == USE else 0,
                **{name: license[name] for name in SUBJECTS if name != "license_id"},
                # A late use is that of the owner of its time, who may be none.
                **({name: metadata["owner"].get(name) for name in OWNERS} if "owner" in metadata else {}),
                # A license may carry several products: what was used is of the product of the feature.
                "product_id": self.resources[data["feature_id"]]["product_id"],
            })

    # --- What is said of the present

    def status(self, license, at):
        if license["state"] != "active":
            return license["state"]
        if license["expires_at"] is None or license["expires_at"] > at:
            return "active"
        overrides = license["overrides"] or {}
        days = overrides.get("grace_period_days", self.resources[license["policy_id"]]["grace_period_days"])
        if license["awaits_activation"] or license["ends_without_grace"]:
            days = 0
        end = datetime.fromisoformat(license["expires_at"].replace("Z", "+00:00")) + timedelta(hours=24 * days)
        return "grace_period" if end > datetime.fromisoformat(at.replace("Z", "+00:00")) else "expired"

    def key_of(self, license):
        return f"{license['license_key_prefix']}\u2026{license['license_key_last4']}"

    def label(self, group_by, group):
        if group is None or group_by == "feature_code" or group_by.startswith("dimension."):
            return None
        if group_by == "license_id":
            return self.key_of(self.licenses[group])
        resource = self.resources[group]
        if group_by in ("product_id", "customer_id"):
            return resource.get("name")
        return f"{resource['external_system']} {resource['external_id']}"

    # --- Uses and corrections

    def within(self, filters):
        """The uses and corrections that filters take, in the order of the feed."""
        start, end = filters.get("from"), filters.get("to")
        return [
            entry
            for entry in self.entries
            if (start is None or entry["at"] >= start) and (end is None or entry["at"] < end)
            and all(entry[name] == filters[name] for name in (*SUBJECTS, "feature_code") if name in filters)
        ]


def uses_of(entries):
    return [entry for entry in entries if entry["kind"] == USE]


def totals(entries):
    uses = uses_of(entries)
    times = [entry["at"] for entry in uses]
    return present(
        uses=len(uses),
        amount=safe(sum(entry["amount"] for entry in uses)),
        overage=safe(sum(entry["overage"] for entry in uses)) or None,
        first_at=min(times, default=None),
        last_at=max(times, default=None),
    )


def of_all(entries):
    """The totals of a report, with the feature that all of it is of."""
    features = {entry["feature_code"] for entry in entries}
    return {**totals(entries), **present(feature_code=features.pop() if len(features) == 1 else None)}


def adjusted(entries):
    return safe(sum(entry["amount"] for entry in entries if entry["kind"] != USE))


def grouped(entries, key):
    groups = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


# --- The reports: each answers what summary, rows and series must be.


def group_of(entry, group_by):
    """A member of a use, or one of its dimensions."""
    if group_by is None or not group_by.startswith("dimension."):
        return None if group_by is None else entry[group_by]
    return entry["event"]["data"].get("dimensions", {}).get(group_by[len("dimension."):])


def usage_summary(ledger, filters, at):
    uses = uses_of(ledger.within(filters))
    bucket, group_by = filters.get("bucket"), filters.get("group_by")

    def start(text):
        if bucket is None:
            return None
        if bucket == "1h":
            return f"{text[:13]}:00:00.000Z"
        day = datetime.fromisoformat(f"{text[:10]}T00:00:00+00:00")
        if bucket == "1w":
            day -= timedelta(days=day.weekday())
        elif bucket == "1mo":
            day = day.replace(day=1)
        elif bucket == "1y":
            day = day.replace(month=1, day=1)
        return day.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def cell(entry):
        return start(entry["at"]), group_of(entry, group_by)

    def order(key):
        return key[0] or "", key[1] is None, by_bytes(key[1] or "")

    rows = []
    cells = grouped(uses, cell)
    for key in sorted(cells, key=order):
        label = ledger.label(group_by, key[1]) if group_by else None
        rows.append({**present(bucket=key[0], group=key[1], label=label), **totals(cells[key])})
    if bucket is None:
        return of_all(uses), rows, None
    # Longer than a bucket and shorter than two: its own start is that of the next one.
    length = timedelta(hours={"1h": 1, "1d": 24, "1w": 168, "1mo": 31 * 24, "1y": 366 * 24}[bucket])
    by_start, series = grouped(uses, lambda entry: start(entry["at"])), []
    moment = datetime.fromisoformat(start(filters["from"]).replace("Z", "+00:00"))
    end = datetime.fromisoformat(filters["to"].replace("Z", "+00:00"))
    while moment < end:
        text = moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        series.append({"bucket": text, "value": totals(by_start.get(text, []))["amount"]})
        moment = datetime.fromisoformat(start((moment + length).strftime("%Y-%m-%dT%H:%M:%S.000Z")).replace("Z", "+00:00"))
    return of_all(uses), rows, series


def dimensions_text(dimensions):
    """Dimensions as a cell has them, in the order of their names."""
    return ", ".join(f"{name}={dimensions[name]}" for name in sorted(dimensions)) if dimensions else None


def usage_ledger(ledger, filters, at):
    entries = [e for e in ledger.within(filters) if filters.get("action") in (None, e["kind"])]
    rows = []
    for entry in sorted(entries, key=lambda e: (e["at"], e["event"]["id"]), reverse=True):
        event, data = entry["event"], entry["event"]["data"]
        is_use = entry["kind"] == USE
        rows.append(present(
            occurred_at=entry["at"], action=entry["kind"], feature_code=entry["feature_code"], amount=entry["amount"],
            total_consumptions=entry["after"], license_id=entry["license_id"], id=event["id"],
            overage=over_quota(data) if is_use else None,
            device_id=data.get("device_id") if is_use else None, event_id=data.get("event_id") if is_use else None,
            request_id=event.get("request_id"),
            dimensions=dimensions_text(data.get("dimensions")) if is_use else None,
            measured=data.get("measured") if is_use else None,
            **{name: entry[name] for name in SUBJECTS if name != "license_id"},
        ))
    uses = totals(entries)
    summary = present(
        entries=len(entries), uses=uses["uses"], amount=uses["amount"], adjusted=adjusted(entries),
        overage=uses.get("overage"),
    )
    return summary, rows, None


def _device_of(event):
    data, metadata = event["data"], event["metadata"]
    if event["resource_type"] == "device":
        return event["resource_id"]
    return data.get("device", {}).get("id") or metadata.get("device_id") or data.get("device_id")


def license_audit(ledger, filters, at):
    license = ledger.licenses[filters["license_id"]]
    rows, actions = [], {}
    for event in ledger.events_of[license["id"]]:
        if not filters["from"] <= time_of(event) < filters["to"]:
            continue
        kind, data = event["event_type"], event["data"]
        failed = kind in ("webhook.delivery_exhausted", "report_export.failed")
        result = "failed" if failed else "success"
        actions[kind, result] = actions.get((kind, result), 0) + 1
        rows.append(present(
            occurred_at=time_of(event), action=kind, result_class=result, actor_type=event["actor_type"],
            actor_id=event["actor_id"], device_id=_device_of(event),
            feature_code=event["metadata"].get("feature_code") or data.get("feature_code"),
            amount=data["amount"] if kind == USE else None, request_id=event.get("request_id"),
            id=f"act{event['id'][3:]}", audit_event_id=event["id"], reason=event["metadata"].get("reason_given"),
        ))
    rows.sort(key=lambda row: (row["occurred_at"], row["id"]), reverse=True)
    counts = [
        {"action": action, "result_class": result, "count": count}
        for (action, result), count in sorted(actions.items(), key=lambda one: (one[0][0] == USE, *one[0]))
    ]
    by_code = grouped(uses_of(ledger.within(filters)), lambda entry: entry["feature_code"])
    features = [{"feature_code": code, **totals(by_code[code])} for code in sorted(by_code, key=by_bytes)]
    head = present(
        **{
            name: license[name]
            for name in (
                "id", "product_id", "policy_id", "customer_id", "order_id", "subscription_id", "license_key_prefix",
                "license_key_last4", "times_activated", "times_transferred", "total_consumptions", "starts_at",
                "expires_at", "created_at",
            )
        },
        status=ledger.status(license, at),
        active_device_count=len(license["seats"]),
    )
    return {"license": head, "activities": len(rows), "actions": counts, "features": features}, rows, None


def customer_summary(ledger, filters, at):
    customer_id = filters["customer_id"]
    customer = ledger.resources[customer_id]
    own = [one for one in ledger.licenses.values() if one["customer_id"] == customer_id]
    used = uses_of(ledger.within(filters))
    by_license = grouped(used, lambda entry: entry["license_id"])
    rows = []
    for license_id in sorted({one["id"] for one in own} | set(by_license), key=by_bytes):
        license = ledger.licenses[license_id]
        rows.append(present(
            license_id=license_id, key=ledger.key_of(license), product_id=license["product_id"],
            product_name=ledger.resources[license["product_id"]]["name"], status=ledger.status(license, at),
            ownership="current" if license["customer_id"] == customer_id else "former", expires_at=license["expires_at"],
            active_device_count=len(license["seats"]), **totals(by_license.get(license_id, [])),
        ))
    statuses = {}
    for license in own:
        status = ledger.status(license, at)
        statuses[status] = statuses.get(status, 0) + 1

    def held(family):
        return sum(one["family"] == family and one.get("customer_id") == customer_id for one in ledger.resources.values())

    summary = {
        "customer": present(**{name: customer.get(name) for name in ("id", "name", "code", "email", "created_at")}),
        "licenses": len(own),
        "active_devices": sum(len(license["seats"]) for license in own),
        "orders": held("order"),
        "subscriptions": held("subscription"),
        "license_statuses": [{"status": status, "count": statuses[status]} for status in sorted(statuses)],
        **of_all(used),
    }
    return summary, rows, None


def subscription_settlement(ledger, filters, at):
    member = "order_id" if "order_id" in filters else "subscription_id"
    subject = ledger.resources[filters[member]]
    entries, group_by = ledger.within(filters), filters["group_by"]
    rows = []
    groups = grouped(entries, lambda entry: entry[group_by])
    for group in sorted(groups, key=by_bytes):
        label = ledger.label(group_by, group)
        rows.append({**present(group=group, label=label), **totals(groups[group]), "adjusted": adjusted(groups[group])})
    names = ("id", "product_id", "customer_id", "external_system", "external_id", "status")
    if member == "order_id":
        names += ("subscription_id", "period_start", "period_end")
        period = {}
    else:
        period = {"period_start": subject.get("current_period_start"), "period_end": subject.get("current_period_end")}
    summary = {
        "subject": {"type": member[:-3], **present(**{name: subject.get(name) for name in names}, **period)},
        "licenses": sum(license[member] == filters[member] for license in ledger.licenses.values()),
        "renewals": sum(
            renewal[member] == filters[member] and filters["from"] <= renewal["at"] < filters["to"]
            for renewal in ledger.renewals
        ),
        "adjusted": adjusted(entries),
        **of_all(entries),
    }
    return summary, rows, None


# Figures that are absent where they are 0.
ABSENT_AT_0 = ("told_before", "told_after", "overage")
FLOWS = ("opening", "told_before", "given", "carried", "corrected", "refunded", "used", "ended", "revoked", "told_after", "closing")


def flows_of(grant, start, end, below_zero):
    """What became of a grant in a window, up to the unit; with balances below zero as earlier releases stated them, or with what it lacked."""
    def balance_at(bound):
        units = (grant["amount"] if grant["at"] < bound else 0) - sum(units for at, units in grant["taken"] if at < bound)
        lacks = 0 if below_zero or grant["amount"] < 0 else max(0, -units)
        is_over = (grant["ends"] is not None and grant["ends"] <= bound) or (
            grant["revoked"] is not None and grant["revoked"] < bound
        )
        return 0 if is_over else units + lacks, lacks

    flows = dict.fromkeys(FLOWS, 0)
    inside = [units for at, units in grant["taken"] if start <= at < end]
    given = grant["amount"] if start <= grant["at"] < end else 0
    flows[{"correction": "corrected", "rollover": "carried"}.get(grant["source"], "given")] = given
    flows["used"] = sum(units for units in inside if units > 0)
    flows["refunded"] = -sum(units for units in inside if units < 0)
    (flows["opening"], flows["told_before"]), (flows["closing"], flows["told_after"]) = balance_at(start), balance_at(end)
    is_revoked = grant["revoked"] is not None and (grant["ends"] is None or grant["revoked"] < grant["ends"])
    flows["revoked" if is_revoked else "ended"] = (
        flows["opening"] - flows["told_before"] + given + flows["refunded"] - flows["used"] + flows["told_after"] - flows["closing"]
    )
    return flows


def sums_of(uses):
    sums = totals(uses)
    return present(uses=sums["uses"], amount=sums["amount"], overage=sums.get("overage"))


def statement(ledger, filters, at, below_zero=False):
    if "license_id" in filters:
        license = ledger.licenses[filters["license_id"]]
        own = [license]
        names = ("id", "product_id", "policy_id", "customer_id", "license_key_prefix", "license_key_last4")
        subject = {"license": present(**{name: license[name] for name in names})}
    else:
        customer = ledger.resources[filters["customer_id"]]
        own = [one for one in ledger.licenses.values() if one["customer_id"] == filters["customer_id"]]
        names = ("id", "name", "code", "email", "created_at")
        subject = {"customer": present(**{name: customer.get(name) for name in names})}
    ids = {license["id"] for license in own}
    cells = {}

    def cell(license_id, feature_id):
        empty = dict.fromkeys((*FLOWS, "uses", "amount", "within_quota", "from_pools", "adjusted", "overage"), 0)
        return cells.setdefault((license_id, feature_id), empty)

    for grant in ledger.grants.values():
        if grant["license_id"] in ids:
            figures = cell(grant["license_id"], grant["feature_id"])
            for name, units in flows_of(grant, filters["from"], filters["to"], below_zero).items():
                figures[name] += units
    for entry in ledger.within({name: filters[name] for name in ("from", "to")}):
        if entry["license_id"] not in ids:
            continue
        data = entry["event"]["data"]
        figures = cell(entry["license_id"], data["feature_id"])
        if entry["kind"] == USE:
            figures["uses"] += 1
            figures["amount"] += entry["amount"]
            figures["overage"] += entry["overage"]
            granted = sum(units["amount"] for units in data.get("grants", ()))
            figures["from_pools"] += sum(
                units["amount"] for units in data.get("grants", ()) if units["grant_id"].startswith("pool_")
            )
            figures["within_quota"] += entry["amount"] - entry["overage"] - granted
        else:
            figures["adjusted"] += entry["amount"]
    rows, sums = [], {}
    for (license_id, feature_id), figures in cells.items():
        feature = ledger.resources[feature_id]
        if not any(figures.values()) or filters.get("feature_code", feature["code"]) != feature["code"]:
            continue
        of = {"product_id": feature["product_id"], "feature_code": feature["code"], "decimals": feature.get("decimals")}
        rows.append({
            "license_id": license_id, "key": ledger.key_of(ledger.licenses[license_id]), **of,
            **{name: safe(figure) for name, figure in figures.items()},
        })
        total = sums.setdefault(tuple(of.values()), {**of, **dict.fromkeys(figures, 0)})
        for name, figure in figures.items():
            total[name] = safe(total[name] + figure)
    rows.sort(key=lambda row: (row["license_id"], by_bytes(row["feature_code"]), row["product_id"]))
    features = sorted(sums.values(), key=lambda one: (by_bytes(one["feature_code"]), one["product_id"]))
    for one in (*rows, *features):
        one.update({name: one[name] or None for name in ABSENT_AT_0})
    summary = {**subject, "licenses": len(own), "features": [present(**one) for one in features]}
    if "group_by" in filters:
        groups = {}
        for entry in uses_of(ledger.within({name: filters[name] for name in ("from", "to")})):
            feature = ledger.resources[entry["event"]["data"]["feature_id"]]
            if entry["license_id"] in ids and filters.get("feature_code", feature["code"]) == feature["code"]:
                key = (feature["product_id"], feature["code"], group_of(entry, filters["group_by"]), feature.get("decimals"))
                groups.setdefault(key, []).append(entry)
        told = [
            {**present(product_id=key[0], feature_code=key[1], group=key[2], decimals=key[3]), **sums_of(groups[key])}
            for key in groups
        ]
        told.sort(key=lambda one: (
            -one["amount"], by_bytes(one["feature_code"]), one["product_id"], "group" not in one, by_bytes(one.get("group", "")),
        ))
        summary.update(groups=told[:1000], total_groups=len(told))
    return summary, [present(**row) for row in rows], None


REPORTS = {
    "usage-summary": usage_summary,
    "usage-ledger": usage_ledger,
    "license-audit": license_audit,
    "customer-summary": customer_summary,
    "subscription-settlement": subscription_settlement,
    "statement": statement,
}


# What payment providers say of purchases is not in the feed, nor what devices run or which calls were decided; licenses are listed as they are. Their reports are signed, and no
# more can be said of them.
BESIDE_THE_FEED = {"purchases", "licenses", "adoption", "rehearsal"}


def recompute(ledger, snapshot):
    """The differences between a snapshot and what the feed tells, each as a text. An audit's refusals are left out."""
    kind = snapshot["report_kind"]
    if kind in BESIDE_THE_FEED:
        return []
    told = REPORTS[kind](ledger, snapshot["filters"], snapshot["frozen_at"])
    differences = _differences(snapshot, *told)
    if kind == "statement" and differences:
        # Earlier releases stated what a grant lacked as a balance below zero.
        if not _differences(snapshot, *statement(ledger, snapshot["filters"], snapshot["frozen_at"], below_zero=True)):
            return []
    return differences


def _differences(snapshot, summary, rows, series):
    kind = snapshot["report_kind"]
    shown_summary, shown_rows = snapshot["summary"], snapshot["table"]["rows"]
    if "feature_code" not in shown_summary:  # reports that were frozen by a release before
        summary.pop("feature_code", None)
    differences = []
    if kind == "license-audit":
        refused = [row for row in shown_rows if row["result_class"] == "refused"]
        listed = {}
        for row in refused:
            listed[row["action"], "refused"] = listed.get((row["action"], "refused"), 0) + 1
        counted = {
            (one["action"], one["result_class"]): one["count"]
            for one in shown_summary["actions"]
            if one["result_class"] == "refused"
        }
        if counted != listed:
            differences.append(f"summary.actions counts {counted} refused, and the rows show {listed}")
        shown_rows = [row for row in shown_rows if row["result_class"] != "refused"]
        shown_summary = {
            **shown_summary,
            "activities": shown_summary["activities"] - len(refused),
            "actions": [one for one in shown_summary["actions"] if one["result_class"] != "refused"],
        }
    for name in sorted({*summary, *shown_summary}):
        if summary.get(name) != shown_summary.get(name):
            differences.append(f"summary.{name} is {shown_summary.get(name)}, by the feed {summary.get(name)}")
    if len(rows) != len(shown_rows):
        differences.append(f"there are {len(shown_rows)} rows, by the feed {len(rows)}")
    for index, (shown, told) in enumerate(zip(shown_rows, rows)):
        if shown != told:
            differences.append(f"row {index + 1} is {shown}, by the feed {told}")
    if snapshot.get("series") != series:
        differences.append("the series is another one by the feed")
    return differences
