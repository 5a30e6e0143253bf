import { Context, Effect, Layer, Schema } from "effect"
import type { Subscription, SubscriptionUpdate } from "../../domain/commerce/Subscription.ts"
import {
  followedKinds,
  reinstatedStanding,
  standingOfSubscription
} from "../../domain/licenses/SubscriptionStanding.ts"
import type { FollowedSubscription, FollowerStanding } from "../../domain/licenses/SubscriptionStanding.ts"
import type { LicenseLinks } from "../../domain/lifecycle/LicenseUpdate.ts"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../domain/wire/Errors.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Subscriptions } from "../commerce/Subscriptions.ts"
import { Database } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { effectiveGrace } from "../terms/TermsSql.ts"
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

/** A license whose row is locked, and how it stands. */
interface Follower {
  readonly id: string
  readonly standing: FollowerStanding
}

const followerOf = (row: object): Follower => {
  const { ends_without_grace, expires_at, id, state, suspended_by } = readFollower(row)
  return {
    id,
    standing: {
      state,
      suspended_by,
      expires_at: expires_at === undefined ? undefined : Date.parse(expires_at),
      ends_without_grace: ends_without_grace === true
    }
  }
}

/** A license that its subscription changes. */
interface Followed {
  readonly id: string
  readonly before: FollowerStanding
  readonly after: FollowerStanding
}

/** Writes standings from a JSON array. A new end has not been announced yet. */
const followQuery = `
  UPDATE licenses l SET state = v.state, suspended_by = v.suspended_by, expires_at = v.expires_at,
    ends_without_grace = v.ends_without_grace,
    announced = CASE WHEN l.expires_at IS DISTINCT FROM v.expires_at THEN 'nothing' ELSE l.announced END,
    entitlement_version = l.entitlement_version + 1, updated_at = now()
  FROM json_to_recordset($1::json) AS v (id text, state text, suspended_by text, expires_at timestamptz,
    ends_without_grace boolean)
  WHERE l.id = v.id`

/** Takes licenses that have grace again out of what is announced as over; its parameter is their ids. */
const graceQuery = `
  UPDATE licenses l SET announced = 'grace_period' FROM policies p
  WHERE l.id = ANY($1::text[]) AND p.id = l.policy_id AND l.announced = 'expired'
    AND l.expires_at + ${effectiveGrace} > clock_timestamp()`

