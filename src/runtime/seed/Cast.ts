import { Effect } from "effect"
import type { Deferred } from "effect"
import type { Plot } from "./Plot.ts"
import type { Ask, StoryBroken } from "./SeedApp.ts"
import type { Vendor } from "./Vendor.ts"

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
export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

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
