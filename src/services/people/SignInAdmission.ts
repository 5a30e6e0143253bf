import { Context, Effect } from "effect"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import type { RateLimits } from "../ground/admission/RateLimits.ts"
import { RequestOrigin } from "../log/Provenance.ts"

/** The address that the current request is counted under. */
export const callingFrom = Effect.map(RequestOrigin, ({ ipAddress = "" }) => networkOf(ipAddress))

/**
 * The keyed hash of the secret of the session that the browser had when a sign-in began; undefined where it had none. A new session of the
 * same person takes its place.
 */
export const FormerSession = Context.Reference<Uint8Array | undefined>("countersign/services/people/FormerSession", {
  defaultValue: () => undefined
})

/**
 * Charges a sign-in that is begun to its address: nobody is known yet. There is no limit of all, which a few networks would use up to
 * keep everybody else out. What is begun is with the browser, so that it costs no memory and no row here.
 */
export const chargeSignIn = (limits: RateLimits["Service"]) =>
  Effect.flatMap(callingFrom, (address) => limits.request("sign_ins", address))
