import type { EventKind } from "../../domain/events/EventKind.ts"
import type { Chance } from "./Chance.ts"
import { tellFloatingSeats } from "./FloatingSeats.ts"
import type { Scene } from "./LicenseLife.ts"
import { LicenseLife } from "./LicenseLife.ts"
import { customerNames } from "./Names.ts"
import type { Told } from "./Telling.ts"
import { Agenda, growingInstant, idAt, instant, workingInstant } from "./Telling.ts"
import { tellUses } from "./Uses.ts"
import type { Plan, Vendor } from "./Vendor.ts"

/** A license that can be asked about with its key. */
export interface KnownLicense {
  readonly product: string
  readonly policy: string
  readonly key: string
  readonly fingerprint: string
}

/** The facts from which the history of an account is made. */
export interface AccountOptions {
  readonly vendor: Vendor
  readonly told: Told
  /** From 1 on. */
  readonly number: number
  readonly licenses: number
  /** The time of the story, in Unix milliseconds. */
  readonly from: number
  readonly until: number
  /** How many uses there are, relative to those that the plans name. */
  readonly use: number
  /** A new key and its hash, 64 hex digits. */
  readonly newKey: () => { readonly key: string; readonly hash: string }
}

const hour = 3_600_000
const day = 24 * hour
const shopAhead = 8 * day

/** Refusals are kept for 90 days; the pruner takes no older one from what is told here. */
const refusalsFor = 89 * day

/** The purchase of one license, and how it is used from then on. */
const live = (scene: Scene, plan: Plan, options: AccountOptions) => {
  const { agenda, chance, customerId, told } = scene
  const { newKey, until, use, vendor: { staff } } = options
  const shop = { type: "api_key", id: staff.shop } as const
  const support = { type: "api_key", id: staff.support } as const
  const bought = agenda.now
  const born = () => ({ metadata: {}, created_at: instant(agenda.now), updated_at: instant(agenda.now) })
  const { key, hash } = newKey()
  const links: { order_id: string | undefined; subscription_id: string | undefined } = {
    order_id: undefined,
    subscription_id: undefined
  }
  const period = plan.days === undefined ? undefined : plan.days * day
  const subscription = plan.sale !== "subscription" ? undefined : {
    id: idAt(chance, "sub", bought),
    product_id: plan.product.id,
    customer_id: customerId,
    external_system: "stripe",
    external_id: `sub_${Buffer.from(chance.bytes(9)).toString("base64url")}`,
    status: "active",
    current_period_start: instant(bought),
    current_period_end: instant(bought + period!),
    cancel_at_period_end: false,
    ...born()
  }
  links.subscription_id = subscription?.id
  const tell = (type: EventKind, id: string, data: object) => life.tell(type, id, { ...data }, { actor: shop })
  const order = () => {
    const made = {
      id: idAt(chance, "ord", agenda.now),
      product_id: plan.product.id,
      customer_id: customerId,
      ...(subscription === undefined ? {} : {
        subscription_id: subscription.id,
        period_start: subscription.current_period_start,
        period_end: subscription.current_period_end
      }),
      external_system: "stripe",
      external_id: `in_${Buffer.from(chance.bytes(9)).toString("base64url")}`,
      status: "paid",
      ...born()
    }
    told.rows.orders.push(made)
    return made
  }
  const first = plan.sale === "none" ? undefined : order()
  links.order_id = first?.id
  const life = new LicenseLife(scene, plan, { key, keyHash: hash, ...links })
  if (subscription !== undefined) tell("subscription.created", subscription.id, subscription)
  if (first !== undefined) tell("order.created", first.id, first)
  life.change("license.created", shop, {})
  life.expectExpiry()

  const renewals = () => {
    if (subscription === undefined || chance.happens(plan.churn)) return
    const end = life.expiresAt!
    agenda.plan(end - shopAhead + chance.upTo(6 * hour), () => {
      if (life.state !== "active") return
      Object.assign(subscription, {
        current_period_start: instant(end),
        current_period_end: instant(end + period!),
        updated_at: instant(agenda.now)
      })
      const next = order()
      tell("order.created", next.id, next)
      tell("subscription.updated", subscription.id, subscription)
      life.renew(end + period!, shop)
      life.expectExpiry()
      renewals()
    })
  }
  renewals()

  // Machines.
  const { max_activations } = plan.policy
  const machines = chance.whole(0, 9) === 0 ? 0 : chance.whole(1, max_activations)
  const holders = () => life.seats.filter(({ device, floating }) => device.status === "active" && !floating)
  const activate = () => {
    if (!life.serves) {
      const refusal = life.status === "expired" ? "LICENSE_EXPIRED" : "LICENSE_INACTIVE"
      return life.refuse("license.activated", [403, refusal])
    }
    if (holders().length >= max_activations) {
      return life.refuse("license.activated", [403, "ACTIVATION_LIMIT_EXCEEDED"])
    }
    life.seat(life.machine(), "license.activated")
  }
  for (let machine = 0; machine < machines; machine++) {
    const at = bought + chance.upTo(machine === 0 ? 6 * hour : 40 * day)
    agenda.plan(machine === 0 ? at : workingInstant(chance, bought + hour, at + day), activate)
  }
  if (chance.happens(0.2)) agenda.plan(workingInstant(chance, bought + 2 * day, until), activate)
  if (chance.happens(0.12)) {
    agenda.plan(workingInstant(chance, bought + 5 * day, until), () => {
      const seat = holders()[0]
      if (seat !== undefined && life.serves) life.seat(seat, "license.deactivated")
    })
    agenda.plan(workingInstant(chance, bought + 9 * day, until), activate)
  }
  if (chance.happens(0.03)) {
    agenda.plan(workingInstant(chance, bought + 3 * day, until), () => {
      const seat = holders()[0]
      if (seat === undefined || life.state === "revoked") return
      const status = chance.happens(0.3) ? "blacklisted" : "reset"
      life.retire(seat, status, support)
      if (status === "blacklisted") {
        agenda.plan(
          agenda.now + chance.upTo(3 * day),
          () => life.refuse("license.validated", [403, "DEVICE_BLACKLISTED"], { device_id: seat.device.id })
        )
      }
    })
  }

  const uses = tellUses(scene, plan, life, { bought, until, use, links })
  tellFloatingSeats(scene, plan, life, { bought, until, use })

  // Decisions of people.
  if (chance.happens(0.025)) {
    agenda.plan(workingInstant(chance, bought + 4 * day, until), () => {
      if (!life.serves) return
      life.decide("license.suspended", support)
      if (chance.happens(0.5)) {
        agenda.plan(agenda.now + chance.upTo(12 * day), () => {
          if (life.state === "suspended") life.decide("license.reinstated", support)
        })
      }
    })
  }
  if (chance.happens(0.015)) {
    agenda.plan(workingInstant(chance, bought + 2 * day, until), () => {
      if (life.state !== "revoked") life.decide("license.revoked", support)
    })
  }
  // Refusals, of late.
  if (chance.happens(0.08)) {
    agenda.plan(workingInstant(chance, Math.max(bought, scene.refusalsFrom), until), () => {
      const refusals = [
        [() => life.refuse("license.validated", [404, "DEVICE_NOT_ACTIVATED"]), 5],
        [() => life.refuse("license.activated", [403, "VM_NOT_ALLOWED"]), 2],
        [() => life.refuse("license.checked", [403, "FEATURE_NOT_ENTITLED"], { feature_code: "export-pdf" }), 3],
        [() => life.refuse("device.reset", [403, "TOKEN_SCOPE_DENIED"], {}, staff.reporting), 1]
      ] as const
      chance.weighted(refusals)()
    })
  }

  return () => {
    if (subscription !== undefined) told.rows.subscriptions.push(subscription)
    for (const { device } of life.seats) {
      if (device.status !== "active" || !life.serves) continue
      const seen = instant(Math.max(Date.parse(device.last_seen_at), until - chance.upTo(4 * day)))
      Object.assign(device, { last_seen_at: seen, last_validated_at: seen })
    }
    life.settle()
    uses.settle()
    const holder = holders()[0]
    const isLasting = life.expiresAt === undefined || life.expiresAt > until + 20 * day
    return holder !== undefined && life.status === "active" && isLasting
      ? { product: plan.product.name, policy: plan.policy.name, key, fingerprint: holder.device.fingerprint! }
      : undefined
  }
}

