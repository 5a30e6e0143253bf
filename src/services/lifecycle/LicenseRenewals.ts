import { Context, Effect, Layer } from "effect"
import type { License } from "../../domain/licenses/License.ts"
import { extendedExpiry } from "../../domain/lifecycle/LicenseRenewal.ts"
import type { LicenseRenew } from "../../domain/lifecycle/LicenseRenewal.ts"
import { afterDuration } from "../../domain/terms/Duration.ts"
import type { LicenseType } from "../../domain/terms/Rules.ts"
import type { ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField } from "../../domain/wire/FieldFindings.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Licenses } from "../licenses/Licenses.ts"
import type { HeldLicense } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"

const renewable: ReadonlySet<LicenseType> = new Set(["time_limited", "subscription", "trial"])

/** Extends licenses. */
export class LicenseRenewals extends Context.Service<LicenseRenewals, {
  /**
   * Extends the expiry. A suspended license stays suspended. The order and the subscription are checked, and recorded
   * only in the event.
   */
  readonly renew: (
    id: string,
    input: LicenseRenew
  ) => Effect.Effect<License, NotFound | StateConflict | ValidationError>
}>()("countersign/services/lifecycle/LicenseRenewals") {
  static readonly layer = Layer.effect(
    LicenseRenewals,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const links = makeLinkChecks(sql)

      /** The new expiry, RFC 3339. */
      const expiry = Effect.fnUntraced(function*({ license, now, rules }: HeldLicense, input: LicenseRenew) {
        const expiresAt = license.expires_at === undefined ? undefined : Date.parse(license.expires_at)
        const member = input.extend_by_days === undefined ? "expires_at" : "extend_by_days"
        if (input.expires_at === undefined && input.extend_by_days === undefined && rules.duration === undefined) {
          return yield* invalidField(
            "expires_at",
            "required",
            "is required without extend_by_days, because the license has no duration"
          )
        }
        const end = input.expires_at !== undefined
          ? Date.parse(input.expires_at)
          : input.extend_by_days !== undefined
          ? extendedExpiry({ days: input.extend_by_days, expiresAt, now: now.getTime() })
          : afterDuration(Math.max(expiresAt ?? 0, now.getTime()), rules.duration!)
        if (end === undefined) return yield* invalidField(member, "out_of_range", "ends after the year 9999")
        if (end <= now.getTime()) return yield* invalidField(member, "in_the_past", "must be in the future")
        if (license.starts_at !== undefined && end <= Date.parse(license.starts_at)) {
          return yield* invalidField(member, "before_start", "must end after starts_at")
        }
        return new Date(end).toISOString()
      })

      const renew = Effect.fn("LicenseRenewals.renew")((id: string, input: LicenseRenew) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* licenses.hold(id)
            const { license, license_type } = held
            const origin = yield* links.origin({
              product_id: license.product_id,
              ...(input.order_id === undefined ? {} : { order_id: input.order_id }),
              ...(input.subscription_id === undefined ? {} : { subscription_id: input.subscription_id })
            })
            if (license.status === "revoked") {
              return yield* failing(StateConflict, "A revoked license cannot be renewed.", { detail: "revoked" })
            }
            if (!renewable.has(license_type)) {
              return yield* failing(StateConflict, "A license of this type is not renewable.", { detail: license_type })
            }
            if (license.awaits_activation === true) {
              return yield* failing(
                StateConflict,
                "The license has not started: its first activation gives it its end.",
                {
                  detail: "awaits_activation"
                }
              )
            }
            if (license.follows_subscription === true) {
              return yield* failing(StateConflict, "The license follows its subscription, whose period ends it.", {
                detail: "follows_subscription"
              })
            }
            const expires_at = yield* expiry(held, input)
            yield* sql`
              UPDATE licenses SET expires_at = ${expires_at}::text::timestamptz, announced = 'nothing',
                ends_without_grace = NULL,
                entitlement_version = entitlement_version + 1, updated_at = now()
              WHERE id = ${id}`
            return yield* licenses.record("license.renewed", id, {
              ...(license.expires_at === undefined ? {} : { previous_expires_at: license.expires_at }),
              ...(input.extend_by_days === undefined ? {} : { extend_by_days: input.extend_by_days }),
              ...origin
            })
          })
        )
      )

      return LicenseRenewals.of({ renew })
    })
  )
}
