import { Deferred, Effect } from "effect"
import type { HttpMethod } from "effect/http"
import type { Chance, CustomerNames } from "./Names.ts"
import { customerNames, makeChance } from "./Names.ts"
import type { Ask, StoryBroken } from "./SeedApp.ts"
import { plans, products, renewals, scenes, staff } from "./Story.ts"
import type { Plan, Scene } from "./Story.ts"

/** Days of the story. */
export const year = 365

/** Something that happens to a license, on a day of the year. */
export interface PlottedAct {
  readonly day: number
  readonly act: string
}

/** A license of the story, and what happens to it, in the order of time. */
interface Plot {
  readonly number: number
  readonly plan: Plan
  /** The number of the customer, and the names. */
  readonly customer: number
  readonly names: CustomerNames
  /** A random source of its own, so that licenses can be played concurrently. */
  readonly chance: Chance
  readonly acts: ReadonlyArray<PlottedAct>
}

/** A day between two, later ones more often: the vendor's sales grow. */
const growing = (chance: Chance, from: number, to: number) => from + (to - from) * chance.upTo(1) ** 0.62

/** A sequence of acts, from a day on. */
const actsFrom = (acts: Scene["acts"], day: number): ReadonlyArray<PlottedAct> =>
  acts.map(([act, after = 0]) => ({ day: day += after, act }))

const renewalsOf = (chance: Chance, { churn, days }: Plan, bought: number): ReadonlyArray<PlottedAct> => {
  if (days === undefined) return []
  const periods: Array<ReadonlyArray<PlottedAct>> = []
  for (let end = bought + days; end - 8 < year && !chance.happens(churn); end += days) {
    periods.push(actsFrom(chance.weighted(renewals), end - 8))
  }
  return periods.flat()
}

const playedOf = (chance: Chance, { acts, from, lately, share, to }: Scene, bought: number) => {
  if (!chance.happens(share)) return []
  const earliest = Math.max(bought + from, lately === undefined ? 0 : year - lately)
  const latest = Math.min(year, to === undefined ? year : bought + to)
  return actsFrom(acts, earliest + chance.upTo(Math.max(0, latest - earliest)))
}

const usesOf = (chance: Chance, { uses }: Plan, bought: number): ReadonlyArray<PlottedAct> => {
  if (uses === undefined) return []
  const expected = uses.perYear * (year - bought) / year * chance.pick([0.2, 0.5, 1, 1, 1.6, 2.4])
  return Array.from({ length: Math.floor(expected + chance.upTo(1)) }, () => ({
    day: bought + 1 + chance.upTo(year - bought),
    act: "use"
  }))
}

/** The plots of a number of licenses. The same seed gives the same plots. */
export const plotsOf = (seed: string, licenses: number): ReadonlyArray<Plot> => {
  const chance = makeChance(seed)
  const plots: Array<Plot> = []
  for (let customer = 1; plots.length < licenses; customer++) {
    const names = customerNames(chance, customer)
    const owned = Math.min(
      licenses - plots.length,
      chance.weighted([[1, 50], [2, 22], [3, 12], [5, 8], [9, 4], [20, 1]])
    )
    let bought = growing(chance, 1, year - 0.5)
    for (let index = 0; index < owned; index++) {
      if (index > 0) bought = growing(chance, bought, year - 0.2)
      const number = plots.length + 1
      // The first licenses cover each plan, however few there are.
      const plan = plans[number - 1] ?? chance.weighted(plans.map((plan) => [plan, plan.share] as const))
      const own = makeChance(`${seed} ${number}`)
      const day = bought
      const acts = [
        ...renewalsOf(own, plan, day),
        ...scenes.filter(({ only }) => only === undefined || only.includes(plan.policy.code))
          .flatMap((scene) => playedOf(own, scene, day)),
        ...usesOf(own, plan, day)
      ].filter((act) => act.day < year)
      plots.push({
        number,
        plan,
        customer,
        names,
        chance: own,
        acts: [{ day, act: plan.sale === "trial" ? "open a trial" : "buy" }, ...acts.toSorted((a, b) => a.day - b.day)]
      })
    }
  }
  return plots
}

/** The vendor of the story in the service: what it sells, and its keys. */
interface Vendor {
  readonly tokens: Readonly<Record<keyof typeof staff, string>>
  /** The publishable key in the app that opens trials. */
  readonly trialKey: string
  /** The ids of policies, by their codes. */
  readonly policies: ReadonlyMap<string, string>
  /** The id of the product of a plan. */
  readonly productOf: (plan: Pick<Plan, "product">) => string
}