/** Tells the story of one customer and of all of their licenses; answers those that can be asked about. */
export const tellAccount = (chance: Chance, options: AccountOptions): ReadonlyArray<KnownLicense> => {
  const { from, licenses, number, told, until, vendor } = options
  const agenda = new Agenda(from, until)
  const names = customerNames(chance, number)
  const arrived = agenda.lasting(growingInstant(chance, from + day, until - hour))
  const settled: Array<() => KnownLicense | undefined> = []
  agenda.plan(arrived, () => {
    const at = agenda.next()
    const customer = {
      id: idAt(chance, "cus", at),
      name: names.name,
      code: names.code,
      ...(names.email === undefined ? {} : { email: names.email }),
      metadata: {},
      created_at: instant(at),
      updated_at: instant(at)
    }
    told.rows.customers.push(customer)
    told.events.push({
      id: idAt(chance, "evt", at),
      at,
      account: number,
      type: "customer.created",
      resourceId: customer.id,
      data: customer,
      personal: ["/data/name", "/data/email"],
      actor: { type: "api_key", id: vendor.staff.shop },
      origin: { requestId: idAt(chance, "req", at), ipAddress: "192.0.2.10", traceparent: undefined }
    })
    const scene: Scene = {
      chance,
      agenda,
      told,
      account: number,
      customerId: customer.id,
      names,
      refusalsFrom: until - refusalsFor
    }
    for (let index = 0; index < licenses; index++) {
      const plan = chance.weighted(vendor.plans.map((plan) => [plan, plan.share] as const))
      const at = index === 0 ? agenda.now : agenda.lasting(growingInstant(chance, agenda.now, until - 10_000))
      agenda.plan(Math.max(agenda.now, at), () => settled.push(live(scene, plan, options)))
    }
  })
  agenda.run()
  return settled.flatMap((settle) => settle() ?? [])
}
