import { Effect } from "effect"
import type { Plot } from "./Plot.ts"
import type { Ask, SeedAnswer, StoryBroken } from "./SeedApp.ts"
import type { Vendor } from "./Vendor.ts"

/** A machine of a license. */
interface Machine {
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
  isSuspended: boolean
  isRevoked: boolean
  machines: Array<Machine>
  blocked: Machine | undefined
  asked: number
}

/** Where the acts take place. */
export interface Stage {
  readonly ask: Ask
  readonly vendor: Vendor
  /** The time of the clock, in Unix milliseconds. */
  readonly now: () => number
  /** The customers that there are, by their numbers. */
  readonly customers: Map<number, string>
}

type Act = (stage: Stage, cast: Cast) => Effect.Effect<void, StoryBroken>

const dayMillis = 86_400_000
const hostnames = ["studio", "render", "lab", "desk", "build", "atelier", "macbook", "ws"] as const
const systems = ["Windows 11", "macOS 15", "Ubuntu 24.04", "Windows 10", "Fedora 42"] as const
const instant = (millis: number) => new Date(millis).toISOString()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** The cast of a plot, before its first act. */
export const castOf = (plot: Plot): Cast => ({
  ...plot,
  id: "",
  key: "",
  order: undefined,
  subscription: undefined,
  paidUntil: 0,
  isSuspended: false,
  isRevoked: false,
  machines: [],
  blocked: undefined,
  asked: 0
})

const newMachine = ({ chance }: Cast): Machine => ({
  fingerprint: hex(chance.bytes(16)),
  hostname: `${chance.pick(hostnames)}-${String(chance.whole(1, 40)).padStart(2, "0")}`,
  os: chance.pick(systems)
})

/** A request of the app, which may be refused. */
const app = ({ ask }: Stage, cast: Cast, operation: string, body: object): Effect.Effect<SeedAnswer, StoryBroken> =>
  ask("POST", `/api/v1/license/${operation}`, {
    as: `License ${cast.key}`,
    body,
    address: `203.0.113.${1 + (cast.customer * 7 + cast.asked % 3) % 250}`,
    key: `app-${cast.number}-${cast.asked++}`,
    mayBeRefused: true
  })

/** A decision of the vendor's support, which comes too late where a license has ended. */
const change = ({ ask, vendor }: Stage, cast: Cast, action: string, body: object = {}) =>
  ask("POST", `/api/v1/licenses/${cast.id}/${action}`, {
    as: vendor.tokens.support,
    key: `desk-${cast.number}-${cast.asked++}`,
    body,
    mayBeRefused: true
  })

/** Activates a machine; it is one of the license's where that succeeds. */
const activate = (stage: Stage, cast: Cast, machine: Machine) =>
  Effect.map(app(stage, cast, "activate", machine), ({ status }) => {
    if (status < 300) cast.machines.push(machine)
  })

const releaseSeat: Act = (stage, cast) => {
  const machine = cast.machines[0]
  if (machine === undefined) return Effect.void
  return Effect.map(app(stage, cast, "deactivate", machine), ({ status }) => {
    if (status < 300) cast.machines.shift()
  })
}

/** Where the vendor decides, once the license is one that it can decide on. */
const decided = (body: (stage: Stage, cast: Cast) => Effect.Effect<unknown, StoryBroken>): Act => (stage, cast) =>
  cast.isRevoked ? Effect.void : Effect.asVoid(body(stage, cast))

/** Resets or blacklists the first machine. */
const retire = (action: "reset" | "blacklist") =>
  decided((stage, cast) =>
    Effect.gen(function*() {
      const machine = cast.machines.shift()
      if (machine === undefined) return
      const { data } = yield* stage.ask("GET", `/api/v1/licenses/${cast.id}/devices`)
      const device = data.find(({ fingerprint }: Machine) => fingerprint === machine.fingerprint)
      yield* change(stage, cast, `devices/${device.id}/${action}`)
      if (action === "blacklist") cast.blocked = machine
    })
  )

