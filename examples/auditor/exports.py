"""Frozen exports: manifest, seal, digests, CSV, and every figure against the feed (docs/reference/exports.md, docs/reference/reports.md)."""

import hashlib
import re
from datetime import datetime, timedelta

from answers import read
from figures import recompute
from files import attachment
from strict_json import Refused, canonical_bytes, parse

MANIFEST = "countersign/export-manifest/v1"
SNAPSHOT = "countersign/report-snapshot/v1"


def check_manifest(body, keys):
    """The data of a signed manifest whose seal is good."""
    envelope = read(body, "manifest")
    data = envelope.get("data")
    if not isinstance(data, dict) or data.get("schema") != MANIFEST:
        raise Refused("malformed", "this is not the manifest of an export")
    keys.check(envelope.get("signature"), canonical_bytes(data))
    keys.check(data.get("seal"), f"{SNAPSHOT}\n{data.get('digest')}".encode())
    if data["format"] == "json" and data["digest"] != data["artifact_digest"]:
        raise Refused("malformed", "the file of a JSON export must be its snapshot")
    return data


def check_bytes(manifest, content, part="artifact"):
    """That bytes are the download, or the snapshot, that a manifest speaks of."""
    prefix = "artifact_" if part == "artifact" else ""
    size = manifest[f"{part}_size"]
    if len(content) != size:
        raise Refused("size_mismatch", f"the {part} has {len(content)} bytes, and {size} were signed")
    if f"sha256:{hashlib.sha256(content).hexdigest()}" != manifest[f"{prefix}digest"]:
        raise Refused("digest_mismatch", f"the {part} is not what was signed")


def read_snapshot(manifest, content):
    """The snapshot of a manifest, in its one form."""
    check_bytes(manifest, content, "snapshot")
    snapshot = parse(content)
    if canonical_bytes(snapshot) != content or snapshot.get("schema") != SNAPSHOT:
        raise Refused("malformed", "this is not a snapshot in canonical JSON")
    same = {"report_kind": "report_kind", "as_of_sequence": "as_of_sequence", "frozen_at": "frozen_at",
            "checkpoint": "checkpoint", "row_count": "rows"}
    for name, named in same.items():
        if snapshot.get(name) != manifest.get(named):
            raise Refused("malformed", f"{name} of the snapshot is not what the manifest says")
    if snapshot["report_schema"] != f"countersign/report/{snapshot['report_kind']}/v1":
        raise Refused("malformed", "the schema of the report is not that of its kind")
    columns = {column["key"] for column in snapshot["table"]["columns"]}
    rows = snapshot["table"]["rows"]
    if len(rows) != snapshot["row_count"] or any(not set(row) <= columns for row in rows):
        raise Refused("malformed", "the rows are not as many, or not of the columns, that the snapshot says")
    return snapshot


# What ECMAScript calls white space.
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_FORMULA = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")


# A separator of cells, before what a spreadsheet would take for a formula.
_BEHIND = re.compile("(\r\n|[,;\t|\r\n])(?=[ \u00a0\u3000\"]*[=+\\-@|%\uff1d\uff0b\uff0d\uff20])")


def _cell(value, edition):
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    bare = re.sub(f"^[{_SPACE}]+", "", value)
    text = f"'{value}" if value.startswith(_FORMULA) or bare.startswith(_FORMULA) else value
    if edition > 1:
        text = _BEHIND.sub(r"\1'", text)
    if re.search(f"[\",\r\n]|^[{_SPACE}']|[{_SPACE}]\\Z", text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _local(offsets, instant):
    """An instant as a spreadsheet reads it, by the offsets that were frozen with the report."""
    minutes = next((offset["minutes"] for offset in reversed(offsets) if offset["since"] <= instant), offsets[0]["minutes"])
    try:
        local = datetime.strptime(instant[:19], "%Y-%m-%dT%H:%M:%S") + timedelta(minutes=minutes)
    except OverflowError:
        return instant[:19].replace("T", " ")
    return local.isoformat(" ")


def to_csv(snapshot, edition=2):
    """The bytes of a CSV export of a snapshot; edition 1 is that of files from before separators were guarded."""
    zone = snapshot.get("presentation", {}).get("time_zone")
    by_day = snapshot["filters"].get("bucket") == "1d"
    # Each column of the file: its name, the key that it shows, and how.
    columns = []
    for column in snapshot["table"]["columns"]:
        key = column["key"]
        columns.append((key, key, lambda value: value))
        if zone is not None and column["type"] == "timestamp":
            if key == "bucket" and by_day:
                columns.append((f"{key} (UTC)", key, lambda value: value and value[:10]))
            else:
                columns.append((f"{key} ({zone['name']})", key, lambda value: value and _local(zone["offsets"], value)))
    lines = [[name for name, _, _ in columns],
             *([show(row.get(key)) for _, key, show in columns] for row in snapshot["table"]["rows"])]
    return ("\ufeff" + "".join(",".join(_cell(value, edition) for value in line) + "\r\n" for line in lines)).encode()


def check_export(content, manifest_body, keys, snapshot_content=None):
    """Verifies a download; answers the manifest, and the snapshot where there is one (a JSON export is its own)."""
    manifest = check_manifest(manifest_body, keys)
    check_bytes(manifest, content)
    if manifest["format"] == "json":
        snapshot_content = content
    if snapshot_content is None:
        return manifest, None
    snapshot = read_snapshot(manifest, snapshot_content)
    if manifest["format"] == "csv" and content not in (to_csv(snapshot), to_csv(snapshot, 1)):
        raise Refused("digest_mismatch", "the snapshot written as CSV is another file")
    if manifest["format"] == "pdf" and attachment(content) not in (None, snapshot_content):
        raise Refused("digest_mismatch", "another snapshot is attached to the document")
    return manifest, snapshot


def check_figures(ledger, snapshot, roots):
    """
    Compares a snapshot with the feed up to its place. `ledger` has seen the events 1 to `as_of_sequence`; `roots` are
    the roots of the trees of those sizes that exports stand at, by size, in hex.
    """
    if ledger.sequence != snapshot["as_of_sequence"]:
        raise Refused("truncated", f"the feed is here up to {ledger.sequence}, the export is of {snapshot['as_of_sequence']}")
    checkpoint = snapshot.get("checkpoint")
    if checkpoint is not None and roots.get(checkpoint["tree_size"]) != checkpoint["root_hash"]:
        raise Refused("rewritten", "the checkpoint that the export names is not of this feed")
    differences = recompute(ledger, snapshot)
    if differences:
        raise Refused("figures_differ", "; ".join(differences[:5]))
