import { Schema } from "effect"
import { bigCount, CreatedAt, field, Metadata, optional } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { environmentMember } from "../ground/wire/Signed.ts"
import { AuditActorType, EventKindSchema } from "./EventKind.ts"

/** The event before this one of the same license. */
const LicenseLink = Schema.Struct({
  hash: field(Schema.String, "The `hash` of that event, 64 hexadecimal digits."),
  sequence: field(bigCount(0), "The `sequence` of that event; 0 before the first one.")
}).annotate({
  identifier: "LicenseLink",
  description: "The previous event of a license.",
  examples: [{ hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", sequence: 37 }]
})

/** A record of the audit-backed feed: the hashed leaf, the personal values that are left, and its place in the chain. */
export const Event = Schema.Struct({
  id: Id.text("evt"),
  ...environmentMember,
  sequence: field(bigCount(1), "The position in the feed: 1, 2, 3, ... without gaps."),
  event_type: EventKindSchema,
  actor_type: AuditActorType,
  actor_id: field(
    Schema.String,
    "The actor: the ID of the API key, of the person or of the license; `system` for the service."
  ),
  resource_type: field(Schema.String, "The type of the resource."),
  resource_id: optional(Schema.String, "The ID of the resource."),
  license_id: Schema.optionalKey(
    Id.text("lic").annotate({
      description:
        "The license that the event is about: the resource, or the license of the device, floating seat, note or " +
        "file. Absent where it is about none, and in older events."
    })
  ),
  previous_of_license: optional(
    LicenseLink,
    "The previous event of this license; sequence 0 and 64 zeros for its first. Present with `license_id`."
  ),
  metadata: Metadata,
  data: field(Schema.Record(Schema.String, Schema.Json), "The resource as the event left it."),
  request_id: optional(Schema.String, "The ID of the request. Include it when you contact support."),
  ip_address: optional(Schema.String, "The network address of the caller."),
  created_at: CreatedAt,
  commitments: optional(
    Schema.Record(Schema.String, Schema.String),
    "JSON Pointer to base64(SHA-256(salt || canonical JSON of the value)) for each personal value."
  ),
  salts: optional(
    Schema.Record(Schema.String, Schema.String),
    "JSON Pointer to the base64 salt of each personal value that has not been erased."
  ),
  previous_hash: field(Schema.String, "The `hash` of the previous event; 64 zeros for the first event."),
  hash: field(Schema.String, "SHA-256 of `previous_hash` and the leaf hash of the event, 64 hexadecimal digits.")
}).annotate({
  identifier: "Event",
  description: "An event of the feed.",
  examples: [{
    id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    sequence: 42,
    event_type: "license.suspended",
    actor_type: "api_key",
    actor_id: "key_06eqpx1trxz3h94vqjm3a6kz7c",
    resource_type: "license",
    resource_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    previous_of_license: {
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      sequence: 37
    },
    metadata: {},
    data: { id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" },
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c",
    created_at: "2026-11-21T10:30:00.000Z",
    previous_hash: "0000000000000000000000000000000000000000000000000000000000000000",
    hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b"
  }]
})