/** Licenses that follow their subscription. */
export class SubscriptionFollowing extends Context.Service<SubscriptionFollowing, {
  /** Changes a subscription and, in the same transaction, all licenses that follow it, each with its events. */
  readonly update: (
    id: string,
    changes: SubscriptionUpdate
  ) => Effect.Effect<Subscription, NotFound | Conflict | PreconditionFailed | ValidationError>
  /**
   * Checks the order and the subscription that a license is to have, and answers the subscription that it has then, which
   * stays as it is until the surrounding transaction ends. To be asked for before the license is locked.
   */
  readonly linked: (licenseId: string, links: LicenseLinks) => Effect.Effect<{
    readonly links: LicenseLinks
    readonly subscription: FollowedSubscription | undefined
  }, NotFound | ValidationError>
  /** Lets a license that the surrounding transaction has locked begin to follow its subscription. */
  readonly begin: (licenseId: string, subscription: FollowedSubscription) => Effect.Effect<void>
  /** Reinstates what the subscription had suspended of a locked license that follows it no more. */
  readonly end: (licenseId: string, subscription: FollowedSubscription) => Effect.Effect<void>
}>()("countersign/services/licenses/SubscriptionFollowing") {
  static readonly layer = Layer.effect(
    SubscriptionFollowing,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const subscriptions = yield* Subscriptions
      const links = makeLinkChecks(sql)

      /** The database's clock now, in Unix milliseconds. */
      const clock = Effect.map(
        sql<{ readonly now: Date }>`SELECT clock_timestamp() AS now`,
        ([row]) => row!.now.getTime()
      )

      const columns = sql.literal("id, state, suspended_by, expires_at, ends_without_grace")

      const write = Effect.fnUntraced(function*(changed: ReadonlyArray<Followed>, subscription: FollowedSubscription) {
        yield* sql.unsafe(followQuery, [JSON.stringify(changed.map(({ after, id }) => ({
          id,
          state: after.state,
          suspended_by: after.suspended_by,
          expires_at: after.expires_at === undefined ? undefined : new Date(after.expires_at).toISOString(),
          ends_without_grace: after.ends_without_grace ? true : undefined
        })))])
        const regained = changed.filter(({ after, before }) => before.ends_without_grace && !after.ends_without_grace)
        if (regained.length > 0) yield* sql.unsafe(graceQuery, [regained.map(({ id }) => id)])
        const metadata = { subscription_id: subscription.id, subscription_status: subscription.status }
        yield* licenses.recordAll(
          changed.flatMap(({ after, before, id }) =>
            followedKinds(before, after).map((type) => ({ type, id, metadata }))
          )
        )
      })

      /** Changes locked licenses; those that stay as they are have no event. */
      const apply = Effect.fnUntraced(function*(
        followers: ReadonlyArray<Follower>,
        subscription: FollowedSubscription,
        standing: (before: FollowerStanding) => FollowerStanding
      ) {
        const changed = followers
          .map(({ id, standing: before }): Followed => ({ id, before, after: standing(before) }))
          .filter(({ after, before }) => followedKinds(before, after).length > 0)
        for (let at = 0; at < changed.length; at += writtenAtOnce) {
          yield* write(changed.slice(at, at + writtenAtOnce), subscription)
        }
      })

      const one = (licenseId: string) =>
        Effect.map(sql`SELECT ${columns} FROM licenses WHERE id = ${licenseId}`, (rows) => rows.map(followerOf))

      const update = Effect.fn("SubscriptionFollowing.update")((id: string, changes: SubscriptionUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { after, before } = yield* subscriptions.update(id, changes)
            if (after === before) return after
            const rows = yield* sql`
              SELECT ${columns} FROM licenses
              WHERE subscription_id = ${id} AND follows_subscription AND state <> 'revoked'
              ORDER BY id FOR NO KEY UPDATE`
            if (rows.length === 0) return after
            // Read after the locks: every call that was decided before the change lies before it in time, too.
            const now = yield* clock
            yield* apply(
              rows.map(followerOf),
              after,
              (standing) => standingOfSubscription(standing, after, before.status, now)
            )
            return after
          })
        )
      )

      const linked = Effect.fnUntraced(function*(licenseId: string, { order_id, subscription_id }: LicenseLinks) {
        const [row] = yield* sql<{ readonly product_id: string; readonly subscription_id: string | null }>`
          SELECT product_id, subscription_id FROM licenses WHERE id = ${licenseId}`
        if (row === undefined) return { links: {}, subscription: undefined }
        const checked: LicenseLinks = yield* links.origin({
          product_id: row.product_id,
          ...(order_id === undefined ? {} : { order_id }),
          ...(subscription_id === undefined ? {} : { subscription_id })
        }, "SHARE")
        const has = checked.subscription_id ?? row.subscription_id
        return { links: checked, subscription: has === null ? undefined : yield* links.followed(has) }
      })

      return SubscriptionFollowing.of({
        update,
        linked,
        begin: Effect.fnUntraced(function*(licenseId, subscription) {
          const now = yield* clock
          yield* apply(
            yield* one(licenseId),
            subscription,
            (standing) => standingOfSubscription(standing, subscription, undefined, now)
          )
        }),
        end: (licenseId, subscription) =>
          Effect.flatMap(one(licenseId), (followers) => apply(followers, subscription, reinstatedStanding))
      })
    })
  )
}
