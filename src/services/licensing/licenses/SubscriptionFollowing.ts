import { Array, Context, Effect, Layer, Schema } from "effect"
import { present } from "../../../domain/customers/BillingFields.ts"
import type { ExternalName } from "../../../domain/customers/Customer.ts"
import { subscriptionReplacement } from "../../../domain/customers/Subscription.ts"
import type { Subscription, SubscriptionPut, SubscriptionUpdate } from "../../../domain/customers/Subscription.ts"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { followedKinds } from "../../../domain/licensing/licenses/SubscriptionStanding.ts"
import type { FollowedSubscription } from "../../../domain/licensing/licenses/SubscriptionStanding.ts"
import { followedBy, followedByPut, standingOf } from "../../../domain/licensing/lifecycle/Following.ts"
import type { Followed, Follower } from "../../../domain/licensing/lifecycle/Following.ts"
import type { LicenseLinks } from "../../../domain/licensing/lifecycle/LicenseUpdate.ts"
import { putBy } from "../../customers/Orders.ts"
import { makeLinkChecks, Subscriptions } from "../../customers/Subscriptions.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import {
  findNow,
  findOrigin,
  listMailedOfSubscription,
  lockFollowers,
  updateFollowed,
  updateGraceRegained
} from "./FollowingSql.ts"
import { Licenses } from "./Licenses.ts"

/** How many licenses are written, each with its events, by one round of statements. */
const writtenAtOnce = 500

const readFollower = rowReader(Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(["active", "suspended", "revoked"]),
  suspended_by: Schema.optionalKey(Schema.Literal("subscription")),
  expires_at: Schema.optionalKey(Schema.String),
  ends_without_grace: Schema.optionalKey(Schema.Boolean)
}))

const followerOf = (row: object): Follower => {
  const { ends_without_grace, expires_at = null, id, state, suspended_by = null } = readFollower(row)
  return {
    id,
    standing: standingOf({
      state,
      suspended_by,
      expires_at,
      ends_without_grace: ends_without_grace === true ? true : null
    })
  }
}

/** Licenses that follow their subscription. */
export class SubscriptionFollowing extends Context.Service<SubscriptionFollowing, {
  /** Changes a subscription and, in the same transaction, all licenses that follow it, each with its events. */
  readonly update: (
    id: string,
    changes: SubscriptionUpdate
  ) => Effect.Effect<Subscription, NotFound | Conflict | PreconditionFailed | ValidationError>
  /** Creates the subscription that a billing system names, or makes of it what that has now, as {@link update} does. */
  readonly put: (
    productId: string,
    name: ExternalName,
    input: SubscriptionPut,
    /** Whether its licenses are to stand as it says now, whatever it said before: a purchase knows all of its history. */
    isWhole?: boolean
  ) => Effect.Effect<Subscription, NotFound | Conflict | PreconditionFailed | ValidationError>
  /**
   * Checks the order and the subscription that a license is to have, and answers the subscription that it has then, which
   * stays as it is until the surrounding transaction ends. To be asked for before the license is locked.
   */
  readonly linked: (licenseId: string, links: LicenseLinks) => Effect.Effect<{
    readonly links: LicenseLinks
    readonly subscription: FollowedSubscription | undefined
  }, NotFound | ValidationError>
  /** Writes what a subscription changes of locked licenses, each with its events. */
  readonly write: (followed: ReadonlyArray<Followed>, subscription: FollowedSubscription) => Effect.Effect<void>
}>()("countersign/services/licensing/licenses/SubscriptionFollowing") {
  static readonly layer = Layer.effect(
    SubscriptionFollowing,
    Effect.gen(function*() {
      const sql = yield* Database
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const mails = yield* MailQueue
      const subscriptions = yield* Subscriptions
      const links = makeLinkChecks(sql)

      const writeSome = Effect.fnUntraced(
        function*(some: ReadonlyArray<Followed>, { id, status }: FollowedSubscription) {
          yield* updateFollowed(sql, some)
          const regained = some.filter(({ after, before }) => before.ends_without_grace && !after.ends_without_grace)
          if (regained.length > 0) yield* updateGraceRegained(sql, regained.map(({ id }) => id))
          const metadata = { subscription_id: id, subscription_status: status }
          yield* licenses.recordAll(
            some.flatMap(({ after, before, id }) =>
              followedKinds(before, after).map((type) => ({ type, id, metadata }))
            )
          )
        }
      )

      const write = (followed: ReadonlyArray<Followed>, subscription: FollowedSubscription) =>
        Effect.forEach(
          Array.chunksOf(followed, writtenAtOnce),
          (some) => writeSome(some, subscription),
          { discard: true }
        )

      /** Queues the mails about a payment that failed: one to each owner of licenses of the subscription. */
      const notifyOwners = Effect.fnUntraced(function*(id: string, eventId: string) {
        if (!mails.isConfigured) return
        const owned = yield* listMailedOfSubscription(sql, id)
        yield* mails.notify(owned.map((license) => ({ eventId, kind: "payment_failed", licenseId: license.id })))
      })

      const updateBy = (id: string, changes: SubscriptionUpdate, following: typeof followedBy) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const judged = yield* subscriptions.judge(id, changes)
            if (judged.change === undefined) return judged.before
            // It may wait for another subscription with the same id of its billing system, and no license with it.
            const eventId = identifiers.next("evt")
            const after = yield* subscriptions.write(id, judged.change, eventId)
            if (after.status === "past_due" && judged.before.status !== "past_due") yield* notifyOwners(id, eventId)
            const followers = yield* lockFollowers(sql, id)
            if (followers.length === 0) return after
            const [clock] = yield* findNow(sql)
            const followed = following(
              followers.map(followerOf),
              after,
              judged.before,
              clock!.now.getTime()
            )
            yield* write(followed, after)
            return after
          })
        )

      const update = Effect.fn("SubscriptionFollowing.update")((id: string, changes: SubscriptionUpdate) =>
        updateBy(id, changes, followedBy)
      )

      const put = Effect.fn("SubscriptionFollowing.put")(
        (productId: string, name: ExternalName, input: SubscriptionPut, isWhole = false) =>
          inTransaction(
            sql,
            putBy(
              subscriptions.find(productId, name),
              subscriptions.create(productId, { ...name, ...present(input) }),
              ({ id }) => updateBy(id, subscriptionReplacement(input), isWhole ? followedByPut : followedBy)
            )
          )
      )

      const linked = Effect.fnUntraced(function*(licenseId: string, { order_id, subscription_id }: LicenseLinks) {
        const [row] = yield* findOrigin(sql, licenseId)
        if (row === undefined) return { links: {}, subscription: undefined }
        const checked: LicenseLinks = yield* links.origin({
          product_id: row.product_id,
          ...(order_id === undefined ? {} : { order_id }),
          ...(subscription_id === undefined ? {} : { subscription_id })
        }, "SHARE")
        const has = checked.subscription_id ?? row.subscription_id
        return { links: checked, subscription: has === null ? undefined : yield* links.followed(has) }
      })

      return SubscriptionFollowing.of({ update, put, linked, write })
    })
  )
}
