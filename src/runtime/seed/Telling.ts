import type { ActivityAction } from "../../domain/audit/Activity.ts"
import type { AuditActorType } from "../../domain/events/EventKind.ts"
import type { IdType } from "../../domain/wire/Id.ts"
import * as Id from "../../domain/wire/Id.ts"
import type { EventToRecord } from "../../services/events/RecordedEvent.ts"
import type { Chance } from "./Chance.ts"

/**
 * Milliseconds between two instants of a story. What one account did has instants of its own, all multiples of this from
 * the beginning, so that an event's instant and its account number place it in the log.
 */
export const unit = 8

/** An event of the past, and who it belongs to. */
interface ToldEvent extends EventToRecord {
  /** Unix milliseconds. */
  readonly at: number
  readonly account: number
}

/** A request of the past that was refused. */
export interface ToldRefusal {
  readonly id: string
  readonly at: number
  readonly action: ActivityAction
  readonly source: "management" | "runtime"
  readonly actor_type: AuditActorType
  readonly actor_id: string
  readonly status_code: number
  readonly code: string
  readonly request_id: string
  readonly license_id?: string
  readonly product_id?: string
  readonly customer_id?: string
  readonly order_id?: string | undefined
  readonly subscription_id?: string | undefined
  readonly device_id?: string | undefined
  readonly feature_code?: string | undefined
}

/** The tables that a story has rows in, those that others refer to first. */
export const tables = [
  "management_keys",
  "products",
  "features",
  "policies",
  "policy_features",
  "product_versions",
  "customers",
  "subscriptions",
  "orders",
  "licenses",
  "license_keys",
  "license_features",
  "devices",
  "leases",
  "usage_records"
] as const
export type Table = typeof tables[number]

/** The generated history: rows as they are now, and what happened until then. */
export interface Told {
  readonly rows: Readonly<Record<Table, Array<object>>>
  readonly events: Array<ToldEvent>
  readonly refusals: Array<ToldRefusal>
}

/** Nothing yet. */
export const nothingTold = (): Told => ({
  rows: Object.fromEntries(tables.map((table) => [table, []])) as unknown as Told["rows"],
  events: [],
  refusals: []
})

/** An id as it would have been made at an instant. */
export const idAt = (chance: Chance, type: IdType, at: number): string => Id.encode(type, at, chance.bytes(10))

/** An instant as the wire shows it. */
export const instant = (millis: number): string => new Date(millis).toISOString()

const day = 86_400_000

/** How much is done on each day of the week, from Sunday on, and in each hour of a day in UTC. */
const weekdays = [0.22, 0.95, 1, 1, 0.97, 0.85, 0.3]
const hours = [2, 1, 1, 1, 2, 3, 5, 8, 11, 12, 12, 11, 10, 12, 12, 12, 11, 9, 7, 5, 4, 4, 3, 3].map((hour) => hour / 12)

/** An instant from `from` up to `to` at which people work. */
export const workingInstant = (chance: Chance, from: number, to: number): number => {
  let at = from
  for (let attempt = 0; attempt < 24; attempt++) {
    at = from + chance.upTo(to - from)
    const date = new Date(at)
    if (chance.happens(weekdays[date.getUTCDay()]! * hours[date.getUTCHours()]!)) break
  }
  return at
}

/** An instant from `from` up to `to`, later ones more often: what a vendor that grows sells. */
export const growingInstant = (chance: Chance, from: number, to: number): number => {
  const around = from + (to - from) * chance.upTo(1) ** 0.62
  return Math.min(to, workingInstant(chance, Math.max(from, around - 3.5 * day), Math.min(to, around + 3.5 * day)))
}

/** How long after the end of a story nothing of it runs out, in milliseconds. */
const calm = 3_600_000

/** The agenda of events, which happen in their order, each at its own instant. */
export class Agenda {
  readonly #from: number
  readonly #until: number
  #planned: Array<{ readonly at: number; readonly act: () => void }> = []
  #now: number

  /** Nothing of it happens before `from`, a multiple of {@link unit}, or after `until`. */
  constructor(from: number, until: number) {
    this.#from = from
    this.#until = until
    this.#now = from
  }

  get until(): number {
    return this.#until
  }

  /** The instant of what happens at the moment. */
  get now(): number {
    return this.#now
  }

  /** Goes on to the next instant, and answers the one before. */
  next(): number {
    const now = this.#now
    this.#now += unit
    return now
  }

  /**
   * An instant at which what runs for whole days may begin: it will not run out in the {@link calm} after the end, while
   * the story is being written and a service that runs would already have it run out.
   */
  lasting(at: number): number {
    const after = (((at - this.#until) % day) + day) % day
    return after < calm ? at - calm : at
  }

  /** Plans what happens at an instant; what is planned for after the end does not happen. */
  plan(at: number, act: () => void): void {
    if (at >= this.#until) return
    let low = 0
    let high = this.#planned.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#planned[middle]!.at <= at) high = middle
      else low = middle + 1
    }
    this.#planned.splice(low, 0, { at, act })
  }

  /** Has everything that is planned happen, and what is planned meanwhile. */
  run(): void {
    for (let next = this.#planned.pop(); next !== undefined; next = this.#planned.pop()) {
      const at = this.#from + Math.floor((next.at - this.#from) / unit) * unit
      this.#now = Math.max(this.#now, at)
      next.act()
    }
  }
}
