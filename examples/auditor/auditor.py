#!/usr/bin/env python3
"""
Checks what a Countersign service gave out, without asking it and without trusting it. Python 3.9 or newer, nothing else.

    auditor.py events events.ndjson --keys keys.json [--checkpoint NOTE]...
    auditor.py answer answer.json --keys keys.json [--nonce N] [--product-code C] [--now T] [--allow-test]
    auditor.py offline envelope.json --keys keys.json --license-key K (--device-id D | --fingerprint F) [--last-counter N] [--now T] [--allow-test]
    auditor.py delivery body --headers headers.json --secret S... [--now T] [--tolerance SECONDS]
    auditor.py proof --event event.json --proof proof.json --keys keys.json
    auditor.py tlog-proof event.tlog-proof --keys keys.json
    auditor.py receipt receipt.json --keys keys.json [--event-id ID] [--license-id ID] [--allow-test]
    auditor.py license PAGE... --keys keys.json [--from-start]
    auditor.py statement FILE --keys keys.json
    auditor.py growth OLDER NEWER --proof consistency.json --keys keys.json
    auditor.py exports events.ndjson ARCHIVE_OR_DIRECTORY... --keys keys.json
    auditor.py vectors DIRECTORY

--key-event PROOF..., with every command that takes --keys: the tlog_proof of each log.key_introduced and signing_key.revoked since keys.json
was had, in the order of the log, by which its keys are followed.

It exits 0 and says what was verified, 1 and says the first thing that is wrong, or 3 where a statement is not proven. T is an RFC 3339 date-time, by default
now. `statement` takes a snapshot, a PDF with one inside, or an archive. `exports` takes archives, and directories with
`manifest.json`, the download, which the manifest names, and `snapshot.json` unless the download is one, and recomputes every
figure of them from the feed.
"""

import argparse
import json
import os
import re
import sys
import time
from datetime import datetime

from chains import UNKNOWN, check_license, check_pages
from answers import check_answer, check_delivery, check_offline, check_refusal
from exports import check_export, check_figures
from files import archive, attachment, is_archive, is_pdf
from figures import Ledger
from keys import Keys
from log import Tree, check_consistency, check_events, check_growth, check_inclusion, check_note, check_proof, instant
from log import leaf_hash, lines_of, sha256
from receipts import check_receipt
from statements import check_statement
from strict_json import Refused, parse
from tlog import check_tlog_proof, follow_key


def content(path):
    with open(path, "rb") as file:
        return file.read()


def text(path):
    return content(path).decode("utf-8")


def object_in(path):
    value = parse(content(path))
    # The body of an answer, or its data alone.
    return value["data"] if "meta" in value else value


# A file says what strangers have written into it, and a terminal obeys control characters, those that turn the line around included:
# a name could show another verdict behind it.
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def say(what, text):
    print(f"{what}:", CONTROLS.sub("\ufffd", str(text)))


def of_test(environment):
    """Says of a file that it is of another environment than the live one, which names itself nowhere."""
    if environment is not None:
        say("remark", f"The file is of the {environment} environment, in which no license is sold.")


class Environments:
    """The environments that events name."""

    def __init__(self):
        self.named = set()

    def see(self, event):
        if "environment" in event:
            self.named.add(event["environment"])

    def say(self):
        for environment in sorted(self.named, key=str):
            of_test(environment)


def run_events(arguments, keys):
    environments = Environments()
    kept = [text(path) for path in arguments.checkpoint]
    verdict = check_events(lines_of(arguments.file), keys, kept, see=environments.see)
    environments.say()
    for one in verdict["checkpoints"]:
        if "revoked_at" in one:
            say("remark", f"the kept note of {one['tree_size']} events is of {one['kid']}, revoked at {one['revoked_at']}")
    for epoch, first, restored in verdict["epochs"][1:]:
        say("remark", f"epoch {epoch} begins with event {first}, after what was restored: the events up to {restored}")
    last = verdict["checkpoints"][-1]
    return f"{verdict['events']} events of {last['origin']}, {verdict['erased']} personal values erased"


