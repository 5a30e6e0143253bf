import { Effect, Equal } from "effect"
import type { Judgement } from "../../services/access/Scopes.ts"
import type { Actor } from "../../services/events/Provenance.ts"

/**
 * Works in the name of a token's actor; answers who that is, and how the work ended. What changes nothing begins while the
 * token is judged, in the name of whom it is presumed to be: the look-up and the first statement of a read then reach the
 * database in one flight. Nothing of it is answered, not even a failure, before the token is judged. A denial ends it, and
 * for another actor, or one with other rights, it is done again.
 */
export const whileJudged = <A, E, R, Denial, R2>(
  { actor, presumed }: {
    readonly actor: Effect.Effect<Actor, Denial, R2>
    readonly presumed: Judgement["presumed"]
  },
  work: (actor: Actor) => Effect.Effect<A, E, R>
) => {
  const ended = (actor: Actor) => Effect.map(Effect.exit(work(actor)), (exit) => ({ actor, exit }))
  return presumed === undefined ? Effect.flatMap(actor, ended) : Effect.flatMap(
    Effect.all([actor, ended(presumed)], { concurrency: "unbounded" }),
    ([judged, end]) => Equal.equals(judged, presumed) ? Effect.succeed(end) : ended(judged)
  )
}
