import { Schema } from "effect"
import { exampleOf, field, optional } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { Event } from "../../log/Event.ts"
import { Checkpoint, InclusionProof } from "./Checkpoint.ts"

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
