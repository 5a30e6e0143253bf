import { Effect } from "effect"
import type { Scope } from "effect"
import { networkOf } from "../../../domain/ground/admission/DoorLimits.ts"
import { failing, Unavailable } from "../../../domain/ground/wire/Errors.ts"
import type { Admission } from "../../../services/ground/admission/Admission.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import { noPlace } from "./Refusal.ts"

/**
 * Takes a place for a streamed answer until the current request ends. Fails when too many are in flight, because each
 * holds memory for as long as its peer takes to read it.
 */
export const takePlace = (admission: Admission["Service"]): Effect.Effect<void, Unavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const { ipAddress } = yield* RequestOrigin
    const release = admission.large(networkOf(ipAddress ?? ""), yield* CurrentEnvironment)
    if (release === undefined) {
      admission.count("large_answers")
      return yield* failing(Unavailable, noPlace)
    }
    yield* Effect.addFinalizer(() => Effect.sync(release))
  })
