import { Context, Effect } from "effect"
import type {
  PersonMismatch,
  RateLimited,
  TokenExpired,
  TokenScopeDenied,
  Unauthenticated
} from "../../../domain/ground/wire/Errors.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { AskingPage } from "../../../domain/people/Session.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import type { Actor } from "../../log/Provenance.ts"

/** Answers who acts by the secret of a session, or why not. */
export type AuthorizePerson = (
  token: string,
  scopes: ReadonlyArray<Scope>,
  address: string,
  page?: AskingPage
) => Effect.Effect<Actor, PersonMismatch | RateLimited | TokenExpired | TokenScopeDenied | Unauthenticated>

/** The questions of environments about people: who acts by a session, and with which rights somebody is without one. */
interface People {
  readonly authorize: AuthorizePerson
  /** The rights that a person has at this moment. */
  readonly standing: (id: string, needed: ReadonlyArray<Scope>) => Effect.Effect<Actor, TokenScopeDenied>
  readonly emailOf: (id: string) => Effect.Effect<string | undefined>
}

/** Where the live environment of a process offers its people to those beside it. */
export interface OfferedPeople {
  people: People | undefined
}

/**
 * People are those of the live environment, in each environment: one list, whose sessions and roles count everywhere. A process makes
 * one of these for all its environments. A command that fills an environment makes none: nobody signs in to it.
 */
export const LivePeople = Context.Reference<OfferedPeople | undefined>(
  "countersign/services/people/access/LivePeople",
  {
    defaultValue: () => undefined
  }
)

/** Offers the people of live to the environments beside it. Anywhere else it does nothing. */
export const offerPeople = Effect.fnUntraced(function*(people: People) {
  const offered = yield* LivePeople
  if (offered === undefined || (yield* CurrentEnvironment) !== "live") return
  const context = yield* Effect.context<never>()
  // Asked by the clock, the connections and the metrics of live, and in no transaction of the environment that asks.
  const inLive = <A, E>(asked: Effect.Effect<A, E>) => Effect.updateContext<A, E, never, never>(asked, () => context)
  offered.people = {
    authorize: (...args) => inLive(people.authorize(...args)),
    standing: (...args) => inLive(people.standing(...args)),
    emailOf: (...args) => inLive(people.emailOf(...args))
  }
})

/** Answers what asks for the people of live, from an environment beside it; in live itself, and where there is none, for nobody. */
export const makePeopleOfLive: Effect.Effect<() => People | undefined> = Effect.gen(function*() {
  const offered = yield* LivePeople
  return (yield* CurrentEnvironment) === "live" ? () => undefined : () => offered?.people
})
