import { Effect } from "effect"
import { app, change, decided, newMachine } from "./Cast.ts"
import type { Act, Cast, Machine, Stage } from "./Cast.ts"
import { buy, cardFails, openTrial, refund, renew } from "./Sales.ts"

/** Activates a new machine; it is one of the license's where that succeeds. */
const activate: Act = (stage, cast) => {
  const machine = newMachine(cast)
  return Effect.map(app(stage, cast, "activate", machine), ({ status }) => {
    if (status < 300) cast.machines = [...cast.machines, machine]
  })
}

const releaseSeat: Act = (stage, cast) => {
  const [machine, ...others] = cast.machines
  if (machine === undefined) return Effect.void
  return Effect.map(app(stage, cast, "deactivate", machine), ({ status }) => {
    if (status < 300) cast.machines = others
  })
}

/** Resets or blacklists the first machine. */
const retire = (action: "reset" | "blacklist") =>
  decided(Effect.fnUntraced(function*(stage, cast) {
    const [machine, ...others] = cast.machines
    if (machine === undefined) return
    cast.machines = others
    const { data } = yield* stage.ask("GET", `/api/v1/licenses/${cast.id}/devices`)
    const device = data.find(({ fingerprint }: Machine) => fingerprint === machine.fingerprint)
    yield* change(stage, cast, `devices/${device.id}/${action}`)
    if (action === "blacklist") cast.blocked = machine
  }))

const revoke = decided((stage, cast) =>
  Effect.map(change(stage, cast, "revoke"), () => {
    cast.state = "revoked"
    cast.machines = []
  })
)

/** Suspends or reinstates a license that is in the other state. */
const switched = (action: "suspend" | "reinstate", from: Cast["state"], to: Cast["state"]): Act => (stage, cast) =>
  cast.state !== from ? Effect.void : Effect.map(change(stage, cast, action), ({ status }) => {
    if (status < 300) cast.state = to
  })

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

/** A request of the app; where it does not say more, on the machine that the license is used on. */
const inApp = (operation: string, more: (cast: Cast) => object = () => ({})): Act => (stage, cast) => {
  const fingerprint = cast.machines[0]?.fingerprint ?? "not-activated"
  return app(stage, cast, operation, { fingerprint, ...more(cast) })
}

const use = (feature: (cast: Cast) => string, most: (cast: Cast) => number) =>
  inApp("consume", (cast) => ({
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
  activate,
  "release a seat": releaseSeat,
  "move to another machine": (stage, cast) => Effect.andThen(releaseSeat(stage, cast), activate(stage, cast)),
  validate: inApp("validate"),
  use: use(({ plan }) => plan.uses!.feature, ({ plan }) => plan.uses!.most),
  "work offline": inApp("offline"),
  "open the office": openOffice,
  "take a seat": takeSeat,
  "lose a machine": retire("reset"),
  "block a machine": retire("blacklist"),
  "validate on the blocked machine": (stage, cast) =>
    cast.blocked === undefined ? Effect.void : app(stage, cast, "validate", cast.blocked),
  "order a file for a machine without network": decided((stage, cast) =>
    change(stage, cast, "offline-files", { ...newMachine(cast), license_key: cast.key })
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
  suspend: switched("suspend", "active", "suspended"),
  reinstate: switched("reinstate", "suspended", "active"),
  refund: decided((stage, cast) => Effect.andThen(refund(stage, cast), revoke(stage, cast))),
  revoke,
  "try on a stranger's machine": inApp("validate", () => ({ fingerprint: "a-stranger" })),
  "try in a virtual machine": inApp("activate", (cast) => ({ ...newMachine(cast), is_vm: true })),
  "ask for a feature that it lacks": use(() => "export-pdf", () => 1),
  "ask with the key of reports": ({ ask, vendor }, { id }) =>
    ask("POST", `/api/v1/licenses/${id}/suspend`, { as: vendor.tokens.reporting, mayBeRefused: true })
}
