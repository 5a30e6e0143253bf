import { Clock, Data, Effect, Exit, Schedule } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { empty, fillingSession, vacate } from "../environments/EnvironmentDatabase.ts"
import type { EnvironmentTarget } from "../environments/EnvironmentDatabase.ts"
import { connectOnce } from "../postgres/DatabaseServer.ts"
import {
  app,
  buy,
  cardFails,
  castOf,
  change,
  dayMillis,
  decided,
  instant,
  makeVendor,
  newMachine,
  openTrial,
  plotsOf,
  refund,
  renew,
  year
} from "./Cast.ts"
import type { Act, Cast, Machine, PlottedAct, Stage } from "./Cast.ts"
import type { Ask } from "./SeedApp.ts"
import { makeSeedApp, StoryBroken } from "./SeedApp.ts"
import { findUsed } from "./SeedSql.ts"
import { botched, endpoints, lastActs, products, vendorName } from "./Story.ts"

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

/** Local receivers of webhooks, for the duration of the story. */
const makeReceiver = Effect.gen(function*() {
  const accepted = new Map<string, Set<string>>()
  const acceptedBy = (path: string) => accepted.get(path) ?? accepted.set(path, new Set()).get(path)!
  const pathOf = (name: string) => `/${encodeURIComponent(name)}`
  let failing: string | undefined
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).once("end", () => {
      const path = request.url ?? ""
      const isFailing = path === failing
      if (!isFailing) acceptedBy(path).add(String(JSON.parse(Buffer.concat(chunks).toString()).id))
      response.writeHead(isFailing ? 500 : 204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return {
    /** Where a receiver listens. */
    urlOf: (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathOf(name)}`,
    /** The ids of the events that it has accepted. */
    accepted: (name: string): ReadonlySet<string> => acceptedBy(pathOf(name)),
    /** Switches whether a receiver answers 500. */
    fail: (name: string | undefined) => void (failing = name === undefined ? undefined : pathOf(name))
  }
})

/** The environment contains data that a story must not be mixed with. The message says what. */
class NotEmpty extends Data.TaggedError("NotEmpty")<{ readonly message: string }> {}

/** The input of sample data. */
export interface SeedOptions {
  readonly licenses: number
  /** The same seed gives the same story, relative to today; keys and secrets are always new. */
  readonly seed: string
}

/** Takes the progress, in acts, and the time of the clock in Unix milliseconds. */
export type SeedProgress = (played: number, of: number, now: number) => Effect.Effect<void>

/** A license that can be asked about with its key. */
export interface KnownLicense {
  readonly product: string
  readonly policy: string
  readonly key: string
  readonly fingerprint: string
}

/** From this number of licenses on every day has events, so the clock stops at each day; otherwise at each week. */
const busyFrom = 1000

/** An act, and whose it is. */
interface Due extends PlottedAct {
  readonly cast: Cast
}

/** Licenses that something happens to at the same time. */
const atOnce = 200

/** How long the last webhooks may take to arrive. */
const arrivesWithin = "60 seconds"

/** Claims an unused environment, with its clock at the start of the story. */
const take = Effect.fnUntraced(function*(target: EnvironmentTarget, begin: number) {
  const used = yield* Effect.scoped(Effect.flatMap(connectOnce(target.url, fillingSession), findUsed))
  if (used !== undefined) {
    return yield* new NotEmpty({
      message: `The ${target.name} environment has ${used.replaceAll("_", " ")} already, and sample data could not ` +
        "be distinguished from them. No changes made. If nothing in it is needed, reset it: countersign api " +
        `resetEnvironment --environment ${target.name}`
    })
  }
  yield* vacate(target)
  yield* empty(target, { isFilling: true, now: new Date(begin) })
})

/** The stops of the clock, in days of the year; by daylight, and each at another time of the day. */
const stopsOf = (licenses: number, begin: number, end: number): ReadonlyArray<number> => {
  const every = licenses < busyFrom ? 7 : 1
  const midnight = Math.floor(begin / dayMillis) * dayMillis
  const stops = Array.from(
    { length: Math.ceil(year / every) + 1 },
    (_, index) => midnight + index * every * dayMillis + (8 + index * 7 % 10) * 3_600_000
  )
  const days = [...stops.filter((at) => at > begin && at < end - 3_600_000), end].map((at) => (at - begin) / dayMillis)
  // The receiver fails for no longer than it should, or its endpoint would be disabled.
  return [...days, botched.day, botched.day + botched.days].toSorted((one, other) => one - other)
}

/** Moves the clock; to real time where no instant is given. */
const moveTo = (ask: Ask, at?: number): Effect.Effect<void, StoryBroken> =>
  Effect.gen(function*() {
    const now = instant(at ?? (yield* Clock.currentTimeMillis))
    yield* ask("PUT", "/api/v1/environment/clock", { body: { now } })
    if (at !== undefined) return
    const { data } = yield* ask("GET", "/api/v1/environment")
    if (data.clock_moved === true) yield* moveTo(ask)
  })

/** Plays due acts, one at a time for each license; the one with most to do begins. */
const play = (stage: Stage, due: ReadonlyArray<Due>) =>
  Effect.forEach(
    [...Map.groupBy(due, ({ cast }) => cast).values()].toSorted((one, other) => other.length - one.length),
    Effect.forEach(({ act, cast }) =>
      cast.id === "" && !/^(buy|open)/.test(act) ? Effect.void : acts[act]!(stage, cast)
    ),
    { concurrency: atOnce, discard: true }
  )

/** The ids of the events of a type in the feed. */
const eventsOf = Effect.fnUntraced(function*(ask: Ask, type: string) {
  const ids: Array<string> = []
  for (let cursor = "", hasMore = true; hasMore;) {
    const { data, page } = yield* ask("GET", `/api/v1/events?event_type=${type}&limit=200&order=asc${cursor}`)
    for (const { id } of data) ids.push(id)
    hasMore = page.has_more === true
    cursor = `&cursor=${encodeURIComponent(String(page.next_cursor))}`
  }
  return ids
})

/** Fails unless every event has arrived at the receivers of its type. */
const checkArrivals = Effect.fnUntraced(function*(ask: Ask, accepted: (name: string) => ReadonlySet<string>) {
  let arrived = 0
  for (const { name, types } of endpoints) {
    const ids = (yield* Effect.forEach(types, (type) => eventsOf(ask, type))).flat()
    const missing = Effect.sync(() => ids.filter((id) => !accepted(name).has(id)))
    const left = yield* missing.pipe(
      Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (left) => left.length === 0 }),
      Effect.timeoutOrElse({ duration: arrivesWithin, orElse: () => missing })
    )
    if (left.length > 0) {
      return yield* new StoryBroken({ message: `${left.length} of ${ids.length} webhooks did not arrive at ${name}` })
    }
    arrived += ids.length
  }
  return arrived
})

/** Releases the products that are due since the previous stop; days of the story count from its start. */
const release = Effect.fnUntraced(function*({ ask, now, vendor }: Stage, before: number, day: number) {
  for (const { code, versions } of products) {
    for (const [version, daysBack] of Object.entries(versions)) {
      if (year - daysBack > day || year - daysBack <= before) continue
      yield* ask("POST", `/api/v1/products/${vendor.productOf({ product: code })}/versions`, {
        body: { version, released_at: instant(now()) }
      })
    }
  }
})

type Receiver = Effect.Success<typeof makeReceiver>

/** Plays the year: moves the clock from stop to stop, and plays what is due by then. */
const playYear = Effect.fnUntraced(function*(
  { ask, vendor }: Pick<Stage, "ask" | "vendor">,
  casts: ReadonlyArray<Cast>,
  { begin, end, receiver }: { readonly begin: number; readonly end: number; readonly receiver: Receiver },
  progress: SeedProgress
) {
  const agenda = casts.flatMap((cast) => cast.acts.map((act): Due => ({ ...act, cast })))
    .toSorted((a, b) => a.day - b.day)
  let now = begin
  const stage: Stage = { ask, vendor, now: () => now, customers: new Map() }
  let played = 0
  let before = 0
  for (const day of stopsOf(casts.length, begin, end)) {
    now = begin + day * dayMillis
    yield* moveTo(ask, now)
    receiver.fail(day >= botched.day && day < botched.day + botched.days ? botched.endpoint : undefined)
    yield* release(stage, before, day)
    const first = played
    while (played < agenda.length && agenda[played]!.day <= day) played++
    yield* play(stage, agenda.slice(first, played))
    yield* progress(played, agenda.length, now)
    before = day
  }
  yield* moveTo(ask)
  return { stage, acts: agenda.length }
})

/** Moves the endpoints to their final URLs, and waits until the unreachable one has failed. */
const moveReceivers = Effect.fnUntraced(function*(stage: Stage, running: ReadonlyArray<Cast>) {
  const { ask } = stage
  const hooks = (yield* ask("GET", "/api/v1/webhooks")).data
  for (const { afterwards, name } of endpoints) {
    const { id } = hooks.find((hook: { readonly name: string }) => hook.name === name)
    yield* ask("PATCH", `/api/v1/webhooks/${id}`, { body: afterwards })
  }
  for (const cast of running.slice(-lastActs.licenses)) yield* acts[lastActs.act]!(stage, cast)
  yield* ask("GET", "/api/v1/webhooks").pipe(
    Effect.repeat({
      schedule: Schedule.spaced("100 millis"),
      until: ({ data }): boolean => data.some((endpoint: object) => "failing_since" in endpoint)
    }),
    Effect.timeoutOption("10 seconds")
  )
})

/** A license of each product that is valid for some days and has a device. */
const knownOf = (running: ReadonlyArray<Cast>, end: number): ReadonlyArray<KnownLicense> => {
  const known = new Map<string, KnownLicense>()
  for (const { key, machines: [machine], paidUntil, plan, state } of running) {
    const isLasting = plan.days === undefined || paidUntil > end + 5 * dayMillis
    if (machine === undefined || state !== "active" || !isLasting || plan.sale === "trial" || known.has(plan.product)) {
      continue
    }
    const product = products.find(({ code }) => code === plan.product)!.name
    known.set(plan.product, { product, policy: plan.policy.name, key, fingerprint: machine.fingerprint })
  }
  return [...known.values()]
}

/** Sample data, as it is there now. */
export interface Seeded {
  readonly vendor: string
  readonly licenses: number
  readonly acts: number
  readonly webhooks: number
  readonly endpoints: number
  readonly known: ReadonlyArray<KnownLicense>
}

/**
 * Plays a year of an invented vendor in an unused environment that the caller has locked: by the operations that
 * every vendor has, under a clock that starts a year ago. Fails if a webhook did not arrive, and then leaves an empty
 * environment.
 */
export const seedVendor = Effect.fn("seedVendor")(function*(
  target: EnvironmentTarget,
  { licenses, seed }: SeedOptions,
  progress: SeedProgress
) {
  const end = yield* Clock.currentTimeMillis
  const begin = end - year * dayMillis
  yield* take(target, begin)
  // A failed run leaves no half story, which the next command would take for real data.
  yield* Effect.addFinalizer((exit) =>
    Exit.isSuccess(exit) ? Effect.void : Effect.ignore(empty(target, { isFilling: true }))
  )
  const receiver = yield* makeReceiver
  const ask = yield* makeSeedApp(target)
  const vendor = yield* makeVendor(ask)
  for (const { name, types } of endpoints) {
    yield* ask("POST", "/api/v1/webhooks", { body: { name, url: receiver.urlOf(name), event_types: types } })
  }
  const casts = plotsOf(seed, licenses).map(castOf)
  const { acts, stage } = yield* playYear({ ask, vendor }, casts, { begin, end, receiver }, progress)
  const webhooks = yield* checkArrivals(ask, receiver.accepted)
  const running = casts.filter(({ id, state }) => id !== "" && state === "active")
  yield* moveReceivers(stage, running)
  const known = knownOf(running, end)
  return { vendor: vendorName, licenses, acts, webhooks, endpoints: endpoints.length, known } satisfies Seeded
})
