import { activityIdOf, resultOf, sourceOf, statusOf, subjectOf } from "../../domain/evidence/audit/Activity.ts"
import type { ActivityResult, ActivitySource, ActivitySubject } from "../../domain/evidence/audit/Activity.ts"
import type { AuditActorType, EventKind } from "../../domain/log/EventKind.ts"
import { resourceTypeOf } from "../../domain/log/EventKind.ts"
import { givenReason } from "../../domain/log/GivenReason.ts"

/** An activity to be written; fields that its subject leaves out are taken from the license. */
export interface NewActivity extends ActivitySubject {
  readonly id: string
  readonly action: string
  readonly source: ActivitySource
  readonly actor_type: AuditActorType
  readonly actor_id: string
  readonly result_class: ActivityResult
  readonly status_code?: number
  readonly resource_type?: string
  readonly resource_id?: string
  readonly request_id?: string
  readonly audit_event_id?: string
  readonly reason?: string
}

/** The activity of an event; undefined for a metered use, which the usage ledger records. */
export const activityOf = (event: {
  readonly id: string
  readonly type: EventKind
  readonly resourceId: string
  readonly data: object
  readonly metadata?: object
  readonly actor: { readonly type: AuditActorType; readonly id: string }
  readonly requestId: string | undefined
}): NewActivity | undefined => {
  if (event.type === "license.usage_recorded") return undefined
  const reason = givenReason(event.metadata)
  return {
    ...subjectOf(event),
    id: activityIdOf(event.id),
    action: event.type,
    source: sourceOf(event.actor.type),
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    result_class: resultOf(event.type),
    ...(event.requestId === undefined ? {} : { status_code: statusOf(event.type), request_id: event.requestId }),
    resource_type: resourceTypeOf(event.type),
    resource_id: event.resourceId,
    audit_event_id: event.id,
    ...(reason === undefined ? {} : { reason })
  }
}

/**
 * The part after the last INSERT INTO of the statement that appends events: it writes activities at the transaction's time.
 * Its parameter, of this number, is a JSON array of {@link NewActivity}. Each license is looked up by its id: PostgreSQL takes
 * the array for 100 rows, and would read all licenses, where there are a few thousand, for the one that an event is of.
 */
export const insertedActivities = (parameter: number): string => `
  activities (id, occurred_at, action, source, actor_type, actor_id, result_class, status_code,
    resource_type, resource_id, product_id, customer_id, license_id, order_id, subscription_id, device_id,
    feature_code, request_id, audit_event_id, reason)
  SELECT a.id, now(), a.action, a.source, a.actor_type, a.actor_id, a.result_class, a.status_code,
    a.resource_type, a.resource_id, coalesce(a.product_id, l.product_id), coalesce(a.customer_id, l.customer_id),
    a.license_id, coalesce(a.order_id, l.order_id), coalesce(a.subscription_id, l.subscription_id), a.device_id,
    a.feature_code, a.request_id, a.audit_event_id, a.reason
  FROM json_to_recordset($${parameter}::json) AS a (id text, action text, source text,
    actor_type text, actor_id text, result_class text, status_code int, resource_type text, resource_id text,
    product_id text, customer_id text, license_id text COLLATE "C", order_id text, subscription_id text,
    device_id text, feature_code text, request_id text, audit_event_id text,
    reason text)
  LEFT JOIN LATERAL (
    SELECT product_id, customer_id, order_id, subscription_id FROM licenses WHERE id = a.license_id OFFSET 0
  ) l ON true`
