import { calendarPeriod } from "../../domain/terms/Period.ts"
import { licenseActor } from "../../services/events/Provenance.ts"
import type { LicenseLife, Scene } from "./LicenseLife.ts"
import { instant, workingInstant } from "./Telling.ts"
import type { Plan } from "./Vendor.ts"

/** The count of a feature of a license; in its period, where it has one. */
interface Counter {
  total: number
  /** Unix milliseconds. */
  start: number | undefined
  consumed: number
}

const hour = 3_600_000
const day = 24 * hour

/** When a license is used and how much, and what its records name beside it. */
export interface UseOptions {
  /** Unix milliseconds, as `until`. */
  readonly bought: number
  readonly until: number
  /** How many uses there are, relative to those that the plan names. */
  readonly use: number
  readonly links: { readonly order_id: string | undefined; readonly subscription_id: string | undefined }
}

/** Plans the metered use of a license; `settle` writes what its features have counted in the end. */
export const tellUses = (scene: Scene, plan: Plan, life: LicenseLife, { bought, links, until, use }: UseOptions) => {
  const { agenda, chance, customerId, told } = scene
  const ended = () => Math.min(until, life.expiresAt === undefined ? until : life.expiresAt + 20 * day)
  const counters = new Map<string, Counter>()
  const consume = ({ amount: usual, grant }: Plan["uses"][number]) => {
    const about = { feature_code: grant.feature_code }
    const seat = life.seats.find(({ device }) => device.status === "active")
    const refuse = (status: number, code: string) =>
      life.refuse("license.usage_recorded", [status, code], { ...about, device_id: seat?.device.id })
    if (!life.serves) return refuse(403, life.status === "expired" ? "LICENSE_EXPIRED" : "LICENSE_INACTIVE")
    if (seat === undefined) return refuse(404, "DEVICE_NOT_ACTIVATED")
    const counter = counters.get(grant.feature_id) ?? { total: 0, start: undefined, consumed: 0 }
    const span = grant.period === undefined ? undefined : calendarPeriod("month", agenda.now)
    if (span !== undefined && counter.start !== span.start) Object.assign(counter, { start: span.start, consumed: 0 })
    const amount = chance.whole(1, Math.max(1, Math.round(usual * 0.6)))
    const before = span === undefined ? counter.total : counter.consumed
    const quota = grant.max_consumptions
    if (quota !== undefined && before + amount > quota) return refuse(403, "FEATURE_QUOTA_EXCEEDED")
    counter.total += amount
    if (span !== undefined) counter.consumed += amount
    counters.set(grant.feature_id, counter)
    life.count(amount)
    const consumed = before + amount
    const event_id = `job-${Buffer.from(chance.bytes(8)).toString("hex")}`
    const data = {
      license_id: life.id,
      device_id: seat.device.id,
      feature_id: grant.feature_id,
      feature_code: grant.feature_code,
      event_id,
      amount,
      total_consumptions: counter.total,
      ...(quota === undefined ? {} : { max_consumptions: quota, remaining: quota - consumed }),
      ...(span === undefined ? {} : {
        period: "month",
        period_start: instant(span.start),
        period_consumptions: consumed,
        period_ends_at: instant(span.end)
      })
    }
    const by = { actor: licenseActor(life.id), metadata: { device_id: seat.device.id, ...about } }
    const { at, id, requestId } = life.tell("license.usage_recorded", life.id, data, by)
    told.rows.usage_records.push({
      id,
      license_id: life.id,
      feature_id: grant.feature_id,
      feature_code: grant.feature_code,
      event_id,
      amount,
      total_consumptions: counter.total,
      device_id: seat.device.id,
      product_id: plan.product.id,
      customer_id: customerId,
      order_id: links.order_id ?? null,
      subscription_id: links.subscription_id ?? null,
      request_id: requestId ?? null,
      created_at: instant(at)
    })
    if (quota !== undefined && consumed >= quota) life.tell("license.quota_reached", life.id, data, by)
    seat.device.last_seen_at = instant(at)
  }
  for (const used of plan.uses) {
    const expected = used.perYear * use * (until - bought) / (365 * day) * chance.pick([0.2, 0.5, 1, 1, 1.6, 2.4])
    const count = Math.floor(expected + chance.upTo(1))
    for (let index = 0; index < count; index++) {
      agenda.plan(workingInstant(chance, bought + 3 * hour, until), () => {
        // A customer who has stopped to pay soon stops to try.
        if (agenda.now < ended()) consume(used)
      })
    }
  }

  const settle = (): void => {
    for (const [feature_id, { consumed, start, total }] of counters) {
      told.rows.license_features.push({
        license_id: life.id,
        feature_id,
        enabled: true,
        metadata: {},
        is_counter: true,
        total_consumptions: total,
        period_start: start === undefined ? null : instant(start),
        period_consumptions: start === undefined ? null : consumed,
        created_at: instant(bought)
      })
    }
  }
  return { settle }
}
