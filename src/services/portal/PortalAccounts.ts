import { Context, Effect, Layer, Schema } from "effect"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { Page } from "../../domain/ground/wire/Page.ts"
import type { PortalAccount } from "../../domain/portal/PortalAccount.ts"
import { PortalPurchase, portalPurchaseOf } from "../../domain/portal/PortalPurchase.ts"
import { Database } from "../ground/persistence/Database.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { MailQueue } from "../mail/MailQueue.ts"
import { MailSuppressions } from "../mail/MailSuppressions.ts"
import { visitingActor } from "./PortalSessions.ts"
import type { PortalSession } from "./PortalSessions.ts"
import { areOwnPurchases, findOwnPurchase, listOwnPurchases } from "./PortalSql.ts"

const readListed = rowReader(Schema.Struct({ id: Schema.String, purchase: PortalPurchase }))

/** How many purchases are listed at once. */
const shownPurchases = 50

/** A session of a customer, and not of a license key. */
interface CustomerSession extends PortalSession {
  readonly customerId: string
}

const noAddress = failing(NotFound, "The customer has no address that notices go to.")

/** The purchases of customers, and the notices to their addresses: what is theirs, and of no license. */
export class PortalAccounts extends Context.Service<PortalAccounts, {
  /** The session, if it is of a customer: a license key opens no purchases and no settings of mails. */
  readonly of: (session: PortalSession) => Effect.Effect<CustomerSession, NotFound>
  readonly see: (session: CustomerSession) => Effect.Effect<PortalAccount>
  /** The purchases of the customer of which it is known what was bought, the newest first. */
  readonly purchases: (session: CustomerSession, cursor?: string) => Effect.Effect<Page<PortalPurchase>>
  /** Sends notices to the address of the customer, or stops them; repeating it changes nothing. */
  readonly setNotices: (session: CustomerSession, areSent: boolean) => Effect.Effect<void, NotFound>
}>()("countersign/services/portal/PortalAccounts") {
  static readonly layer = Layer.effect(
    PortalAccounts,
    Effect.gen(function*() {
      const sql = yield* Database
      const mails = yield* MailQueue
      const suppressions = yield* MailSuppressions

      const see = Effect.fn("PortalAccounts.see")(function*({ customerId, email }: CustomerSession) {
        const found = yield* findOwnPurchase(sql, customerId)
        return {
          hasPurchases: found.length > 0,
          notices: email === undefined || !mails.isConfigured
            ? undefined
            : { email, areSent: !(yield* suppressions.isOptedOut(suppressions.digestOf(email))) }
        }
      })

      const purchases = Effect.fn("PortalAccounts.purchases")(({ customerId }: CustomerSession, cursor?: string) => {
        const page = (from: string | undefined) =>
          sortedPage({
            sql,
            list: "own-purchases",
            products: "owned",
            filters: { customerId },
            page: { limit: shownPurchases, cursor: from },
            alias: "p.",
            conditions: areOwnPurchases(sql, customerId),
            rows: (clauses, limit) =>
              Effect.map(
                listOwnPurchases(sql, clauses, limit),
                (rows) => rows.map((row) => ({ id: row.id, place: row.place, purchase: portalPurchaseOf(row) }))
              ),
            read: (row) => readListed(row).purchase
          })
        return page(cursor).pipe(Effect.catchTag("INVALID_CURSOR", () => Effect.orDie(page(undefined))))
      })

      const setNotices = Effect.fn("PortalAccounts.setNotices")(
        function*(session: CustomerSession, areSent: boolean) {
          const { customerId, email } = session
          if (email === undefined || !mails.isConfigured) return yield* noAddress
          const digest = suppressions.digestOf(email)
          const change = areSent
            ? suppressions.optIn(digest)
            : suppressions.optOut({ digest, customerId, address: email })
          yield* Effect.provideService(change, CurrentActor, visitingActor(session, customerId))
        }
      )

      return PortalAccounts.of({
        of: (session) => {
          const { customerId, license } = session
          return license === undefined && customerId !== undefined
            ? Effect.succeed({ ...session, customerId })
            : Effect.fail(failing(NotFound, "The session is of a license, and not of a customer."))
        },
        see,
        purchases,
        setNotices
      })
    })
  )
}
