import { Effect } from "effect"
import { networkOf } from "../../domain/admission/DoorLimits.ts"
import type { RateLimits } from "../admission/RateLimits.ts"
import { RequestOrigin } from "../events/Provenance.ts"

/** The address that the current request is counted under. */
export const callingFrom = Effect.map(RequestOrigin, ({ ipAddress = "" }) => networkOf(ipAddress))

/** Charges a sign-in that is begun to its address, and to all: nobody is known yet. */
export const chargeSignIn = (limits: RateLimits["Service"]) =>
  Effect.gen(function*() {
    yield* limits.request("sign_ins", yield* callingFrom)
    yield* limits.request("all_sign_ins", "all")
  })
