import { Context, Effect, Layer } from "effect"
import type { LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { decideReplay } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals, RuntimeWrite } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import type { ConsumeRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { readSelfService } from "../../catalog/terms/FeatureTerms.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { knownAs, knownComponents, namedComponents } from "../licenses/DeviceComponents.ts"
import { EntitlementState, leaseTokenHash, licenseQuestion, questionOf } from "./EntitlementState.ts"
import type { RuntimeCredential } from "./EntitlementState.ts"

type Judge<Request, Judged extends RuntimeWrite> = <Operation extends Judged>(
  operation: Operation,
  credential: RuntimeCredential,
  request: Request
) => Effect.Effect<void, Refusals[Operation] | LicenseKeyInvalid>

/**
 * Judges stored answers before they are replayed, because an app believes what is signed. Each function fails as the
 * request would fail today, by the state of license, policy and device. Seats, quotas and leases are not judged: what
 * the first request took of them, it keeps.
 */
export class Replays extends Context.Service<Replays, {
  readonly judge: Judge<RuntimeRequest, "activate" | "deactivate" | "offline" | "checkout" | "refund">
  readonly judgeUse: Judge<ConsumeRequest, "consume">
  /** Judges the giving back of a seat. */
  readonly judgeRelease: (
    credential: RuntimeCredential
  ) => Effect.Effect<void, Refusals["release"] | LicenseKeyInvalid>
  readonly judgeLease: Judge<LeaseRequest, "heartbeat" | "checkin">
}>()("countersign/services/licensing/entitlements/Replays") {
  static readonly layer = Layer.effect(
    Replays,
    Effect.gen(function*() {
      const sql = yield* Database
      const snapshots = yield* EntitlementState
      const vault = yield* Vault

      return Replays.of({
        judge: Effect.fnUntraced(function*(operation, credential, request) {
          const question = questionOf(credential, request)
          const snapshot = yield* snapshots.read(question)
          const deviceRequest = { licenseId: snapshot.license_id, request }
          // A device that was known by its components may have another fingerprint by now.
          const known = snapshot.device_id === null
            ? knownAs(deviceRequest, yield* knownComponents(sql, namedComponents(deviceRequest))).binding
            : question.binding
          yield* Effect.fromResult(decideReplay(
            operation,
            known.key === question.binding.key ? snapshot : yield* snapshots.read({ ...question, binding: known }),
            request
          ))
        }),
        judgeUse: Effect.fnUntraced(function*(operation, credential, request) {
          const snapshot = yield* snapshots.read(questionOf(credential, request))
          const feature = snapshot.features?.find(({ code }) => code === request.feature_code)
          yield* Effect.fromResult(decideReplay(operation, snapshot, request, {
            consumption: { entitled: feature?.enabled === true, remaining: undefined, amount: 0 }
          }))
        }),
        judgeRelease: Effect.fnUntraced(function*(credential) {
          const snapshot = yield* snapshots.read(licenseQuestion(credential))
          const selfService = (yield* readSelfService(sql, [snapshot.license_id])).get(snapshot.license_id)!
          yield* Effect.fromResult(
            decideReplay("release", snapshot, {}, { selfService: { ...selfService, holdsSeat: false } })
          )
        }),
        judgeLease: Effect.fnUntraced(function*(operation, credential, { lease_token, user_token }) {
          // After later heartbeats the lease does not know this token any more; then there is no device to judge.
          const snapshot = yield* snapshots.readLease(credential, leaseTokenHash(vault, lease_token), user_token)
          yield* Effect.fromResult(decideReplay(operation, snapshot, {}, {
            bindingKind: snapshot.binding_kind,
            isVm: snapshot.is_vm
          }))
        })
      })
    })
  )
}
