import { Schema } from "effect"
import { count, field, optional } from "../ground/wire/Fields.ts"

/** The ways in that can be refused: the console takes a token, too. */
const RefusedMethod = Schema.Literals(["invitation", "openid_connect", "passkey", "token"]).annotate({
  identifier: "RefusedSignInMethod",
  description: "The way in that was tried: as `SignInMethod`, or a `token` in the console."
})
export type RefusedMethod = typeof RefusedMethod.Type

/** A sign-in that was refused, as its event tells it. Where it came from, the event itself says. */
export const RefusedSignIn = Schema.Struct({
  sign_in_method: RefusedMethod,
  reason: field(Schema.String, "The reason of the refusal, as the sign-in page showed it."),
  unrecorded: optional(count(1), "Refusals from the same network since the last event, which have none of their own.")
}).annotate({
  identifier: "SignInRefusedEventData",
  description: "A sign-in that was refused.",
  examples: [{ sign_in_method: "passkey", reason: "This passkey is not valid here. Begin again." }]
})

/** How many refusals of one network, and of all, are events in an hour on a node: the log is kept for years, and strangers write into it. */
export const refusalsEach = 5
export const refusalsOfAll = 60

/** The networks that are counted apart; those beyond are counted together. */
const mostNetworks = 1000

/** The refusals of an hour, as a node counts them. */
interface RefusedHour {
  readonly hour: number
  readonly written: number
  readonly byNetwork: ReadonlyMap<string, { readonly written: number; readonly left: number }>
}

/** The hour before anything was refused. */
export const noRefusals: RefusedHour = { hour: 0, written: 0, byNetwork: new Map() }

/** Whether another refusal is an event, how many of its network were none since the last one, and what is counted then. */
export const counted = (
  before: RefusedHour,
  network: string,
  hour: number
): { readonly after: RefusedHour; readonly isWritten: boolean; readonly unrecorded: number } => {
  const isSame = before.hour === hour
  const known = before.byNetwork.get(network)
  const byNetwork = new Map(
    isSame ?
      before.byNetwork :
      [...before.byNetwork].flatMap(([name, { left }]) => left > 0 ? [[name, { written: 0, left }] as const] : [])
  )
  const key = known !== undefined || byNetwork.size < mostNetworks ? network : "others"
  const { left, written } = byNetwork.get(key) ?? { left: 0, written: 0 }
  const all = isSame ? before.written : 0
  const isWritten = written < refusalsEach && all < refusalsOfAll
  byNetwork.set(key, isWritten ? { written: written + 1, left: 0 } : { written, left: left + 1 })
  return {
    after: { hour, written: all + (isWritten ? 1 : 0), byNetwork },
    isWritten,
    unrecorded: left
  }
}