/** Creates the vendor's keys, products, features and policies. */
export const makeVendor = Effect.fnUntraced(function*(ask: Ask) {
  const post = (path: string, body: object) => Effect.map(ask("POST", `/api/v1/${path}`, { body }), ({ data }) => data)
  const tokens: Record<string, string> = {}
  for (const [name, key] of Object.entries(staff)) tokens[name] = (yield* post("api-keys", key)).token
  const ids = new Map<string, string>()
  const features = new Map<string, string>()
  for (const { code, features: offered, name } of products) {
    const { id } = yield* post("products", { name, code })
    ids.set(code, id)
    for (const [feature, name] of Object.entries(offered)) {
      features.set(feature, (yield* post(`products/${id}/features`, { code: feature, name })).id)
    }
  }
  const policies = new Map<string, string>()
  let trialKey = ""
  for (const { grants, policy, product, sale } of plans) {
    const path = `products/${ids.get(product)}`
    const { id } = yield* post(`${path}/policies`, policy)
    policies.set(policy.code, id)
    for (const [feature, terms] of Object.entries(grants)) {
      yield* post(`${path}/policies/${id}/features`, { feature_id: features.get(feature), ...terms })
    }
    if (sale === "trial") {
      trialKey = (yield* post(`${path}/publishable-keys`, { name: "Desktop app", policy_id: id })).key
    }
  }
  const vendor: Vendor = {
    tokens: tokens as Vendor["tokens"],
    trialKey,
    policies,
    productOf: ({ product }) => ids.get(product)!
  }
  return vendor
})

/** A machine of a license. */
export interface Machine {
  readonly fingerprint: string
  readonly hostname: string
  readonly os: string
}

/** A license as it lives. */
export interface Cast extends Plot {
  id: string
  key: string
  order: string | undefined
  subscription: string | undefined
  /** The end of the paid period, in Unix milliseconds. */
  paidUntil: number
  state: "active" | "suspended" | "revoked"
  machines: ReadonlyArray<Machine>
  blocked: Machine | undefined
  requests: number
}

/** Where the acts take place. */
export interface Stage {
  readonly ask: Ask
  readonly vendor: Vendor
  /** The time of the clock, in Unix milliseconds. */
  readonly now: () => number
  /** The ids of customers, by their numbers, from when they are asked for. */
  readonly customers: Map<number, Deferred.Deferred<string, StoryBroken>>
}

export type Act = (stage: Stage, cast: Cast) => Effect.Effect<unknown, StoryBroken>

export const dayMillis = 86_400_000
const hostnames = ["studio", "render", "lab", "desk", "build", "atelier", "macbook", "ws"] as const
const systems = ["Windows 11", "macOS 15", "Ubuntu 24.04", "Windows 10", "Fedora 42"] as const
export const instant = (millis: number) => new Date(millis).toISOString()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** The cast of a plot, before its first act. */
export const castOf = (plot: Plot): Cast => ({
  ...plot,
  id: "",
  key: "",
  order: undefined,
  subscription: undefined,
  paidUntil: 0,
  state: "active",
  machines: [],
  blocked: undefined,
  requests: 0
})

export const newMachine = ({ chance }: Cast): Machine => ({
  fingerprint: hex(chance.bytes(16)),
  hostname: `${chance.pick(hostnames)}-${String(chance.whole(1, 40)).padStart(2, "0")}`,
  os: chance.pick(systems)
})

/** A request of the app, which may be refused. */
export const app = ({ ask }: Stage, cast: Cast, operation: string, body: object) =>
  ask("POST", `/api/v1/license/${operation}`, {
    as: `License ${cast.key}`,
    body,
    address: `203.0.113.${1 + (cast.customer * 7 + cast.requests % 3) % 250}`,
    key: `app-${cast.number}-${cast.requests++}`,
    mayBeRefused: true
  })

/** A decision of the vendor's support, which comes too late where a license has ended. */
export const change = ({ ask, vendor }: Stage, cast: Cast, action: string, body: object = {}) =>
  ask("POST", `/api/v1/licenses/${cast.id}/${action}`, {
    as: vendor.tokens.support,
    key: `desk-${cast.number}-${cast.requests++}`,
    body,
    mayBeRefused: true
  })

/** Where the vendor decides, once the license is one that it can decide on. */
export const decided = (act: Act): Act => (stage, cast) => cast.state === "revoked" ? Effect.void : act(stage, cast)

