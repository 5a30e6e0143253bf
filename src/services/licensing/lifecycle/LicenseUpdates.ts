import { Context, Effect, Layer } from "effect"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type {
  NotFound,
  PreconditionFailed,
  TokenScopeDenied,
  ValidationError,
  Warned
} from "../../../domain/ground/wire/Errors.ts"
import { beyondReseller, notForResellers } from "../../../domain/keys/security/ProductRule.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { followedAfter, warningAboutPaid } from "../../../domain/licensing/lifecycle/Following.ts"
import { licenseRenewal } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import type { LicenseRenew } from "../../../domain/licensing/lifecycle/LicenseRenewal.ts"
import { licenseUpdate, withFollowing } from "../../../domain/licensing/lifecycle/LicenseUpdate.ts"
import type { LicenseLinks, LicenseUpdate } from "../../../domain/licensing/lifecycle/LicenseUpdate.ts"
import { warningsAboutIssuer } from "../../../domain/licensing/users/UserRules.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeLinkChecks } from "../../customers/Subscriptions.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { askingNobody, CurrentActor } from "../../log/Provenance.ts"
import { makeQuotaWarnings } from "../licenses/LicenseCreation.ts"
import { LicenseFeatures } from "../licenses/LicenseFeatures.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { SubscriptionFollowing } from "../licenses/SubscriptionFollowing.ts"
import { findPaying, findRenewalFor } from "./LicenseChangeSql.ts"

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

/** Whether an edit bears on what quotas count by: other edits are told nothing of them. */
const isAboutQuotas = ({ follows_subscription, order_id, product_ids, subscription_id }: LicenseUpdate): boolean =>
  (order_id ?? subscription_id ?? follows_subscription ?? product_ids) !== undefined

/** Edits the attributes of a license that management sets, under the rules of its creation. */
export class LicenseUpdates extends Context.Service<LicenseUpdates, {
  /**
   * The times of a revoked license, and of one that follows its subscription, cannot change, and no customer takes the
   * place of another: STATE_CONFLICT. An edit without changes does nothing. Another issuer carries the users of the one before, or ends them.
   * A dry run answers what would be.
   */
  readonly update: (
    id: string,
    changes: LicenseUpdate
  ) => Effect.Effect<Warned<License>, NotFound | PreconditionFailed | StateConflict | ValidationError>
}>()("countersign/services/licensing/lifecycle/LicenseUpdates") {
  static readonly layer = Layer.effect(
    LicenseUpdates,
    Effect.gen(function*() {
      const sql = yield* Database
      const following = yield* SubscriptionFollowing
      const licenses = yield* Licenses
      const features = yield* LicenseFeatures
      const users = yield* LicenseUsers
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)

      const granted = (id: string) =>
        Effect.map(readFeatureTerms(sql, id), (found) => found.map(({ feature }) => feature))

      const update = Effect.fn("LicenseUpdates.update")((id: string, request: LicenseUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { order_id, subscription_id } = request
            const names = (order_id ?? subscription_id ?? request.follows_subscription) !== undefined
            const { links: named, subscription } = names
              ? yield* following.linked(id, request)
              : { links: {} as LicenseLinks, subscription: undefined }
            if (request.customer_id !== undefined) yield* links.customer(request.customer_id)
            const held = yield* licenses.holdToEdit(id)
            const { license } = held
            if (Object.keys(request).length === 0) return { data: license, warnings: [] }
            const changes = withFollowing(held, named, request)
            const further = changes.product_ids ?? []
            const products = (yield* links.furtherProducts(further, license.product_ids))(license.product_id, further)
            const change = yield* Effect.fromResult(licenseUpdate(held, products, named, changes))
            const followed = subscription === undefined
              ? []
              : followedAfter(license, change, subscription, held.now.getTime())
            const isOther = named.subscription_id !== undefined && named.subscription_id !== license.subscription_id
            if (isOther || change.starts_at !== undefined) yield* features.settleRollover(id)
            const before = isOther ? yield* granted(id) : []
            // Accounts at the issuer of before are nobody's any more.
            const moved = change.trusted_issuer === undefined
              ? { carried: [], ended: [] }
              : yield* users.moveIssuer(id, {
                issuer: change.trusted_issuer?.issuer,
                carry: request.carry_users ?? "by_verified_address"
              })
            const updated = yield* licenses.write(held, change, { type: "license.updated" })
            // The periods of another subscription are others.
            if (isOther) yield* features.carryCredits(id, before)
            if (subscription !== undefined) yield* following.write(followed, subscription)
            const isWrittenSince = isOther || followed.length > 0 || moved.ended.length > 0
            const data = isWrittenSince ? yield* licenses.get(id) : updated
            const warnings = isAboutQuotas(request) ? yield* quotas.about(data) : []
            const [paying] = change.overrides === undefined ? [] : yield* findPaying(sql, id)
            return {
              data,
              warnings: [...warnings, ...warningsAboutIssuer(moved), ...warningAboutPaid(paying?.purchase_id)]
            }
          })
        )
      )

      return LicenseUpdates.of({
        update: (id, { dry_run, ...changes }) =>
          dry_run === true ? askingNobody(rehearsed(sql, update(id, changes))) : update(id, changes)
      })
    })
  )
}
