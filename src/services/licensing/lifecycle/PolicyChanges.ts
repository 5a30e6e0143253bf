import { Context, Effect, Layer } from "effect"
import type { PolicyCreate, PolicyUpdate } from "../../../domain/catalog/Policy.ts"
import { warningsAboutQuotas } from "../../../domain/catalog/terms/QuotaWarnings.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import { failing, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type {
  Conflict,
  PreconditionFailed,
  TokenScopeDenied,
  ValidationError,
  Warned
} from "../../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { seatsBeyond } from "../../../domain/licensing/entitlements/SeatsBeyond.ts"
import type { SeatsBeyond, SeatsGivenOut } from "../../../domain/licensing/entitlements/SeatsBeyond.ts"
import { changedRules, noReach, reachOf } from "../../../domain/licensing/explaining/PolicyDryRun.ts"
import type { PolicyWritten } from "../../../domain/licensing/explaining/PolicyDryRun.ts"
import { previewsOf } from "../../../domain/licensing/explaining/PolicyPreview.ts"
import { followedAfter, warningAboutPaid } from "../../../domain/licensing/lifecycle/Following.ts"
import { policyDifferences } from "../../../domain/licensing/lifecycle/PolicyChange.ts"
import type { PolicyChange, PolicyChanged, SeatDifference } from "../../../domain/licensing/lifecycle/PolicyChange.ts"
import { moved, movedTo } from "../../../domain/licensing/lifecycle/PolicyMove.ts"
import { Policies } from "../../catalog/Policies.ts"
import type { RehearsedPolicy } from "../../catalog/Policies.ts"
import { Products } from "../../catalog/Products.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { lockNamed } from "../../customers/CustomerSql.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { Devices } from "../licenses/Devices.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { LicenseFeatures } from "../licenses/LicenseFeatures.ts"
import { Licenses } from "../licenses/Licenses.ts"
import type { HeldLicense } from "../licenses/Licenses.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { listSeatedUsers } from "../licenses/LicenseUserSql.ts"
import { SubscriptionFollowing } from "../licenses/SubscriptionFollowing.ts"
import { findPaying, listLiveLeases, listSeatedDevices } from "./LicenseChangeSql.ts"
import { countReached, readReached } from "./PolicyReachSql.ts"

/** Says what writes of policies would do. Nothing is written, and what contradicts itself is a finding, not a refusal. */
export class PolicyDryRuns extends Context.Service<PolicyDryRuns, {
  readonly create: (productId: string, input: PolicyCreate) => Effect.Effect<PolicyWritten, NotFound | Conflict>
  readonly update: (
    id: string,
    changes: PolicyUpdate
  ) => Effect.Effect<PolicyWritten, NotFound | Conflict | PreconditionFailed | TokenScopeDenied>
}>()("countersign/services/licensing/lifecycle/PolicyDryRuns") {
  static readonly layer = Layer.effect(
    PolicyDryRuns,
    Effect.gen(function*() {
      const sql = yield* Database
      const policies = yield* Policies
      const products = yield* Products

      const reach = Effect.fnUntraced(function*(policyId: string, before: Rules, after: Rules) {
        const [row] = yield* countReached(sql, {
          policyId,
          rules: changedRules(before, after),
          after
        })
        return reachOf(before, after, readReached(row!))
      })

      const written = Effect.fnUntraced(function*({ after, before, findings }: RehearsedPolicy) {
        const product = yield* products.get(after.product_id)
        return {
          ...after,
          dry_run: {
            findings,
            reach: before === undefined ? noReach : yield* reach(after.id, rulesOf(before), rulesOf(after)),
            preview: findings.length > 0 ? [] : previewsOf(after, product, new Date(after.updated_at))
          }
        } satisfies PolicyWritten
      })

      return PolicyDryRuns.of({
        create: Effect.fn("PolicyDryRuns.create")((productId: string, input: PolicyCreate) =>
          Effect.flatMap(policies.rehearseCreation(productId, input), written)
        ),
        update: Effect.fn("PolicyDryRuns.update")((id: string, changes: PolicyUpdate) =>
          Effect.flatMap(policies.rehearseUpdate(id, changes), written)
        )
      })
    })
  )
}

