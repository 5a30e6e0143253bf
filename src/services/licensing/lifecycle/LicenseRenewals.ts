import { Context, Effect, Layer } from "effect"
import type { NotFound, TokenScopeDenied, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { beyondReseller, notForResellers } from "../../../domain/keys/security/ProductRule.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { licenseRenewal } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import type { LicenseRenew } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import { makeLinkChecks } from "../../customers/LinkChecks.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { findRenewalFor } from "./LicenseChangeSql.ts"

/** Extends licenses. */
export class LicenseRenewals extends Context.Service<LicenseRenewals, {
  /**
   * Extends the expiry. A suspended license stays suspended. The order and the subscription are checked, and recorded
   * only in the event; an order renews a license once.
   */
  readonly renew: (
    id: string,
    input: LicenseRenew
  ) => Effect.Effect<License, NotFound | StateConflict | TokenScopeDenied | ValidationError>
}>()("countersign/services/licensing/lifecycle/LicenseRenewals") {
  static readonly layer = Layer.effect(
    LicenseRenewals,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const links = makeLinkChecks(sql)

      /** Shops tell of an order more than once: an order renews a license once. */
      const notRenewedFor = Effect.fnUntraced(function*(id: string, orderId: string) {
        const [before] = yield* findRenewalFor(sql, id, orderId)
        if (before === undefined) return
        return yield* failing(StateConflict, "The license was renewed for this order already.", {
          detail: `renewed for ${orderId} at ${before.created_at.toISOString()}`
        })
      })

      const renew = Effect.fn("LicenseRenewals.renew")((id: string, input: LicenseRenew) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { reseller } = yield* CurrentActor
            const beyond = reseller === undefined ? [] : beyondReseller("renewal", input)
            if (beyond.length > 0) return yield* notForResellers(beyond)
            const held = yield* licenses.hold(id)
            const { license } = held
            const origin = yield* links.origin({
              product_id: license.product_id,
              ...(input.order_id === undefined ? {} : { order_id: input.order_id }),
              ...(input.subscription_id === undefined ? {} : { subscription_id: input.subscription_id })
            })
            if (input.order_id !== undefined) yield* notRenewedFor(id, input.order_id)
            const change = yield* Effect.fromResult(licenseRenewal(held, input))
            return yield* licenses.write(held, change, {
              type: "license.renewed",
              metadata: {
                ...(license.expires_at === undefined ? {} : { previous_expires_at: license.expires_at }),
                ...(input.extend_by_days === undefined ? {} : { extend_by_days: input.extend_by_days }),
                ...(input.renew_from === undefined ? {} : { renew_from: input.renew_from }),
                ...origin
              }
            })
          })
        )
      )

      return LicenseRenewals.of({ renew })
    })
  )
}
