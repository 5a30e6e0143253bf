"""The event feed as evidence: leaves, chain, tree, notes, proofs and exports (docs/reference/events.md)."""

import hashlib
import re
from datetime import datetime

import ed25519
from strict_json import Refused, canonical_bytes, decode_base64, parse


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def instant(text):
    """An RFC 3339 date-time in UTC with milliseconds, as the service writes them, as Unix seconds."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z", text):
        raise ValueError("it is no instant")
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# --- Leaves and the chain


def _place(event, pointer):
    """The container and the name that a pointer of `commitments` leads to; the container is None when it is not there."""
    if pointer != "/ip_address" and not re.match(r"/(data|metadata)/.", pointer):
        raise ValueError(f"the pointer {pointer} leads to nothing personal")
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]
    container = event
    for token in tokens[:-1]:
        if isinstance(container, list) and token.isdigit() and int(token) < len(container):
            container = container[int(token)]
        else:
            container = container.get(token) if isinstance(container, dict) else None
    return (container if isinstance(container, dict) else None), tokens[-1]


def _copy(value):
    if isinstance(value, dict):
        return {name: _copy(member) for name, member in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def leaf_hash(event):
    """The leaf hash of an event as it is served, and the pointer of the first commitment that is not opened."""
    leaf = {name: _copy(member) for name, member in event.items() if name not in ("hash", "previous_hash", "salts")}
    commitments, salts = event.get("commitments", {}), event.get("salts", {})
    unopened = next((pointer for pointer in salts if pointer not in commitments), None)
    for pointer, committed in commitments.items():
        container, name = _place(leaf, pointer)
        shown = container is not None and name in container
        if shown or pointer in salts:
            opened = False
            if shown and pointer in salts:
                try:
                    digest = sha256(decode_base64(salts[pointer], 16), canonical_bytes(container[name]))
                    opened = digest == decode_base64(committed)
                except ValueError:
                    pass
            if not opened and unopened is None:
                unopened = pointer
        if shown:
            del container[name]
    return sha256(b"\0", canonical_bytes(leaf)), unopened


def erased_in(event):
    return len(event.get("commitments", {})) - len(event.get("salts", {}))


# --- The tree (RFC 6962)


class Tree:
    """The root of a growing tree, in memory that does not grow with it."""

    def __init__(self):
        self.size = 0
        self._peaks = []

    def append(self, leaf):
        self._peaks.append(leaf)
        self.size += 1
        count = self.size
        while count % 2 == 0:
            right = self._peaks.pop()
            self._peaks.append(sha256(b"\1", self._peaks.pop(), right))
            count //= 2

    def root(self):
        if not self._peaks:
            return sha256()
        root = self._peaks[-1]
        for left in reversed(self._peaks[:-1]):
            root = sha256(b"\1", left, root)
        return root


def check_inclusion(leaf, index, size, hashes, root):
    """RFC 9162 section 2.1.3.2."""
    if not 0 <= index < size:
        raise Refused("malformed", "the leaf is not in a tree of this size")
    fn, sn, r = index, size - 1, leaf
    for p in hashes:
        if sn == 0:
            raise Refused("proof_mismatch", "the proof is too long")
        if fn & 1 or fn == sn:
            r = sha256(b"\1", p, r)
            while fn and not fn & 1:
                fn >>= 1
                sn >>= 1
        else:
            r = sha256(b"\1", r, p)
        fn >>= 1
        sn >>= 1
    if sn or r != root:
        raise Refused("proof_mismatch", "the event is not in this tree")


def check_consistency(first, second, hashes, first_root, second_root):
    """RFC 9162 section 2.1.4.2."""
    if not 0 < first <= second:
        raise Refused("malformed", "the first tree is not the smaller one")
    if first == second:
        if hashes or first_root != second_root:
            raise Refused("proof_mismatch", "two trees of one size have two roots")
        return
    if not hashes:
        raise Refused("proof_mismatch", "the proof is empty")
    path = list(hashes)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn >>= 1
        sn >>= 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            raise Refused("proof_mismatch", "the proof is too long")
        if fn & 1 or fn == sn:
            fr, sr = sha256(b"\1", c, fr), sha256(b"\1", c, sr)
            while fn and not fn & 1:
                fn >>= 1
                sn >>= 1
        else:
            sr = sha256(b"\1", sr, c)
        fn >>= 1
        sn >>= 1
    if sn or fr != first_root or sr != second_root:
        raise Refused("proof_mismatch", "the second tree does not begin with the first")


# --- Notes


def read_note(note):
    """The parts of a note of which nothing is verified: its text, origin, size, root, and its lines as (name, key ID, signature)."""

    def malformed():
        return Refused("checkpoint_malformed", "the checkpoint cannot be read")

    if not isinstance(note, str) or not note.endswith("\n") or re.search(r"[\0-\x09\x0b-\x1f]", note):
        raise malformed()
    text, gap, block = note.rpartition("\n\n")
    lines = text.split("\n")
    if not gap or len(lines) < 3 or "" in lines or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]):
        raise malformed()
    signatures = []
    try:
        root = decode_base64(lines[2], 32)
        for line in block[:-1].split("\n"):
            dash, name, encoded = line.split(" ")
            signed = decode_base64(encoded)
            if dash != "\u2014" or not name or len(signed) < 5:
                raise malformed()
            signatures.append((name, signed[:4], signed[4:]))
    except ValueError:
        raise malformed() from None
    return text + "\n", lines[0], int(lines[1]), root, signatures


def signed_by(key, kid, text, origin, signatures):
    """Whether a key has lines on a note, all of which verify, and the time that one says; Refused where one does not."""
    plain, timed = (sha256(f"{origin}\n".encode(), bytes([kind]), key)[:4] for kind in (1, 4))
    found, time = False, None
    for name, key_id, signature in signatures:
        if name != origin or key_id not in (plain, timed):
            continue
        found, message = True, text
        if key_id == timed:
            time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            message = f"cosignature/v1\ntime {time}\n{text}"
        if not ed25519.verify(key, message.encode(), signature):
            raise Refused("signature_mismatch", f"the checkpoint is not what {kid} signed")
    return found, time


def check_note(note, keys):
    """Verifies the note of a checkpoint: `{origin, tree_size, root_hash, kid}`, with `time` and `revoked_at` if any."""
    text, origin, size, root, signatures = read_note(note)
    # A checkpoint that several keys have signed is that of the newest one.
    known = [(kid, key, None) for kid, key in reversed(keys.introduced_in(origin, size))]
    known += [(kid, key, None) for kid, key in keys.published.items()]
    known += [(kid, key, revoked_at) for kid, (key, revoked_at) in keys.revoked.items()]
    for kid, key, revoked_at in known:
        found, time = signed_by(key, kid, text, origin, signatures)
        if not found:
            continue
        if revoked_at is not None and (time is None or time >= instant(revoked_at)):
            raise Refused("revoked_key", f"{kid} was revoked at {revoked_at}, and the note does not say an earlier time")
        known_as = {"origin": origin, "tree_size": size, "root_hash": root.hex(), "kid": kid}
        if time is not None:
            known_as["time"] = time
        return known_as if revoked_at is None else {**known_as, "revoked_at": revoked_at}
    raise Refused("unknown_key", f"the checkpoint of {size} events is signed with none of the keys")


# --- Epochs


def epoch_of(origin):
    """The log that an origin names, and the epoch of it."""
    found = re.fullmatch(r"(.+)/epoch/([1-9][0-9]*)", origin)
    return (found[1], int(found[2])) if found else (origin, 1)


def one_log(notes):
    """The log that all notes are of, in whatever epoch; None without a note."""
    logs = [epoch_of(note["origin"])[0] for note in notes]
    for log in logs:
        if log != logs[0]:
            raise Refused("other_log", f"one note is of {logs[0]}, another of {log}")
    return logs[0] if logs else None


class Epochs:
    """The epochs of a log as its own events tell of them."""

    def __init__(self):
        # Of each its number and its first event, and the last event that was restored for it.
        self.begun = [(1, 1, 0)]

    def see(self, event):
        data = event.get("data") if event.get("event_type") == "log.epoch_started" else None
        if not isinstance(data, dict) or data.get("first_sequence") != event["sequence"]:
            return
        epoch, restored = data.get("epoch"), data.get("restored_sequence")
        if type(epoch) is int and type(restored) is int and epoch > self.begun[-1][0]:
            self.begun.append((epoch, event["sequence"], restored))

    def _here(self, note):
        """The epoch of the last event that a note covers, as far as events are here."""
        return [epoch for epoch, first, _ in self.begun if first <= max(1, note["tree_size"])][-1]

    def is_of_here(self, note):
        """Whether a note is of the epoch that its last event has here. To be asked once that event was seen."""
        return epoch_of(note["origin"])[1] == self._here(note)

    def lost_from(self, note):
        """The first event that a note of a lost part covers and that is another one here; None when it is of none."""
        epoch = epoch_of(note["origin"])[1]
        if epoch not in [known for known, _, _ in self.begun]:
            # It was left out, and nobody knows where it began; or it is one that no event begins.
            return 1 if epoch < self.begun[-1][0] else None
        if epoch >= self._here(note):
            return None
        return next(restored for later, _, restored in self.begun if later > epoch) + 1


# --- Exports


def lines_of(path):
    """The lines of a file, as bytes without their line ends, and an empty one last when the last line has an end."""
    with open(path, "rb") as file:
        rest = b""
        while chunk := file.read(1 << 20):
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
    yield rest


def check_events(lines, keys, notes=(), see=lambda event: None):
    """
    Verifies the lines of an export, with notes that were kept from before. Calls `see` with each event, in order, once
    it follows from the ones before; only when this returns were all of them signed. Answers a summary, or raises
    Refused.
    """
    kept = [check_note(note, keys) for note in notes]
    one_log(kept)
    tree, epochs, previous, erased, agreed = Tree(), Epochs(), "0" * 64, 0, 0
    missing = last = None
    ended = False

    def agree():
        nonlocal agreed
        notes = [*kept, last] if last else kept
        here = [one for one in notes if one["tree_size"] == tree.size and epochs.is_of_here(one)]
        if any(one["root_hash"] != tree.root().hex() for one in here):
            raise Refused("rewritten", "the events are chained, but they are not those that were signed", agreed + 1)
        if here:
            agreed = tree.size

    for line in lines:
        expected = tree.size + 1
        if ended:
            if missing:
                raise missing
            raise Refused("altered", "the export has an empty line", expected)
        if line == b"":
            ended = True
            continue
        if last:
            raise Refused("checkpoint_malformed", "the checkpoint is not the last line, and the only one")
        try:
            value = parse(line)
        except ValueError as error:
            if missing:
                continue
            raise Refused("altered", f"the line cannot be read: {error}", expected) from None
        if isinstance(value, dict) and list(value) == ["checkpoint"]:
            if missing:
                continue
            beside = value["checkpoint"] if isinstance(value["checkpoint"], dict) else {}
            found = check_note(beside.get("note"), keys)
            one_log([*kept, found])
            for name in ("origin", "tree_size", "root_hash", "kid"):
                if name in beside and beside[name] != found[name]:
                    raise Refused("checkpoint_malformed", f"{name} of the checkpoint is not what its note says")
            same = [one for one in kept if (one["tree_size"], one["root_hash"]) == (found["tree_size"], found["root_hash"])]
            if "revoked_at" in found and not same:
                raise Refused("revoked_key", f"{found['kid']} was revoked at {found['revoked_at']}; nobody kept the note")
            last = found
            if found["tree_size"] < tree.size:
                raise Refused("inserted", f"the checkpoint covers {found['tree_size']} events", found["tree_size"] + 1)
            agree()
            continue
        sequence = value.get("sequence") if isinstance(value, dict) else None
        if missing:
            if sequence == missing.sequence:
                raise Refused("reordered", "it stands after a later event", sequence)
            continue
        if type(sequence) is not int:
            raise Refused("altered", "it is not an event with a sequence", expected)
        if sequence > expected:
            missing = Refused("missing", f"event {sequence} stands in its place", expected)
            continue
        if sequence < expected:
            raise Refused("inserted", f"it stands after event {expected - 1}", sequence)
        try:
            leaf, unopened = leaf_hash(value)
        except (AttributeError, TypeError, ValueError) as error:
            raise Refused("altered", f"it cannot be read: {error}", expected) from None
        if value.get("previous_hash") != previous:
            raise Refused("altered", "it does not follow the event before", expected)
        computed = sha256(bytes.fromhex(previous), leaf).hex()
        if value.get("hash") != computed:
            raise Refused("altered", "its hash does not follow from its content", expected)
        if unopened is not None:
            raise Refused("commitment_mismatch", f"what is shown at {unopened} was not committed to", expected)
        previous = computed
        erased += erased_in(value)
        tree.append(leaf)
        epochs.see(value)
        agree()
        see(value)
    if missing:
        raise missing
    notes = sorted([*kept, last] if last else kept, key=lambda one: one["tree_size"])
    lost = [(epochs.lost_from(one), one) for one in notes if epochs.lost_from(one) is not None]
    checkpoints = [one for one in notes if epochs.lost_from(one) is None]
    if not checkpoints:
        raise Refused("no_checkpoint", "nothing vouches for the events")
    if checkpoints[-1]["tree_size"] > tree.size:
        raise Refused("truncated", f"the checkpoint covers {checkpoints[-1]['tree_size']} events", tree.size + 1)
    for one in checkpoints:
        if not epochs.is_of_here(one):
            raise Refused("other_log", f"a note is of {one['origin']}, and no event begins that epoch for it")
    if agreed < tree.size:
        raise Refused("no_checkpoint", "no checkpoint covers the events from here on", agreed + 1)
    if lost:
        first, one = min(lost, key=lambda pair: pair[0])
        covers = f"a note of {one['origin']} covers {one['tree_size']} events"
        raise Refused("lost_part", f"{covers}; those from here on were lost when the log was restored", first)
    return {"events": tree.size, "erased": erased, "checkpoints": checkpoints, "epochs": epochs.begun}


def check_unrevoked(note, keys):
    """A note of which no other is kept: one that a revoked key signed proves nothing."""
    found = check_note(note, keys)
    if "revoked_at" in found:
        raise Refused("revoked_key", f"{found['kid']} was revoked at {found['revoked_at']}")
    return found


def check_proof(event, proof, keys):
    """That an event is in the tree of a note: `data` of GET .../proof with its `checkpoint`, and the event."""
    note = check_unrevoked(proof["checkpoint"]["note"], keys)
    leaf, unopened = leaf_hash(event)
    if unopened is not None:
        raise Refused("commitment_mismatch", f"what is shown at {unopened} was not committed to", event["sequence"])
    hashes = [bytes.fromhex(one) for one in proof["hashes"]]
    check_inclusion(leaf, event["sequence"] - 1, note["tree_size"], hashes, bytes.fromhex(note["root_hash"]))
    return note


def check_growth(older, newer, proof, keys):
    """That the tree of a newer note begins with that of an older one, by `data` of GET .../consistency."""
    # A revoked key vouches for what was kept, and for nothing that came after it.
    first, second = check_note(older, keys), check_note(newer, keys) if newer == older else check_unrevoked(newer, keys)
    one_log([first, second])
    if epoch_of(first["origin"])[1] > epoch_of(second["origin"])[1]:
        raise Refused("malformed", "the older note is of a later epoch")
    hashes = [bytes.fromhex(one) for one in proof["hashes"]]
    roots = [bytes.fromhex(one["root_hash"]) for one in (first, second)]
    check_consistency(first["tree_size"], second["tree_size"], hashes, *roots)
    return second
