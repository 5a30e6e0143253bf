"""The events of one license, without the others (docs/reference/events.md, "A license's own chain")."""

from log import check_inclusion, check_unrevoked, leaf_hash, sha256
from strict_json import Refused

# Nobody knows what comes before the first event.
UNKNOWN = object()
# What the first event of a license names.
START = {"hash": "0" * 64, "sequence": 0}


def _own(event, license_id):
    """Checks an event by itself."""
    sequence = event["sequence"]
    try:
        leaf, unopened = leaf_hash(event)
        computed = sha256(bytes.fromhex(event["previous_hash"]), leaf).hex()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("altered", f"it cannot be read: {error}", sequence) from None
    if computed != event.get("hash"):
        raise Refused("altered", "its hash does not follow from its content", sequence)
    if unopened is not None:
        raise Refused("commitment_mismatch", f"what is shown at {unopened} was not committed to", sequence)
    about = event.get("license_id", event.get("resource_id") if event.get("resource_type") == "license" else None)
    if about != license_id:
        raise Refused("other_license", f"it is not about {license_id}", sequence)


def check_license(events, license_id, after=UNKNOWN):
    """Answers the event that the first one follows, and the last one. `after` is None at the beginning of the license."""
    after = START if after is None else after
    last, begins, linked, missing = after, after, False, None
    for event in events:
        sequence = event.get("sequence") if isinstance(event, dict) else None
        if missing:
            if sequence == missing.sequence:
                raise Refused("reordered", "it stands after a later event", sequence)
            continue
        place = last["sequence"] if last is not UNKNOWN else 0
        if type(sequence) is not int:
            raise Refused("altered", "it is not an event with a sequence", place + 1)
        if sequence <= place:
            raise Refused("inserted", f"it stands after event {place}", sequence)
        _own(event, license_id)
        if "previous_of_license" not in event:
            if linked:
                raise Refused("altered", "it names no previous event, as those before it do", sequence)
        else:
            linked, named = True, event["previous_of_license"]
            claimed = named["sequence"]
            if last is UNKNOWN:
                begins = named
            elif claimed > place:
                missing = Refused("missing", f"event {sequence} names it", claimed)
            elif claimed < place:
                raise Refused("inserted", f"event {sequence} does not name it", place)
            elif named["hash"] != last["hash"]:
                raise Refused("altered", f"event {sequence} names another event", place)
        last = {"hash": event["hash"], "sequence": sequence}
    if missing:
        raise missing
    return begins, last


def check_pages(pages, keys, after=UNKNOWN):
    """Verifies pages of `GET /api/v1/events/chain`, all proven in one note. Answers the note, the count, and both ends."""
    note = check_unrevoked(pages[0]["checkpoint"]["note"], keys)
    license_id = pages[0]["license_id"]
    proven = [one for page in pages for one in page["events"]]
    begins, last = check_license([one["event"] for one in proven], license_id, after)
    root = bytes.fromhex(note["root_hash"])
    for one in proven:
        sequence, hashes = one["event"]["sequence"], [bytes.fromhex(each) for each in one["hashes"]]
        try:
            check_inclusion(leaf_hash(one["event"])[0], sequence - 1, note["tree_size"], hashes, root)
        except Refused as refused:
            raise Refused("not_in_log", refused.detail, sequence) from None
    return note, len(proven), begins, last
