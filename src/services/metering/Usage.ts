import { Context, Effect, Exit, Layer } from "effect"
import { Hex } from "effect/encoding"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { ConsumeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { stillInFlight } from "../access/Idempotency.ts"
import type { IdempotentRequest, Repeatable, StoredAnswer } from "../access/Idempotency.ts"
import { crowded, CurrentShare } from "../admission/FairShare.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Replays } from "../entitlements/Replays.ts"
import { RequestOrigin } from "../events/Provenance.ts"
import { makeGroupCommit } from "../persistence/GroupCommit.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { UsageGroup } from "./UsageGroup.ts"
import type { Consumption, ConsumptionRefusal } from "./UsageGroup.ts"

/** Metered features: each use is counted once, and never beyond the quota. */
export class Usage extends Context.Service<Usage, {
  /**
   * Counts a use. Uses that arrive together share a transaction (group commit), so that a busy license is locked once
   * for all of them; each is answered as if it had come alone. The answer is made by `write` and stored in the same
   * transaction under the request's idempotency key, unless nothing was counted. A stored answer is judged again before
   * it is replayed.
   */
  readonly consume: (
    credential: RuntimeCredential,
    request: ConsumeRequest,
    idempotent: IdempotentRequest,
    write: (answer: SignedAnswer) => StoredAnswer
  ) => Effect.Effect<Repeatable, ConsumptionRefusal>
}>()("countersign/services/metering/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const batch = yield* UsageGroup
      const replays = yield* Replays
      const submit = yield* makeGroupCommit<Consumption, Repeatable, ConsumptionRefusal>({
        keyOf: ({ credential }) => Hex.encode(credential.keyHash),
        maximum: 256,
        concurrency: 4,
        patientConcurrency: 2,
        // A group belongs to many callers, so no caller's fair share is charged for it.
        commit: (uses, patience) => Effect.provideService(batch.commit(uses, patience), CurrentShare, undefined),
        stopped: Exit.die(crowded("The service is shutting down."))
      })
      /** Idempotency keys of requests that are not answered yet. No two requests of one group may share a key. */
      const running = new Set<string>()

      const consume = Effect.fn("Usage.consume")(function*(
        credential: RuntimeCredential,
        request: ConsumeRequest,
        idempotent: IdempotentRequest,
        write: (answer: SignedAnswer) => StoredAnswer
      ) {
        const name = `${idempotent.principal}\n${idempotent.key}`
        if (running.has(name)) return yield* stillInFlight
        const origin = yield* RequestOrigin
        const use = { credential, request, binding: bindingOf(request), idempotent, origin, write }
        // Not interrupted when the caller hangs up: the key stays taken until the use is decided.
        const given = yield* Effect.suspend(() => {
          running.add(name)
          return submit(use, () => running.delete(name))
        }).pipe(Effect.uninterruptible)
        if (given.replayed) yield* replays.judgeUse("consume", credential, request)
        return given
      })

      return Usage.of({ consume })
    })
  )
}
