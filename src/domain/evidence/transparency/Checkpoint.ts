import { Schema } from "effect"
import { bigCount, CreatedAt, exampleOf, field, optional } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { Event } from "../../log/Event.ts"

const hexHash = Schema.String.annotate({ description: "64 hexadecimal digits." })
const wholeNumber = bigCount(0)

/** The note of a checkpoint, as documents show it. */
export const exampleNote = "licenses.example.com/events/6d1f0a2b3c4d5e6f\n42\n" +
  "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" +
  "\u2014 licenses.example.com/events/6d1f0a2b3c4d5e6f " +
  "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
const root = "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"

/** The signature of a witness that is asked for it. */
const Cosignature = Schema.Struct({
  witness: field(Schema.String, "The name of the witness and the ID of its key, `<name>+<key id>`."),
  cosigned_at: field(CreatedAt, "When the witness signed, by its own clock.")
}).annotate({
  identifier: "EventCosignature",
  description: "The signature of a witness on a checkpoint.",
  examples: [{ witness: "witness.example.com/w1+7e6f4aaa", cosigned_at: "2026-11-21T10:30:01.000Z" }]
})

/** The root of the tree over the first `tree_size` events, signed. Only `note` is evidence; the rest is read from it. */
export const Checkpoint = Schema.Struct({
  origin: field(Schema.String, "The name of the log: the first line of the note. It never changes."),
  tree_size: field(wholeNumber, "The checkpoint covers the events from sequence 1 to this one."),
  root_hash: hexHash,
  created_at: CreatedAt,
  kid: field(Schema.String, "The signing key."),
  note: field(
    Schema.String,
    "The signed note (C2SP signed-note and tlog-checkpoint) that transparency-log tools read, with the signatures of witnesses."
  ),
  verifier_key: optional(
    Schema.String,
    "The key that verifies the note, as tools for signed notes and witnesses take it (C2SP signed-note, vkey)."
  ),
  cosignatures: optional(Schema.Array(Cosignature), "The witnesses whose signatures the note has."),
  cosigned_tree_size: optional(
    wholeNumber,
    "The events up to this sequence are covered by the newest checkpoint that enough witnesses have signed."
  )
}).annotate({
  identifier: "EventCheckpoint",
  description: "The signed root of the tree over the first events.",
  examples: [{
    origin: "licenses.example.com/events/6d1f0a2b3c4d5e6f",
    tree_size: 42,
    root_hash: root,
    created_at: "2026-11-21T10:30:00.000Z",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    note: exampleNote
  }]
})
export type Checkpoint = typeof Checkpoint.Type

const proofHashes = Schema.Array(Schema.String).annotate({
  description: "64 hexadecimal digits each, in RFC 6962 order."
})

/** That an event is in the tree of a size (RFC 6962 section 2.1.1). */
export const InclusionProof = Schema.Struct({
  event_id: Id.text("evt"),
  sequence: field(wholeNumber, "The position in the feed: 1, 2, 3, ... without gaps."),
  leaf_index: field(wholeNumber, "`sequence` - 1: leaf indexes start at 0."),
  leaf_hash: hexHash,
  tree_size: field(wholeNumber, "Number of events that the tree covers."),
  root_hash: hexHash,
  hashes: proofHashes,
  checkpoint: optional(Checkpoint, "The checkpoint of this size, if there is one."),
  tlog_proof: optional(
    Schema.String,
    "The same up to this checkpoint as a text that other tools verify (C2SP tlog-proof), with the leaf of the event as its extra data."
  )
}).annotate({
  identifier: "EventInclusionProof",
  description: "Proof that an event is in the log (RFC 6962).",
  examples: [{
    event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    sequence: 42,
    leaf_index: 41,
    leaf_hash: root,
    tree_size: 42,
    root_hash: root,
    hashes: [root]
  }]
})
export type InclusionProof = typeof InclusionProof.Type

/** That the tree of one size begins the tree of another (RFC 6962 section 2.1.2). */
export const ConsistencyProof = Schema.Struct({
  from: field(wholeNumber, "The smaller tree size."),
  to: field(wholeNumber, "The larger tree size."),
  from_root_hash: hexHash,
  to_root_hash: hexHash,
  hashes: proofHashes
}).annotate({
  identifier: "EventConsistencyProof",
  description: "Proof that a smaller log is the beginning of a larger one (RFC 6962).",
  examples: [{ from: 41, to: 42, from_root_hash: root, to_root_hash: root, hashes: [root] }]
})
export type ConsistencyProof = typeof ConsistencyProof.Type

const ProvenEvent = Schema.Struct({
  event: Event,
  hashes: InclusionProof.fields.hashes
}).annotate({
  identifier: "ProvenEvent",
  description: "An event with its audit path (RFC 6962): its leaf index is `sequence` - 1.",
  examples: [{ event: exampleOf(Event), hashes: exampleOf(InclusionProof).hashes }]
})

/** Events of one license, each with the proof that it is in the log. */
export const LicenseEvents = Schema.Struct({
  license_id: Id.text("lic"),
  events: field(Schema.Array(ProvenEvent), "The events, oldest first. Each names the previous event of the license."),
  checkpoint: Checkpoint,
  next_cursor: optional(
    Schema.String,
    "The `cursor` of the next page; absent on the last one that the checkpoint covers."
  )
}).annotate({
  identifier: "LicenseEvents",
  description: "Events of one license with proofs to one checkpoint.",
  examples: [{
    license_id: Id.exampleOf("lic"),
    events: [exampleOf(ProvenEvent)],
    checkpoint: exampleOf(Checkpoint),
    next_cursor: "42"
  }]
})
export type LicenseEvents = typeof LicenseEvents.Type
