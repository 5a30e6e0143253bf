import { Context, Effect, Layer } from "effect"
import type {
  NotFound,
  PreconditionFailed,
  StateConflict,
  ValidationError,
  Warned
} from "../../../domain/ground/wire/Errors.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { followedAfter } from "../../../domain/licensing/lifecycle/Following.ts"
import { licenseUpdate, withFollowing } from "../../../domain/licensing/lifecycle/LicenseUpdate.ts"
import type { LicenseLinks, LicenseUpdate } from "../../../domain/licensing/lifecycle/LicenseUpdate.ts"
import { warningAboutPaid } from "../../../domain/licensing/lifecycle/PaidLicense.ts"
import { warningsAboutIssuer } from "../../../domain/licensing/users/CarryUsers.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeLinkChecks } from "../../customers/LinkChecks.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { askingNobody } from "../../log/Provenance.ts"
import { LicenseFeatures } from "../licenses/LicenseFeatures.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { makeQuotaWarnings } from "../licenses/QuotaWarnings.ts"
import { SubscriptionFollowing } from "../licenses/SubscriptionFollowing.ts"
import { findPaying } from "./LicenseChangeSql.ts"

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
