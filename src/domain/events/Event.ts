import { Schema } from "effect"
import { bigCount, Metadata, Timestamp } from "../wire/Fields.ts"
import { AuditActorType, EventKindSchema } from "./EventKind.ts"

/** A record of the audit-backed feed: the hashed leaf, the personal values that are left, and its place in the chain. */
export const Event = Schema.Struct({
  id: Schema.String,
  sequence: bigCount(1),
  event_type: EventKindSchema,
  actor_type: AuditActorType,
  actor_id: Schema.String,
  resource_type: Schema.String,
  resource_id: Schema.optionalKey(Schema.String),
  metadata: Metadata,
  data: Schema.Record(Schema.String, Schema.Json).annotate({ description: "The resource as the event left it." }),
  request_id: Schema.optionalKey(Schema.String),
  ip_address: Schema.optionalKey(Schema.String),
  created_at: Timestamp,
  commitments: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "JSON Pointer to base64(SHA-256(salt || canonical JSON of the value)) for each personal value."
    })
  ),
  salts: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "JSON Pointer to the base64 salt of each personal value that has not been erased."
    })
  ),
  previous_hash: Schema.String,
  hash: Schema.String
}).annotate({
  identifier: "Event",
  examples: [{
    id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    sequence: 42,
    event_type: "license.suspended",
    actor_type: "api_key",
    actor_id: "key_06eqpx1trxz3h94vqjm3a6kz7c",
    resource_type: "license",
    resource_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    metadata: {},
    data: { id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" },
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c",
    created_at: "2026-11-21T10:30:00.000Z",
    previous_hash: "0000000000000000000000000000000000000000000000000000000000000000",
    hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b"
  }]
})
