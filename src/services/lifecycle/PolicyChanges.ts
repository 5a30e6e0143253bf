import { Context, Data, Effect, Layer } from "effect"
import { Policy } from "../../domain/catalog/Policy.ts"
import { seatsOf } from "../../domain/entitlements/Seats.ts"
import type { DeviceBindingKind } from "../../domain/licenses/Device.ts"
import { servesUntil } from "../../domain/licenses/LicenseStatus.ts"
import { policyDifferences } from "../../domain/lifecycle/PolicyChange.ts"
import type { PolicyChange, PolicyChanged, SeatDifference } from "../../domain/lifecycle/PolicyChange.ts"
import { moved } from "../../domain/lifecycle/PolicyMove.ts"
import type { Moved } from "../../domain/lifecycle/PolicyMove.ts"
import { servedUpTo } from "../../domain/terms/Overage.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { Rules } from "../../domain/terms/Rules.ts"
import type { ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import { Devices } from "../licenses/Devices.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { LicenseFeatures } from "../licenses/LicenseFeatures.ts"
import { Licenses } from "../licenses/Licenses.ts"
import type { HeldLicense } from "../licenses/Licenses.ts"
import { SubscriptionFollowing } from "../licenses/SubscriptionFollowing.ts"
import { Database } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction, ownTransaction } from "../persistence/Transaction.ts"
import { readFeatureGrants } from "../terms/FeatureGrants.ts"

const readPolicy = rowReader(Policy)

/** Rolls a change back that was only to be shown. */
class Rehearsed extends Data.TaggedError("Rehearsed")<{ readonly changed: PolicyChanged }> {}