def run_answer(arguments, keys):
    nonce, code, allow_test = arguments.nonce, arguments.product_code, arguments.allow_test
    data, kid = check_answer(content(arguments.file), keys, arguments.now, nonce, code, allow_test=allow_test)
    of_test(data.get("environment"))
    return f"{data.get('status', 'data')} signed by {kid}"


def run_offline(arguments, keys):
    envelope = object_in(arguments.file)
    now, counter = arguments.now, arguments.last_counter
    data = check_offline(
        envelope, arguments.license_key, arguments.device_id, keys, now, counter, fingerprint=arguments.fingerprint,
        allow_test=arguments.allow_test
    )
    of_test(data.get("environment"))
    return f"{data['status']} until {data['valid_until']}, counter {data['offline_counter']}"


def run_delivery(arguments, _keys):
    headers = parse(content(arguments.headers))
    event = check_delivery(content(arguments.file), headers, arguments.secret, arguments.now, arguments.tolerance)
    of_test(event.get("environment"))
    return f"{event['type']} {event['id']}"


def run_proof(arguments, keys):
    event = object_in(arguments.event)
    note = check_proof(event, object_in(arguments.proof), keys)
    of_test(event.get("environment"))
    return f"the event is among the first {note['tree_size']} of {note['origin']}"


def run_tlog_proof(arguments, keys):
    event, note = check_tlog_proof(text(arguments.file), keys)
    of_test(event.get("environment"))
    return f"event {event['sequence']}, {event['event_type']}, is among the first {note['tree_size']} of {note['origin']}"


def run_receipt(arguments, keys):
    leaf, note = check_receipt(
        content(arguments.file), keys, arguments.event_id, arguments.license_id, allow_test=arguments.allow_test
    )
    of_test(leaf.get("environment"))
    return f"event {leaf['sequence']}, a use of {leaf['data']['amount']}, is among the first {note['tree_size']} of {note['origin']}"


def run_license(arguments, keys):
    pages = [object_in(path) for path in arguments.page]
    note, count, begins, last = check_pages(pages, keys, None if arguments.from_start else UNKNOWN)
    if begins is not UNKNOWN and begins["sequence"]:
        say("remark", f"the first one follows event {begins['sequence']} of the license")
    environments = Environments()
    for page in pages:
        for one in page["events"]:
            environments.see(one["event"])
    environments.say()
    end = "none" if last is UNKNOWN else f"the last is event {last['sequence']}"
    return f"{count} events of {pages[0]['license_id']} among {note['tree_size']} of {note['origin']}, {end}"


class NotProven(Exception):
    """What was found, where something that is needed is not proven."""


def snapshot_in(given, keys):
    """The snapshot of a statement, however it is given. What is beside it in an archive is checked too."""
    if is_pdf(given):
        attached = attachment(given)
        if attached is None:
            raise Refused("malformed", "no snapshot is attached to the document")
        return attached
    if not is_archive(given):
        return given
    download, manifest, snapshot = archive(given)
    check_export(download, manifest, keys, snapshot)
    return download if snapshot is None else snapshot


def run_statement(arguments, keys):
    given = content(arguments.file)
    found = check_statement(snapshot_in(given, keys), keys)
    of_test(found.environment)
    say("remark", f"the vendor's word alone: {', '.join(found.words)}")
    lacks = list(found.lacks)
    if is_pdf(given):
        lacks.insert(0, "the pages of the document: what is said is of the file that is attached to it")
    for what in lacks:
        say("remark", f"not proven is {what}")
    said = f"{found.rows} rows follow from {found.events} events among {found.note['tree_size']} of {found.note['origin']}"
    # The manifest of an archive, which is verified, is the vendor's signed word of every byte.
    if lacks and not is_archive(given):
        raise NotProven(said)
    return said


def run_growth(arguments, keys):
    note = check_growth(text(arguments.older), text(arguments.newer), object_in(arguments.proof), keys)
    return f"the log of {note['tree_size']} events begins with the older one"


def export_in(path):
    """The download, the manifest and the snapshot of an export, in an archive or a directory."""
    if not os.path.isdir(path):
        return archive(content(path))
    manifest_body = content(os.path.join(path, "manifest.json"))
    name = os.path.basename(parse(manifest_body)["data"]["file_name"])
    beside = os.path.join(path, "snapshot.json")
    return content(os.path.join(path, name)), manifest_body, content(beside) if os.path.exists(beside) else None


