import { Effect } from "effect"
import { failing, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { beyondGranter } from "../../domain/people/Rights.ts"
import type { Concerned, Granter } from "../../domain/people/Rights.ts"
import { bootstrapActor, CurrentActor } from "../log/Provenance.ts"
import { ManagementKeys } from "./access/ManagementKeys.ts"

/** Makes the check that nobody gives or takes rights that he has not. */
export const makeGranters = Effect.gen(function*() {
  const keys = yield* ManagementKeys

  const granter = Effect.flatMap(
    CurrentActor,
    ({ id, person, scopes }): Effect.Effect<Granter> =>
      id === bootstrapActor.id || person !== undefined
        ? Effect.succeed({ scopes, allowed_cidrs: [] })
        : Effect.orDie(keys.get(id))
  )

  /** Rights that the actor lacks of those given or taken, in words. */
  const lacking = (concerned: Concerned) => Effect.map(granter, (held) => beyondGranter(held, concerned))

  return {
    lacking,
    /** Fails where the actor lacks what is given or taken. */
    check: Effect.fnUntraced(function*(concerned: Concerned) {
      const beyond = yield* lacking(concerned)
      if (beyond.length === 0) return
      return yield* failing(TokenScopeDenied, "You can give or take only rights that you have.", {
        detail: beyond.join("; ")
      })
    })
  }
})
