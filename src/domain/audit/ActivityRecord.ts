import { Schema } from "effect"
import { field } from "../wire/Fields.ts"
import { Activity } from "./Activity.ts"

/** An activity by itself, with the resource as it was then. */
export const ActivityRecord = Schema.Struct({
  ...Activity.fields,
  resource: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description:
        "The resource as the activity left it, or the part of it that changed; absent for a refusal. Erased values are absent.",
      examples: [{ id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" }]
    })
  ),
  license: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description:
        "The whole license as it was right after the activity, where `resource` is only a part or a device of it.",
      examples: [{ id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "active" }]
    })
  ),
  is_erased: field(Schema.Boolean, "Whether personal values of the event were erased since.")
}).annotate({
  identifier: "ActivityRecord",
  description: "An activity with what it changed, the names behind its IDs, and the resource as it was then.",
  examples: [{
    id: "act_06eqpx1trxz3h94vqjm3a6kz7c",
    occurred_at: "2026-11-21T10:30:00.000Z",
    action: "license.suspended",
    source: "management",
    actor_type: "person",
    actor_id: "per_06eqpx1trxz3h94vqjm3a6kz7c",
    result_class: "success",
    status_code: 200,
    resource_type: "license",
    resource_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c",
    audit_event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    reason: "Chargeback in_77",
    actor_name: "Jun Sato",
    actor_roles: ["Support"],
    names: { product: "Acme Draft", policy: "Team, yearly", customer: "Ada Lovelace" },
    changes: [{ member: "status", before: "active", after: "suspended" }],
    resource: { id: "lic_06eqpx1trxz3h94vqjm3a6kz7c", status: "suspended" },
    is_erased: false
  }]
})
export type ActivityRecord = typeof ActivityRecord.Type