def run_exports(arguments, keys):
    found, environments = [], Environments()
    for directory in arguments.directory:
        try:
            download, manifest_body, snapshot_content = export_in(directory)
            manifest, snapshot = check_export(download, manifest_body, keys, snapshot_content)
            environments.see(manifest)
            if snapshot is None:
                raise Refused("malformed", "a snapshot is needed to check its figures")
        except Refused as refused:
            raise Refused(refused.code, f"{directory}: {refused.detail}") from None
        found.append((snapshot["as_of_sequence"], directory, snapshot))
    found.sort(key=lambda one: one[0])
    sizes = {snapshot["checkpoint"]["tree_size"] for _, _, snapshot in found if "checkpoint" in snapshot}
    ledger, tree, roots, compared = Ledger(), Tree(), {}, 0

    def compare():
        nonlocal compared
        while compared < len(found) and found[compared][0] <= ledger.sequence:
            _, directory, snapshot = found[compared]
            try:
                check_figures(ledger, snapshot, roots)
            except Refused as refused:
                raise Refused(refused.code, f"{directory}: {refused.detail}") from None
            compared += 1

    def see(event):
        environments.see(event)
        ledger.see(event)
        tree.append(leaf_hash(event)[0])
        if tree.size in sizes:
            roots[tree.size] = tree.root().hex()
        compare()

    compare()
    verdict = check_events(lines_of(arguments.file), keys, see=see)
    if compared < len(found):
        raise Refused("truncated", f"{found[compared][1]} is of event {found[compared][0]}, the feed ends before")
    environments.say()
    return f"{len(found)} exports, each figure as {verdict['events']} events tell it"


def judge(check):
    """`verified`, or why not; with the sequence of the event that is to blame."""
    try:
        check()
    except Refused as refused:
        return refused.code, refused.sequence
    return "verified", None


def _changed(value, path, change):
    """A value that is another at a place, or has nothing there."""
    if not path:
        return change["value"]
    copy = value[:] if isinstance(value, list) else dict(value)
    if len(path) > 1:
        copy[path[0]] = _changed(copy[path[0]], path[1:], change)
    elif "value" in change:
        copy[path[0]] = change["value"]
    else:
        del copy[path[0]]
    return copy


def forge(forged, keys, hold):
    """Nothing that a forger changes is proven, unless it is named as the vendor's word."""

    def found(statement):
        return check_statement(json.dumps(statement).encode(), keys)

    genuine = found(forged["genuine"])
    if genuine.lacks:
        raise Refused("lacks", f"the genuine statement lacks {genuine.lacks}")

    def is_word(path):
        place = "".join("[]" if isinstance(part, int) else f".{part}" for part in path)[1:]
        return any(f"{place}.".startswith(f"{word}.") or place.startswith(f"{word}[") or word.startswith(f"{place}.") or
                   word.startswith(f"{place}[") for word in genuine.words)

    for one in forged["forgeries"]:
        def forgery(one=one):
            statement = forged["genuine"]
            for change in one["changes"]:
                statement = _changed(statement, change["path"], change)
            if not found(statement).lacks and not all(is_word(change["path"]) for change in one["changes"]):
                raise Refused("forged", "it passes for genuine")
        if judge(forgery)[0] == "forged":
            hold(one["name"], "refused", None, forgery)