/** Records what the shop was paid. */
const paid = Effect.fnUntraced(function*({ ask, vendor }: Stage, cast: Cast, customer: string, from: number) {
  const { data } = yield* ask("POST", `/api/v1/products/${vendor.productOf(cast.plan)}/orders`, {
    as: vendor.tokens.shop,
    body: {
      customer_id: customer,
      external_system: "stripe",
      external_id: `in_${hex(cast.chance.bytes(9))}`,
      status: "paid",
      ...(cast.subscription === undefined ? {} : {
        subscription_id: cast.subscription,
        period_start: instant(from),
        period_end: instant(cast.paidUntil)
      })
    }
  })
  return String(data.id)
})

const buy: Act = Effect.fnUntraced(function*(stage, cast) {
  const { ask, customers, now, vendor } = stage
  const { chance, names, plan } = cast
  const as = vendor.tokens.shop
  const product = vendor.productOf(plan)
  let customer = customers.get(cast.customer)
  if (customer === undefined) {
    const { code, email, name } = names
    const made = yield* ask("POST", "/api/v1/customers", {
      as,
      body: { name, code, ...(email === undefined ? {} : { email }) }
    })
    customer = String(made.data.id)
    customers.set(cast.customer, customer)
  }
  const start = now()
  const { days, policy } = plan
  cast.paidUntil = start + (days ?? 0) * dayMillis
  if (plan.sale === "subscription") {
    const made = yield* ask("POST", `/api/v1/products/${product}/subscriptions`, {
      as,
      body: {
        customer_id: customer,
        external_system: "stripe",
        external_id: `sub_${hex(chance.bytes(9))}`,
        status: "active",
        current_period_start: instant(start),
        current_period_end: instant(cast.paidUntil)
      }
    })
    cast.subscription = String(made.data.id)
  }
  cast.order = yield* paid(stage, cast, customer, start)
  const { email, name } = names.person(chance)
  const { data } = yield* ask("POST", "/api/v1/licenses", {
    as,
    body: {
      product_id: product,
      policy_id: vendor.policies.get(policy.code),
      customer_id: customer,
      customer_email: email,
      customer_name: name,
      order_id: cast.order,
      ...(cast.subscription === undefined ? {} : { subscription_id: cast.subscription }),
      ...(days === undefined ? {} : { expires_at: instant(cast.paidUntil) }),
      metadata: { source: "shop" }
    }
  })
  cast.id = data.license.id
  cast.key = data.license_key
})

const openTrial: Act = Effect.fnUntraced(function*({ ask, vendor }, cast) {
  const machine = newMachine(cast)
  const { data } = yield* ask("POST", "/api/v1/license/trials", {
    as: vendor.trialKey,
    body: machine,
    address: `198.51.100.${1 + cast.number % 250}`,
    key: `trial-${cast.number}`
  })
  cast.id = data.license_id
  cast.key = data.license_key
  cast.machines.push(machine)
})

/** Renews by a period. */
const renew = decided(Effect.fnUntraced(function*(stage: Stage, cast: Cast) {
  const { ask, customers, vendor } = stage
  const customer = customers.get(cast.customer)
  if (customer === undefined || cast.subscription === undefined) return
  const start = cast.paidUntil
  cast.paidUntil += cast.plan.days! * dayMillis
  yield* paid(stage, cast, customer, start)
  yield* ask("PATCH", `/api/v1/subscriptions/${cast.subscription}`, {
    as: vendor.tokens.shop,
    body: { status: "active", current_period_start: instant(start), current_period_end: instant(cast.paidUntil) }
  })
  yield* ask("POST", `/api/v1/licenses/${cast.id}/renew`, {
    as: vendor.tokens.shop,
    key: `shop-${cast.number}-${cast.asked++}`,
    body: { expires_at: instant(cast.paidUntil) }
  })
}))

const cardFails = decided(({ ask, vendor }, cast) =>
  cast.subscription === undefined ? Effect.void : ask(
    "PATCH",
    `/api/v1/subscriptions/${cast.subscription}`,
    { as: vendor.tokens.shop, body: { status: "past_due" } }
  )
)

const revoke = decided((stage, cast) =>
  Effect.map(change(stage, cast, "revoke"), () => {
    cast.isRevoked = true
    cast.machines = []
  })
)

const takeSeat = (stage: Stage, cast: Cast) => app(stage, cast, "floating/checkout", newMachine(cast))

