import { Context, Effect, Layer } from "effect"
import { Conflict, failing, NotFound, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { keptEmail } from "../../domain/licensing/users/LicenseUser.ts"
import { coverageOf, reasonsAgainst, StoredSuppression } from "../../domain/mail/MailSuppression.ts"
import type {
  MailSuppression,
  MailSuppressionCreate,
  MailSuppressionReason
} from "../../domain/mail/MailSuppression.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor } from "../log/Provenance.ts"
import {
  areSuppressions,
  deleteSuppression,
  findReason,
  findSuppression,
  insertSuppression,
  listSuppressions
} from "./MailSuppressionSql.ts"

const digestPurpose = "mail-suppression"

const read = rowReader(StoredSuppression)

const shownOf = (row: object): MailSuppression => {
  const stored = read(row)
  return { ...stored, covers: coverageOf[stored.reason] }
}

/** The reasons, in words, that a mail is not sent for which the vendor asks. */
const refusals: Readonly<Record<MailSuppressionReason, string>> = {
  bounced: "A mail server has permanently refused the mailbox, so it gets no mail.",
  opted_out: "The recipient takes no such mails.",
  by_hand: "The address is on the list of those that get no mail."
}

/** A suppression as its event says it. */
const eventOf = ({ covers, created_at, id, reason }: MailSuppression) => ({
  resourceId: id,
  data: { id, reason, covers, created_at }
})

/** The filters of the list, as callers give them. */
export interface SuppressionQuery {
  readonly address?: string | undefined
  readonly reason?: MailSuppressionReason | undefined
}

/** An address that is to get no mails. */
export interface Suppressed {
  readonly address: string
  readonly reason: MailSuppressionReason
  readonly reply?: string | undefined
  readonly customerId?: string | undefined
}

/** Addresses that get no mails, or no notices: those that bounced, whose owners opted out, and whom the vendor took out. */
export class MailSuppressions extends Context.Service<MailSuppressions, {
  readonly list: (query: SuppressionQuery, page: PageRequest) => Effect.Effect<Page<MailSuppression>, InvalidCursor>
  readonly get: (id: string) => Effect.Effect<MailSuppression, NotFound>
  readonly create: (input: MailSuppressionCreate) => Effect.Effect<MailSuppression, Conflict>
  readonly remove: (id: string) => Effect.Effect<void, NotFound>
  /** Suppresses an address, in the name of the current actor; whether it was not yet, for this reason. */
  readonly suppress: (suppressed: Suppressed) => Effect.Effect<boolean>
  /** Lets an address have mails again that a reason kept from it; whether it did. */
  readonly lift: (address: string, reason: MailSuppressionReason) => Effect.Effect<boolean>
  /** The keyed digest by which an address is known. */
  readonly digestOf: (address: string) => Uint8Array
  /** Keeps notices from an address that is known by its digest, in the name of the current actor; repeating it changes nothing. */
  readonly optOut: (
    recipient: Pick<Suppressed, "customerId"> & { readonly digest: Uint8Array; readonly address: string | undefined }
  ) => Effect.Effect<void>
  /** Sends notices to that address again; repeating it changes nothing. */
  readonly optIn: (digest: Uint8Array) => Effect.Effect<void>
  readonly isOptedOut: (digest: Uint8Array) => Effect.Effect<boolean>
  /** The reason for which an address gets no mail, or no notice; undefined where it gets them. */
  readonly reasonAgainst: (address: string, isNotice: boolean) => Effect.Effect<MailSuppressionReason | undefined>
  /**
   * Refuses a mail that the vendor asks for where its address gets none. Others who ask for one are not told: whether an address has
   * refused mails is its owner's.
   */
  readonly refuse: (address: string, isNotice: boolean) => Effect.Effect<void, StateConflict>
}>()("countersign/services/mail/MailSuppressions") {
  static readonly layer = Layer.effect(
    MailSuppressions,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const vault = yield* Vault

      const digestOf = (address: string) => vault.keyedHash(digestPurpose, keptEmail(address))

      /** A new suppression with its event; undefined where the address has one for this reason. */
      const insert = Effect.fnUntraced(function*(
        { digest, ...suppressed }: Omit<Suppressed, "address"> & {
          readonly digest: Uint8Array
          readonly address?: string | undefined
        }
      ) {
        const { id, type } = yield* CurrentActor
        const [row] = yield* insertSuppression(sql, {
          id: identifiers.next("sup"),
          digest,
          ...suppressed,
          actor: { id, type }
        })
        if (row === undefined) return undefined
        const made = shownOf(row)
        yield* events.append({ type: "mail_suppression.created", ...eventOf(made) })
        return made
      })

      const end = Effect.fnUntraced(function*(id: string) {
        const [row] = yield* deleteSuppression(sql, id)
        if (row !== undefined) yield* events.append({ type: "mail_suppression.lifted", ...eventOf(shownOf(row)) })
        return row !== undefined
      })

      const list = Effect.fn("MailSuppressions.list")((query: SuppressionQuery, page: PageRequest) =>
        sortedPage({
          sql,
          list: "mail_suppressions",
          products: "not-limited",
          filters: { ...query, ...(query.address === undefined ? {} : { address: keptEmail(query.address) }) },
          page,
          conditions: areSuppressions(sql, {
            reason: query.reason,
            digest: query.address === undefined ? undefined : digestOf(query.address)
          }),
          rows: (clauses, limit) => listSuppressions(sql, clauses, limit),
          read: shownOf
        })
      )

      const get = Effect.fn("MailSuppressions.get")(function*(id: string) {
        const [row] = yield* findSuppression(sql, id)
        return row === undefined ? yield* failing(NotFound, "No suppression has this id.") : shownOf(row)
      })

      const create = Effect.fn("MailSuppressions.create")(
        ({ address, reason = "by_hand" }: MailSuppressionCreate) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const made = yield* insert({ digest: digestOf(address), address, reason })
              if (made !== undefined) return made
              const [taken] = yield* findReason(sql, digestOf(address), [reason])
              return yield* failing(
                Conflict,
                "The address is suppressed for this reason already.",
                taken === undefined ? {} : { detail: taken.id }
              )
            })
          )
      )

      const remove = Effect.fn("MailSuppressions.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            if (!(yield* end(id))) return yield* failing(NotFound, "No suppression has this id.")
          })
        )
      )

      const endReason = (digest: Uint8Array, reason: MailSuppressionReason) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [found] = yield* findReason(sql, digest, [reason])
            return found !== undefined && (yield* end(found.id))
          })
        )

      /** The suppression that keeps a mail from an address. */
      const against = (address: string, isNotice: boolean) =>
        Effect.map(findReason(sql, digestOf(address), reasonsAgainst(isNotice)), ([found]) => found)

      const reasonAgainst = (address: string, isNotice: boolean) =>
        Effect.map(against(address, isNotice), (found) => found?.reason)

      const refuse = Effect.fnUntraced(function*(address: string, isNotice: boolean) {
        const { type } = yield* CurrentActor
        if (type !== "api_key" && type !== "person") return
        const found = yield* against(address, isNotice)
        if (found === undefined) return
        return yield* failing(
          StateConflict,
          `${refusals[found.reason]} DELETE /api/v1/settings/mail/suppressions/${found.id} ends this.`,
          {
            detail: found.reason
          }
        )
      })

      return MailSuppressions.of({
        list,
        get,
        create,
        remove,
        suppress: (suppressed) =>
          inTransaction(
            sql,
            Effect.map(insert({ ...suppressed, digest: digestOf(suppressed.address) }), (made) => made !== undefined)
          ),
        lift: (address, reason) => endReason(digestOf(address), reason),
        digestOf,
        optOut: (recipient) => inTransaction(sql, Effect.asVoid(insert({ ...recipient, reason: "opted_out" }))),
        optIn: (digest) => Effect.asVoid(endReason(digest, "opted_out")),
        isOptedOut: (digest) => Effect.map(findReason(sql, digest, ["opted_out"]), (found) => found.length > 0),
        reasonAgainst,
        refuse
      })
    })
  )
}