def run_vectors(arguments, _keys):
    """Judges every published vector, and holds the verdicts to those that are published with them."""
    wrong, count = [], 0

    def file(name):
        return parse(content(os.path.join(arguments.directory, name)))

    def hold(name, expected, sequence, check):
        nonlocal count
        count += 1
        said = judge(check)
        if said != (expected, sequence):
            wrong.append(f"{name}: {said[0]} {said[1] or ''}, and not {expected} {sequence or ''}")

    given = file("events.verdicts.json")
    for one in given["cases"]:
        lines = one["export"].encode().split(b"\n")
        notes = one.get("notes", [])
        hold(one["name"], one["expected"], one.get("sequence"), lambda: check_events(lines, Keys(given["keys"]), notes))
    path = os.path.join(arguments.directory, "events.ndjson")
    hold("events.ndjson", "verified", None, lambda: check_events(lines_of(path), Keys(file("events.keys.json"))))

    kinds = os.path.join(arguments.directory, "events-kinds.ndjson")
    hold("events-kinds.ndjson", "verified", None, lambda: check_events(lines_of(kinds), Keys(file("events.keys.json"))))

    path = os.path.join(arguments.directory, "events-restored.ndjson")
    hold("events-restored.ndjson", "verified", None, lambda: check_events(lines_of(path), Keys(file("events.keys.json"))))
    for one in file("events-restored.notes.json"):
        verdict, keys = one["verdict"], Keys(file("events.keys.json"))
        expected = "verified" if verdict["ok"] else verdict["fault"]
        name = f"events-restored.ndjson beside a note {one['title']}"
        hold(name, expected, verdict.get("sequence"), lambda: check_events(lines_of(path), keys, [one["note"]]))

    given = file("license-chains.json")
    for one in given["cases"]:
        after = one["after"] if "after" in one else UNKNOWN
        hold(one["name"], one["expected"], one.get("sequence"), lambda: check_license(
            one["events"], given["license_id"], after
        ))

    given = file("merkle.json")
    leaves = [sha256(b"\0", bytes.fromhex(one)) for one in given["leaves_hex"]]
    roots = [bytes.fromhex(one) for one in (given["empty_root"], *given["roots"])]

    def check_roots():
        tree = Tree()
        for size, root in enumerate(roots):
            if size:
                tree.append(leaves[size - 1])
            if tree.root() != root:
                raise Refused("rewritten", f"the tree of {size} leaves has another root")

    hold("merkle.json", "verified", None, check_roots)
    for one in given["inclusion"]:
        index, size, hashes = one["index"], one["size"], [bytes.fromhex(each) for each in one["hashes"]]
        name = f"merkle.json, leaf {index} in {size}"
        hold(name, "verified", None, lambda: check_inclusion(leaves[index], index, size, hashes, roots[size]))
    for one in given["consistency"]:
        first, second, hashes = one["first"], one["second"], [bytes.fromhex(each) for each in one["hashes"]]
        name = f"merkle.json, {first} leaves and {second}"
        hold(name, "verified", None, lambda: check_consistency(first, second, hashes, roots[first], roots[second]))

    given = file("envelopes.json")
    for one in given["cases"]:
        now, nonce, code = instant(one["now"]), one["nonce"], one["product_code"]
        hold(one["name"], one["expected"], None, lambda: check_answer(
            one["body"], Keys(given["keys"]), now, nonce, code, allow_test=one.get("allow_test", False)
        ))

    given = file("refusals.json")
    for one in given["cases"]:
        asked = one["nonce"], one["license_key"], one["request"], one.get("allow_test", False)
        hold(one["name"], one["expected"], None, lambda: check_refusal(one["body"], Keys(given["keys"]), *asked))

    given = file("receipts.json")
    for one in given["cases"]:
        expected = one["event_id"], one["license_id"], one["nonce"], one.get("allow_test", False)
        hold(one["name"], one["expected"], None, lambda: check_receipt(one["body"], Keys(given["keys"]), *expected))

    given = file("log-keys.json")
    for one in given["cases"]:
        def follow(one=one):
            keys = Keys(one["keys"])
            for proof in one["proofs"]:
                follow_key(proof, keys)
            if sorted([*keys.published, *keys.introduced]) != one.get("trusted"):
                raise Refused("other_keys", f"it trusts {[*keys.published, *keys.introduced]}")
        hold(one["name"], one["expected"], None, follow)
    followed = Keys(given["cases"][0]["keys"])
    follow_key(given["cases"][0]["proofs"][0], followed)
    for one in given["notes"]:
        hold(one["name"], one["expected"], None, lambda: check_note(one["note"], followed))
    hold("the proof of an event", "verified", None, lambda: check_tlog_proof(given["cases"][0]["proofs"][0], followed))

    given = file("statements.json")
    for one in given["cases"]:
        def statement(one=one):
            found = check_statement(one["statement"].encode(), Keys({"data": given["keys"]}))
            if set(found.ends.values()) != ({one["ends"]} if "ends" in one else set()):
                raise Refused("ends", f"the chains end {found.ends}")
            if bool(found.lacks) != (one.get("ends") != "closed" or "lacks" in one):
                raise Refused("lacks", f"it lacks {found.lacks}")
        hold(one["name"], one["expected"], one.get("sequence"), statement)
    forge(given["forged"], Keys({"data": given["keys"]}), hold)

    given = file("offline.json")
    keys = Keys({"data": given["public_keys"]})
    for one in given["cases"]:
        now, fingerprint = instant(one["now"]), one.get("fingerprint")
        device = None if fingerprint is not None else one.get("device_id", given["device_id"])
        hold(one["name"], one["expected"], None, lambda: check_offline(
            one["envelope"], one.get("license_key", given["license_key_as_typed"]), device, keys, now,
            one.get("last_counter"), one.get("revocations"), one.get("product_code"), fingerprint=fingerprint,
            allow_test=one.get("allow_test", False)
        ))

    given = file("deliveries.json")
    for one in given["cases"]:
        hold(one["name"], one["expected"], None, lambda: check_delivery(
            one["body"].encode(), one["headers"], one["secrets"], one["now"], given["tolerance"]
        ))

    if wrong:
        raise Refused("vectors", "; ".join(wrong))
    return f"{count} vectors judged as they say"