/** People come to the office and take seats; most give them back in the evening, some forget to. */
const openOffice: Act = Effect.fnUntraced(function*(stage, cast) {
  for (let person = cast.chance.whole(1, 4); person > 0; person--) {
    const taken = yield* takeSeat(stage, cast)
    if (taken.status >= 300) continue
    const beat = yield* app(stage, cast, "floating/heartbeat", { lease_token: taken.data.lease_token })
    if (beat.status >= 300 || cast.chance.happens(0.2)) continue
    yield* app(stage, cast, "floating/checkin", { lease_token: beat.data.lease_token })
  }
})

/** On the machine that the license is used on. */
const onMachine = (operation: string, more: (cast: Cast) => object = () => ({})): Act => (stage, cast) =>
  Effect.suspend(() => {
    const { fingerprint } = cast.machines[0] ?? { fingerprint: "not-activated" }
    return Effect.asVoid(app(stage, cast, operation, { fingerprint, ...more(cast) }))
  })

const use = (feature: (cast: Cast) => string, most: (cast: Cast) => number) =>
  onMachine("consume", (cast) => ({
    feature_code: feature(cast),
    amount: cast.chance.whole(1, most(cast)),
    event_id: `job-${cast.number}-${cast.asked}`
  }))

/** The acts by their names. */
export const acts: Readonly<Record<string, Act>> = {
  buy,
  renew,
  "open a trial": openTrial,
  "card fails": cardFails,
  activate: (stage, cast) => activate(stage, cast, newMachine(cast)),
  "release a seat": releaseSeat,
  "move to another machine": (stage, cast) =>
    Effect.andThen(releaseSeat(stage, cast), activate(stage, cast, newMachine(cast))),
  validate: onMachine("validate"),
  use: use(({ plan }) => plan.uses!.feature, ({ plan }) => plan.uses!.most),
  "work offline": onMachine("offline"),
  "open the office": openOffice,
  "take a seat": (stage, cast) => Effect.asVoid(takeSeat(stage, cast)),
  "lose a machine": retire("reset"),
  "block a machine": retire("blacklist"),
  "validate on the blocked machine": (stage, cast) =>
    cast.blocked === undefined ? Effect.void : Effect.asVoid(app(stage, cast, "validate", cast.blocked)),
  "order a file for a machine without network": decided((stage, cast) =>
    stage.ask("POST", `/api/v1/licenses/${cast.id}/offline-files`, {
      as: stage.vendor.tokens.support,
      body: { ...newMachine(cast), license_key: cast.key },
      mayBeRefused: true
    })
  ),
  transfer: decided((stage, cast) => {
    const { email, name } = cast.names.person(cast.chance)
    return change(stage, cast, "transfer", { customer_name: `${name} II`, customer_email: `next.${email}` })
  }),
  "rotate the key": decided((stage, cast) =>
    Effect.map(change(stage, cast, "rotate-key"), ({ data }) => {
      if (data !== undefined) cast.key = data.license_key
    })
  ),
  suspend: decided((stage, cast) => {
    if (cast.isSuspended) return Effect.void
    return Effect.map(change(stage, cast, "suspend"), ({ status }) => void (cast.isSuspended = status < 300))
  }),
  reinstate: decided((stage, cast) => {
    if (!cast.isSuspended) return Effect.void
    cast.isSuspended = false
    return change(stage, cast, "reinstate")
  }),
  refund: decided((stage, cast) =>
    Effect.andThen(
      stage.ask("PATCH", `/api/v1/orders/${cast.order}`, {
        as: stage.vendor.tokens.shop,
        body: { status: "refunded" }
      }),
      revoke(stage, cast)
    )
  ),
  revoke,
  "try on a stranger's machine": (stage, cast) =>
    Effect.asVoid(app(stage, cast, "validate", { fingerprint: "a-stranger" })),
  "try in a virtual machine": (stage, cast) =>
    Effect.asVoid(app(stage, cast, "activate", { ...newMachine(cast), is_vm: true })),
  "ask for a feature that it lacks": use(() => "export-pdf", () => 1),
  "ask with the key of reports": ({ ask, vendor }, { id }) =>
    Effect.asVoid(ask("POST", `/api/v1/licenses/${id}/suspend`, { as: vendor.tokens.reporting, mayBeRefused: true }))
}