/** A device with an activation seat. */
interface Seat {
  readonly id: string
  readonly binding_kind: DeviceBindingKind
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
  ) => Effect.Effect<PolicyChanged, NotFound | StateConflict | ValidationError>
}>()("countersign/services/lifecycle/PolicyChanges") {
  static readonly layer = Layer.effect(
    PolicyChanges,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const features = yield* LicenseFeatures
      const following = yield* SubscriptionFollowing
      const leases = yield* LeaseClosing
      const licenses = yield* Licenses

      /** The policy that the license is to be under; it is not deleted until the surrounding transaction ends. */
      const target = Effect.fnUntraced(function*({ license }: HeldLicense, id: string) {
        const rows = yield* sql`SELECT * FROM policies WHERE id = ${id} FOR KEY SHARE`
        if (rows[0] === undefined) return yield* failing(NotFound, "No policy has the id in policy_id.")
        const policy = readPolicy(rows[0])
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

      /** The ids beyond what is served; the newest are the first. */
      const beyond = (
        what: string,
        newestFirst: ReadonlyArray<{ readonly id: string }>,
        limit: number,
        overage: string | undefined,
        request: PolicyChange
      ) => {
        const over = newestFirst.slice(0, Math.max(0, newestFirst.length - servedUpTo(limit, overage)))
        if (over.length === 0 || request.devices === "keep") return Effect.succeed([])
        if (request.devices === "reset_newest") return Effect.succeed(over.map(({ id }) => id))
        return failing(
          StateConflict,
          `More ${what} are taken than the policy serves. Give some back, or say what happens to them in devices: keep ` +
            "or reset_newest.",
          { detail: `${newestFirst.length} ${what} taken, ${limit} in the policy` }
        )
      }

      /** Gives the seats back that lie beyond the limits. The license is locked. */
      const settleSeats = Effect.fnUntraced(function*(licenseId: string, rules: Rules, request: PolicyChange) {
        const seats = yield* sql<Seat>`
          SELECT id, binding_kind FROM devices WHERE license_id = ${licenseId} AND status = 'active' AND NOT floating
          ORDER BY created_at DESC, id DESC`
        const policy = { ...rules, max_container_instances: rules.max_container_instances ?? null }
        const overs = yield* Effect.forEach(["hardware", "container"] as const, (bindingKind) =>
          beyond(
            `${bindingKind} seats`,
            seats.filter(({ binding_kind }) => binding_kind === bindingKind),
            seatsOf({ bindingKind, policy }),
            rules.activation_overage,
            request
          ))
        const reset = overs.flat()
        yield* devices.resetSome(licenseId, reset)
        const live = yield* sql<{ readonly id: string }>`
          SELECT id FROM leases WHERE license_id = ${licenseId} AND ended_at IS NULL
            AND expires_at > clock_timestamp()
          ORDER BY checked_out_at DESC, id DESC`
        // Without a number in the policy nobody floats, and no overage goes beyond that.
        const { floating_overage, max_floating_users } = rules
        const overage = max_floating_users === undefined ? undefined : floating_overage
        const released = yield* beyond("floating seats", live, max_floating_users ?? 0, overage, request)
        if (released.length > 0) yield* leases.end({ licenseId, leaseId: released }, "released")
        return [
          ...reset.map((id): SeatDifference => ({ kind: "device", id })),
          ...released.map((id): SeatDifference => ({ kind: "lease", id }))
        ]
      })

      const write = ({ license, now }: HeldLicense, policyId: string, left: Moved) => {
        const ends = left.expires_at === undefined ? undefined : Date.parse(left.expires_at)
        const serves = servesUntil({ expires_at: ends, grace_period_days: left.rules.grace_period_days })
        // What was announced of an end is nothing said of another one; one that has grace again is not over.
        const announced = left.expires_at !== license.expires_at
          ? sql`'nothing'`
          : serves !== undefined && serves > now.getTime()
          ? sql`CASE announced WHEN 'expired' THEN 'grace_period' ELSE announced END`
          : sql`announced`
        const flag = (isSet: boolean) => sql`${isSet ? true : null}::boolean`
        return sql`
          UPDATE licenses SET policy_id = ${policyId}, announced = ${announced},
            expires_at = ${left.expires_at ?? null}::text::timestamptz,
            maintenance_expires_at = ${left.maintenance_expires_at ?? null}::text::timestamptz,
            awaits_activation = ${flag(left.awaits_activation)},
            follows_subscription = ${flag(left.follows_subscription)},
            ends_without_grace = ${flag(left.ends_without_grace)},
            overrides = ${left.overrides === undefined ? null : JSON.stringify(left.overrides)}::jsonb,
            entitlement_version = entitlement_version + 1, updated_at = now()
          WHERE id = ${license.id}`
      }

      const granted = (id: string) =>
        Effect.map(readFeatureGrants(sql, id), (found) => found.map(({ feature }) => feature))

      const carryOut = Effect.fnUntraced(function*(id: string, request: PolicyChange) {
        const subscription = yield* following.subscriptionOf(id)
        const held = yield* licenses.hold(id)
        const { license, now } = held
        const policy = yield* target(held, request.policy_id)
        const left = yield* Effect.mapError(
          Effect.fromResult(moved(
            license,
            { license_type: policy.license_type, rules: rulesOf(policy), subscription },
            request,
            now.getTime()
          )),
          invalidRequest
        )
        const before = { license, rules: held.rules, features: yield* granted(id) }
        yield* write(held, policy.id, left)
        yield* licenses.record("license.policy_changed", id, { previous_policy_id: license.policy_id })
        const followed = license.follows_subscription === true
        if (subscription !== undefined && followed !== left.follows_subscription) {
          yield* followed ? following.end(id, subscription) : following.begin(id, subscription)
        }
        const counters = request.counters === "restart" ? yield* features.restart(id) : []
        const seats = yield* settleSeats(id, left.rules, request)
        const after = yield* licenses.hold(id)
        const changes = policyDifferences(before, {
          license: after.license,
          rules: after.rules,
          features: yield* granted(id)
        })
        return { license: after.license, changes: [...changes, ...counters, ...seats] }
      })

      const change = Effect.fn("PolicyChanges.change")((id: string, request: PolicyChange) =>
        request.dry_run === true
          ? ownTransaction(
            sql,
            Effect.flatMap(carryOut(id, request), (changed) => Effect.fail(new Rehearsed({ changed })))
          ).pipe(Effect.catchTag("Rehearsed", ({ changed }) => Effect.succeed(changed)))
          : inTransaction(sql, carryOut(id, request))
      )

      return PolicyChanges.of({ change })
    })
  )
}