/** Puts licenses under another policy. */
export class PolicyChanges extends Context.Service<PolicyChanges, {
  /**
   * Answers the license after the change with all that is different. A dry run carries the change out as well, and rolls
   * it back, so that both answer the same.
   */
  readonly change: (
    id: string,
    request: PolicyChange
  ) => Effect.Effect<Warned<PolicyChanged>, NotFound | StateConflict | ValidationError>
}>()("countersign/services/licensing/lifecycle/PolicyChanges") {
  static readonly layer = Layer.effect(
    PolicyChanges,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const features = yield* LicenseFeatures
      const following = yield* SubscriptionFollowing
      const leases = yield* LeaseClosing
      const licenses = yield* Licenses
      const users = yield* LicenseUsers

      /** The policy that the license is to be under; it is not deleted until the surrounding transaction ends. */
      const target = Effect.fnUntraced(function*({ license }: HeldLicense, id: string) {
        const [policy] = yield* lockNamed(sql, "policies", [id], { limit: yield* CurrentProducts })
        if (policy === undefined) return yield* failing(NotFound, "No policy has the id in policy_id.")
        if (policy.product_id !== license.product_id) {
          return yield* invalidField("policy_id", "other_product", "belongs to another product")
        }
        if (license.status === "revoked") {
          return yield* failing(StateConflict, "A revoked license stays under its policy.", { detail: "revoked" })
        }
        if (policy.id === license.policy_id) {
          return yield* failing(StateConflict, "The license is under this policy already.", { detail: "same_policy" })
        }
        return policy
      })

      /** The seats that the license has given out. It is locked. */
      const givenOut = Effect.fnUntraced(function*(licenseId: string) {
        const devices = yield* listSeatedDevices(sql, licenseId)
        const leases = yield* listLiveLeases(sql, licenseId)
        const users = yield* listSeatedUsers(sql, licenseId)
        return { devices, leases, users } satisfies SeatsGivenOut
      })

      const giveBack = Effect.fnUntraced(function*(licenseId: string, seats: SeatsBeyond) {
        yield* devices.resetSome(licenseId, seats.devices)
        yield* users.removeSome(licenseId, seats.users, "reduced")
        if (seats.leases.length > 0) yield* leases.end({ licenseId, leaseId: seats.leases }, "released")
        return [
          ...seats.devices.map((id): SeatDifference => ({ kind: "device", id })),
          ...seats.leases.map((id): SeatDifference => ({ kind: "lease", id })),
          ...seats.users.map((id): SeatDifference => ({ kind: "user", id }))
        ]
      })

      const granted = (id: string) =>
        Effect.map(readFeatureTerms(sql, id), (found) => found.map(({ feature }) => feature))

      const carryOut = Effect.fnUntraced(function*(id: string, request: PolicyChange) {
        const { links, subscription } = yield* following.linked(id, request)
        const held = yield* licenses.hold(id)
        const { license, now } = held
        const policy = yield* target(held, request.policy_id)
        const left = yield* Effect.mapError(
          Effect.fromResult(moved(
            license,
            { id: policy.id, license_type: policy.license_type, rules: rulesOf(policy), subscription },
            request,
            now.getTime()
          )),
          invalidRequest
        )
        yield* features.settleRollover(id)
        const before = { license, rules: held.rules, features: yield* granted(id) }
        const chosen = new Set(request.reset_device_ids)
        const seats = yield* Effect.fromResult(seatsBeyond(yield* givenOut(id), left.rules, request.devices, chosen))
        const change = { ...movedTo(policy.id, left), ...links }
        const followed = subscription === undefined ? [] : followedAfter(license, change, subscription, now.getTime())
        yield* licenses.write(held, change, {
          type: "license.policy_changed",
          metadata: { previous_policy_id: license.policy_id },
          policy: rulesOf(policy)
        })
        if (subscription !== undefined) yield* following.write(followed, subscription)
        yield* features.carryCredits(id, before.features)
        const counters = request.counters === "restart" ? yield* features.restart(id) : []
        const settled = yield* giveBack(id, seats)
        const after = yield* licenses.hold(id)
        const has = yield* granted(id)
        const changes = policyDifferences(before, { license: after.license, rules: after.rules, features: has })
        const [paying] = yield* findPaying(sql, id)
        return {
          data: { license: after.license, changes: [...changes, ...counters, ...settled] },
          warnings: [...warningsAboutQuotas(has, "subscription_id"), ...warningAboutPaid(paying?.purchase_id)]
        }
      })

      const change = Effect.fn("PolicyChanges.change")((id: string, request: PolicyChange) =>
        request.dry_run === true ? rehearsed(sql, carryOut(id, request)) : inTransaction(sql, carryOut(id, request))
      )

      return PolicyChanges.of({ change })
    })
  )
}
