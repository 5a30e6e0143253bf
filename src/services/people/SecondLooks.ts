import { Effect } from "effect"
import type { SecondLookAction } from "../../domain/security/SecondLook.ts"
import { ApprovalRequired, failing } from "../../domain/wire/Errors.ts"
import { CurrentActor, CurrentSecondPerson } from "../events/Provenance.ts"

/**
 * Fails where a role of the person who acts needs a second person for an action, and none has approved it. An API key is no
 * person, and is not asked.
 */
export const checkSecondLook = (action: SecondLookAction): Effect.Effect<void, ApprovalRequired> =>
  Effect.gen(function*() {
    const { person } = yield* CurrentActor
    if (person?.secondLook?.includes(action) !== true || (yield* CurrentSecondPerson) !== undefined) return
    return yield* failing(
      ApprovalRequired,
      "Your role needs a second person for this. Ask with POST /api/v1/approvals, with the same parameters and body.",
      { detail: action }
    )
  })
