import { Effect } from "effect"
import { app, change, decided, newMachine } from "./Cast.ts"
import type { Act, Cast, Machine, Stage } from "./Cast.ts"
import { buy, cardFails, openTrial, renew } from "./Sales.ts"

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
    event_id: `job-${cast.number}-${cast.requests}`
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
