import { Context, Effect, Layer, Result } from "effect"
import { granted } from "../../../domain/evidence/recording/DecidedUse.ts"
import type { LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { DecidedCalls } from "../sightings/DecidedCalls.ts"
import { LastSeen } from "../sightings/LastSeen.ts"
import { Answers } from "./Answers.ts"
import { decided } from "./DecisionMetrics.ts"
import { EntitlementState, questionOf } from "./EntitlementState.ts"
import type { RuntimeCredential } from "./EntitlementState.ts"

const counted = { validate: decided("validate"), check: decided("check") }

/** Answers whether a copy may run, in one round trip to the database. Sightings are written behind (write-behind). */
export class Validations extends Context.Service<Validations, {
  /** Requires an activated device. `validate` notes that it was seen; `check` has the same answer, and does not. */
  readonly answer: (
    operation: "validate" | "check",
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["validate"] | LicenseKeyInvalid>
}>()("countersign/services/licensing/entitlements/Validations") {
  static readonly layer = Layer.effect(
    Validations,
    Effect.gen(function*() {
      const answers = yield* Answers
      const calls = yield* DecidedCalls
      const snapshots = yield* EntitlementState
      const sightings = yield* LastSeen

      return Validations.of({
        answer: (operation, credential, request) => {
          const binding = bindingOf(request)
          return counted[operation](
            Effect.flatMap(snapshots.read(questionOf(credential, request)), (snapshot) => {
              const decision = decide(operation, snapshot, request)
              calls.record({
                operation,
                snapshot,
                request,
                result: Result.isFailure(decision) ? decision.failure._tag : granted
              })
              if (Result.isFailure(decision)) return Effect.fail(decision.failure)
              const deviceId = snapshot.device_id!
              if (operation === "validate") sightings.record(deviceId, snapshot.now, "validated", request)
              return answers.entitlement(snapshot, { deviceId, binding, request })
            })
          )
        }
      })
    })
  )
}
