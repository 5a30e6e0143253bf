import { longestLine } from "../../customers/CustomerTree.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { wholeLicenseKinds } from "../../log/EventKind.ts"
import { parentIn, usingLicenseIn } from "../audit/LastEvents.ts"
import type { LastEvent } from "../audit/LastEvents.ts"

/** The kinds of events that tell what a license, a policy and a customer are judged by. */
export const termsKinds = {
  license: [...wholeLicenseKinds, "license.feature_assigned", "license.feature_removed", "license.usage_reset"],
  policy: ["policy.created", "policy.updated", "policy.feature_assigned", "policy.feature_removed"],
  customer: ["customer.created", "customer.updated"]
} as const satisfies { readonly [Of in string]: ReadonlyArray<EventKind> }

/** An event of the log, and when it was: Unix milliseconds. */
export interface TimedEvent extends LastEvent {
  readonly at: number
}

/** The events of resources since an instant, and those before it that still held then, each in the order of the log. */
export type Timeline = ReadonlyMap<string, ReadonlyArray<TimedEvent>>

/** The kinds of events that show a whole license. */
export const wholeLicense: ReadonlySet<string> = new Set(wholeLicenseKinds)

/** The same of a policy. */
export const wholePolicy: ReadonlySet<string> = new Set(["policy.created", "policy.updated"])

/** Whether an event is of one of these kinds. */
export const isOf = (kinds: ReadonlySet<string>) => ({ event_type }: TimedEvent) => kinds.has(event_type)

/** The last of these events at an instant; of what was not there yet the first one. */
export const lastOr = (events: ReadonlyArray<TimedEvent>, at: number): TimedEvent | undefined =>
  events.findLast((event) => event.at <= at) ?? events[0]

/** The last event about each feature at an instant; undefined where there are later ones alone. */
export const byFeature = (
  events: ReadonlyArray<TimedEvent>,
  at: number
): ReadonlyMap<string, LastEvent | undefined> => {
  const about = events.filter(({ data }) => typeof data["feature_id"] === "string")
  return new Map(
    [...Map.groupBy(about, ({ data }) => String(data["feature_id"]))].map(([id, told]) => [
      id,
      told.findLast((event) => event.at <= at)
    ])
  )
}

/** Whether an event shows a whole license or policy, and not one feature of it. */
export const isWhole = (event: TimedEvent): boolean =>
  wholeLicense.has(event.event_type) || wholePolicy.has(event.event_type)

/** A customer and those above it at an instant. */
export const lineThen = (timeline: Timeline, customerId: string | undefined, at: number): ReadonlySet<string> => {
  const line = new Set<string>()
  for (let id = customerId; id !== undefined && line.size < longestLine;) {
    line.add(id)
    const last = lastOr(timeline.get(id) ?? [], at)
    id = last && parentIn(last).parent_id
  }
  return line
}

/** The customers that a license had in the time that is known, and those above them. */
export const customersOf = (timeline: Timeline, licenseId: string): ReadonlySet<string> => {
  const whole = (timeline.get(licenseId) ?? []).filter(isOf(wholeLicense)).map(usingLicenseIn)
  const customers = new Set(whole.flatMap(({ customer_id }) => customer_id ?? []))
  for (const id of customers) {
    for (const event of timeline.get(id) ?? []) {
      const { parent_id } = parentIn(event)
      if (parent_id !== undefined) customers.add(parent_id)
    }
  }
  return customers
}

/** The events that bear on a license in the time that is known: its own, and those of its policies and its customers. */
export const bearing = (timeline: Timeline, licenseId: string): ReadonlyArray<TimedEvent> => {
  const whole = (timeline.get(licenseId) ?? []).filter(isOf(wholeLicense)).map(usingLicenseIn)
  const policies = new Set(whole.map(({ policy_id }) => policy_id))
  return [licenseId, ...policies, ...customersOf(timeline, licenseId)].flatMap((id) => timeline.get(id) ?? [])
}