/** A request of the vendor's shop; answers the data. */
const shop = ({ ask, vendor }: Stage, method: HttpMethod.HttpMethod, path: string, body: object) =>
  Effect.map(ask(method, `/api/v1/${path}`, { as: vendor.tokens.shop, body }), ({ data }) => data)

/** The id of the license's customer, who becomes one with the first purchase. */
const customerOf = (stage: Stage, { customer, names: { code, email, name } }: Cast) =>
  Effect.suspend(() => {
    const known = stage.customers.get(customer)
    if (known !== undefined) return Deferred.await(known)
    const id = Deferred.makeUnsafe<string, StoryBroken>()
    stage.customers.set(customer, id)
    const created = Effect.map(shop(stage, "POST", "customers", { name, code, email }), (data) => String(data.id))
    return Effect.andThen(Deferred.into(created, id), Deferred.await(id))
  })

/** Takes the next period from an instant on, and answers it as the fields of a subscription. */
const takePeriod = (cast: Cast, from: number) => {
  cast.paidUntil = from + (cast.plan.days ?? 0) * dayMillis
  return { status: "active", current_period_start: instant(from), current_period_end: instant(cast.paidUntil) }
}

/** Records what the shop was paid for the period that begins at an instant. */
const paid = (stage: Stage, cast: Cast, customer_id: string, from: number) =>
  Effect.map(
    shop(stage, "POST", `products/${stage.vendor.productOf(cast.plan)}/orders`, {
      customer_id,
      external_system: "stripe",
      external_id: `in_${hex(cast.chance.bytes(9))}`,
      status: "paid",
      ...(cast.subscription === undefined ? {} : {
        subscription_id: cast.subscription,
        period_start: instant(from),
        period_end: instant(cast.paidUntil)
      })
    }),
    ({ id }) => String(id)
  )

/** Buys a license. */
export const buy: Act = Effect.fnUntraced(function*(stage, cast) {
  const { now, vendor } = stage
  const { chance, names, plan } = cast
  const product_id = vendor.productOf(plan)
  const customer_id = yield* customerOf(stage, cast)
  const start = now()
  const period = takePeriod(cast, start)
  if (plan.sale === "subscription") {
    const { id } = yield* shop(stage, "POST", `products/${product_id}/subscriptions`, {
      customer_id,
      external_system: "stripe",
      external_id: `sub_${hex(chance.bytes(9))}`,
      ...period
    })
    cast.subscription = String(id)
  }
  cast.order = yield* paid(stage, cast, customer_id, start)
  const { email, name } = names.person(chance)
  const { license, license_key } = yield* shop(stage, "POST", "licenses", {
    product_id,
    policy_id: vendor.policies.get(plan.policy.code),
    customer_id,
    customer_email: email,
    customer_name: name,
    order_id: cast.order,
    subscription_id: cast.subscription,
    expires_at: plan.days === undefined ? undefined : period.current_period_end,
    metadata: { source: "shop" }
  })
  cast.id = license.id
  cast.key = license_key
})

/** Opens a trial in the app. */
export const openTrial: Act = Effect.fnUntraced(function*({ ask, vendor }, cast) {
  const machine = newMachine(cast)
  const { data } = yield* ask("POST", "/api/v1/license/trials", {
    as: vendor.trialKey,
    body: machine,
    address: `198.51.100.${1 + cast.number % 250}`,
    key: `trial-${cast.number}`
  })
  cast.id = data.license_id
  cast.key = data.license_key
  cast.machines = [machine]
})

/** Renews by a period. */
export const renew = decided(Effect.fnUntraced(function*(stage, cast) {
  const { paidUntil: start, subscription } = cast
  if (subscription === undefined) return
  const period = takePeriod(cast, start)
  yield* paid(stage, cast, yield* customerOf(stage, cast), start)
  yield* shop(stage, "PATCH", `subscriptions/${subscription}`, period)
  yield* stage.ask("POST", `/api/v1/licenses/${cast.id}/renew`, {
    as: stage.vendor.tokens.shop,
    key: `shop-${cast.number}-${cast.requests++}`,
    body: { expires_at: period.current_period_end }
  })
}))

/** Leaves a period unpaid. */
export const cardFails = decided((stage, { subscription }) =>
  subscription === undefined
    ? Effect.void
    : shop(stage, "PATCH", `subscriptions/${subscription}`, { status: "past_due" })
)

/** Gives the money back. */
export const refund: Act = (stage, { order }) => shop(stage, "PATCH", `orders/${order}`, { status: "refunded" })