def moment(text):
    """A date-time that a person wrote, with or without fractions of a second, as Unix seconds."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, run, *positional, keys=True):
        added = commands.add_parser(name)
        added.set_defaults(run=run, keys=None)
        for one in positional:
            added.add_argument(one)
        if keys:
            added.add_argument("--keys", required=True)
            added.add_argument("--key-event", action="append", default=[])
        added.add_argument("--now", type=moment, default=time.time())
        return added

    command("events", run_events, "file").add_argument("--checkpoint", action="append", default=[])
    answer = command("answer", run_answer, "file")
    answer.add_argument("--nonce")
    answer.add_argument("--product-code")
    answer.add_argument("--allow-test", action="store_true")
    offline = command("offline", run_offline, "file")
    offline.add_argument("--license-key", required=True)
    bound = offline.add_mutually_exclusive_group(required=True)
    bound.add_argument("--device-id")
    bound.add_argument("--fingerprint")
    offline.add_argument("--last-counter", type=int)
    offline.add_argument("--allow-test", action="store_true")
    delivery = command("delivery", run_delivery, "file", keys=False)
    delivery.add_argument("--headers", required=True)
    delivery.add_argument("--secret", action="append", required=True)
    delivery.add_argument("--tolerance", type=float, default=300)
    proof = command("proof", run_proof)
    proof.add_argument("--event", required=True)
    proof.add_argument("--proof", required=True)
    command("tlog-proof", run_tlog_proof, "file")
    receipt = command("receipt", run_receipt, "file")
    receipt.add_argument("--event-id")
    receipt.add_argument("--license-id")
    receipt.add_argument("--allow-test", action="store_true")
    chain = command("license", run_license)
    chain.add_argument("page", nargs="+")
    chain.add_argument("--from-start", action="store_true")
    command("statement", run_statement, "file")
    command("growth", run_growth, "older", "newer").add_argument("--proof", required=True)
    command("exports", run_exports, "file").add_argument("directory", nargs="*")
    command("vectors", run_vectors, "directory", keys=False)

    arguments = parser.parse_args()
    try:
        keys = Keys.read(arguments.keys) if arguments.keys else None
        for path in arguments.key_event if keys else []:
            follow_key(text(path), keys)
        say("verified", arguments.run(arguments, keys))
        return 0
    except NotProven as found:
        say("not proven", found)
        return 3
    except Refused as refused:
        if refused.code == "nothing_proven":
            say("not proven", refused.detail)
            return 3
        say("not verified", refused)
    except (OSError, KeyError, TypeError, ValueError) as error:
        say("not verified", f"malformed: {type(error).__name__}: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
