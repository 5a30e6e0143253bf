import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { License } from "../../domain/licenses/License.ts"
import { servesUntil, withoutGrace } from "../../domain/licenses/LicenseStatus.ts"
import { followFindings } from "../../domain/licenses/SubscriptionStanding.ts"
import type { LicenseUpdate } from "../../domain/lifecycle/LicenseUpdate.ts"
import { effectiveRules } from "../../domain/terms/EffectiveTerms.ts"
import { contradictions, withOverrides } from "../../domain/terms/Rules.ts"
import type { LicenseOverridesInput } from "../../domain/terms/Rules.ts"
import type { NotFound, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Licenses } from "../licenses/Licenses.ts"
import type { HeldLicense } from "../licenses/Licenses.ts"
import { SubscriptionFollowing } from "../licenses/SubscriptionFollowing.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"

const instants = ["starts_at", "expires_at", "maintenance_expires_at"] as const

/** Edits the attributes of a license that management sets, under the rules of its creation. */
export class LicenseUpdates extends Context.Service<LicenseUpdates, {
  /**
   * The times of a revoked license, and of one that follows its subscription, cannot change: STATE_CONFLICT. An edit
   * without changes does nothing.
   */
  readonly update: (
    id: string,
    changes: LicenseUpdate
  ) => Effect.Effect<License, NotFound | StateConflict | ValidationError>
}>()("countersign/services/lifecycle/LicenseUpdates") {
  static readonly layer = Layer.effect(
    LicenseUpdates,
    Effect.gen(function*() {
      const sql = yield* Database
      const following = yield* SubscriptionFollowing
      const licenses = yield* Licenses
      const links = makeLinkChecks(sql)

      /** The column that a change of the further products sets. */
      const products = Effect.fnUntraced(function*(license: License, further: ReadonlyArray<string>) {
        const found = (yield* links.furtherProducts(further))(license.product_id, further)
        return found.length > 0
          ? yield* invalidRequest(found)
          : [sql`product_ids = nullif(${further}::text[], '{}')`]
      })

      /** The columns that a change of the license's own rules sets. */
      const overrides = Effect.fnUntraced(function*(
        { license, license_type, now, policy }: HeldLicense,
        change: LicenseOverridesInput | null
      ) {
        const left = withOverrides(license.overrides, change)
        const rules = effectiveRules({ policy, overrides: left, withoutGrace: withoutGrace(license) })
        const found = contradictions({ ...rules, follows_subscription: false }, license_type, "overrides.")
        if (found.length > 0) return yield* invalidRequest(found)
        const set = [sql`overrides = ${left === undefined ? null : JSON.stringify(left)}::jsonb`]
        // With more grace an expired license serves again; the end of that grace is announced when it comes.
        const end = servesUntil({
          expires_at: license.expires_at === undefined ? undefined : Date.parse(license.expires_at),
          grace_period_days: rules.grace_period_days
        })
        if (end !== undefined && end > now.getTime()) {
          set.push(sql`announced = CASE announced WHEN 'expired' THEN 'grace_period' ELSE announced END`)
        }
        return set
      })

      /** Refuses what a license that follows its subscription, or is to do so, cannot have beside that. */
      const checkFollowing = Effect.fnUntraced(
        function*({ license, license_type }: HeldLicense, changes: LicenseUpdate) {
          const begins = changes.follows_subscription === true && license.follows_subscription !== true
          if (!begins && license.follows_subscription === true) {
            for (const member of ["starts_at", "expires_at"] as const) {
              if (changes[member] === undefined) continue
              return yield* failing(
                StateConflict,
                `The license follows its subscription: ${member} cannot be changed, unless follows_subscription is false.`,
                { detail: "follows_subscription" }
              )
            }
          }
          const found = followFindings({
            licenseType: license_type,
            hasSubscription: license.subscription_id !== undefined,
            isAsked: begins,
            expires_at: changes.expires_at,
            overrides: changes.overrides === undefined
              ? license.overrides
              : withOverrides(license.overrides, changes.overrides)
          })
          if (found.length > 0) return yield* invalidRequest(found)
        }
      )

      const update = Effect.fn("LicenseUpdates.update")((id: string, changes: LicenseUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const asked = changes.follows_subscription
            const subscription = asked === undefined ? undefined : yield* following.subscriptionOf(id)
            const held = yield* licenses.hold(id)
            const { license, license_type } = held
            if (Object.keys(changes).length === 0) return license
            const followed = license.follows_subscription === true
            const turns = asked !== undefined && asked !== followed
            const changesTimes = instants.some((member) => changes[member] !== undefined)
            if (license.status === "revoked" && (changesTimes || turns)) {
              return yield* failing(StateConflict, "The times of a revoked license cannot be changed.", {
                detail: "revoked"
              })
            }
            if (asked ?? followed) yield* checkFollowing(held, changes)
            if (typeof changes.maintenance_expires_at === "string" && license_type !== "perpetual") {
              return yield* invalidField(
                "maintenance_expires_at",
                "perpetual_only",
                "is for perpetual licenses only"
              )
            }
            const starts = changes.starts_at === undefined ? license.starts_at : changes.starts_at
            const ends = changes.expires_at === undefined ? license.expires_at : changes.expires_at
            if (
              changesTimes && typeof starts === "string" && typeof ends === "string" &&
              Date.parse(ends) <= Date.parse(starts)
            ) {
              return yield* changes.expires_at === undefined
                ? invalidField("starts_at", "before_start", "must be before expires_at")
                : invalidField("expires_at", "before_start", "must be after starts_at")
            }
            const set: Array<Statement.Fragment> = [sql`updated_at = now()`]
            if (changes.product_ids !== undefined) set.push(...yield* products(license, changes.product_ids ?? []))
            if (changes.overrides !== undefined) set.push(...yield* overrides(held, changes.overrides))
            for (const member of ["customer_email", "customer_name"] as const) {
              if (changes[member] !== undefined) set.push(sql`${sql(member)} = ${changes[member] || null}`)
            }
            if (changes.metadata !== undefined) set.push(sql`metadata = ${JSON.stringify(changes.metadata)}::jsonb`)
            for (const member of instants) {
              if (changes[member] !== undefined) set.push(sql`${sql(member)} = ${changes[member]}::text::timestamptz`)
            }
            if (changes.expires_at !== undefined) set.push(sql`announced = 'nothing'`, sql`ends_without_grace = NULL`)
            // What a person or the subscription says of its times, the first activation does not say again.
            const isDated = (changes.starts_at ?? changes.expires_at) !== undefined || (turns && asked)
            if (license.awaits_activation === true && isDated) set.push(sql`awaits_activation = NULL`)
            if (turns) set.push(sql`follows_subscription = ${asked ? true : null}::boolean`)
            if (changesTimes || turns || changes.overrides !== undefined || changes.product_ids !== undefined) {
              set.push(sql`entitlement_version = entitlement_version + 1`)
            }
            yield* sql`UPDATE licenses SET ${sql.csv(set)} WHERE id = ${id}`
            const updated = yield* licenses.record("license.updated", id)
            if (!turns || subscription === undefined) return updated
            yield* asked ? following.begin(id, subscription) : following.end(id, subscription)
            return yield* licenses.get(id)
          })
        )
      )

      return LicenseUpdates.of({ update })
    })
  )
}
