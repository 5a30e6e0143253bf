import type { Statement } from "effect/sql"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { MailSuppressionReason } from "../../domain/mail/MailSuppression.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import { isText } from "../ground/persistence/StatementParts.ts"

/** A suppression as it is stored, in the form that the service reads. */
const columns = `id, reason, address, reply, created_at,
      jsonb_build_object('type', actor_type, 'id', actor_id) AS created_by`

/** A suppression that is to be. */
export interface NewSuppression {
  readonly id: string
  readonly reason: MailSuppressionReason
  readonly actor: { readonly id: string; readonly type: string }
  readonly digest: Uint8Array
  /** Undefined where it is known by its digest alone. */
  readonly address?: string | undefined
  readonly reply?: string | undefined
  /** The customer whose mail it came from; the one who has the address where it came from none. */
  readonly customerId?: string | undefined
}

/** Suppresses an address for a reason; none where it is already. */
export const insertSuppression = (
  sql: Database,
  { actor, address, customerId, digest, id, reason, reply }: NewSuppression
): Query<object> =>
  sql`
    -- name: mail_suppressions.insert
    INSERT INTO mail_suppressions (id, digest, reason, address, reply, customer_id, actor_type, actor_id)
    VALUES (${id}, ${digest}::bytea, ${reason}, ${address ?? null}, ${reply ?? null}, coalesce(${customerId ?? null},
      (SELECT id FROM customers WHERE ${isText(sql, "email", address ?? "")} ORDER BY id LIMIT 1),
      (SELECT customer_id FROM licenses WHERE ${
    isText(sql, "customer_email", address ?? "")
  } AND customer_id IS NOT NULL
        ORDER BY id LIMIT 1)), ${actor.type}, ${actor.id})
    -- guard: an address is suppressed once for a reason
    ON CONFLICT (digest, reason) DO NOTHING
    RETURNING ${sql.literal(columns)}`

/** The filters of a list of suppressions. */
export interface SuppressionFilters {
  readonly digest?: Uint8Array | undefined
  readonly reason?: MailSuppressionReason | undefined
}

/** The conditions of rows that pass the filters. */
export const areSuppressions = (
  sql: Database,
  { digest, reason }: SuppressionFilters
): ReadonlyArray<Statement.Fragment> => [
  ...(digest === undefined ? [] : [sql`digest = ${digest}::bytea`]),
  ...(reason === undefined ? [] : [sql`reason = ${reason}`])
]

/** A page of suppressions. */
export const listSuppressions = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: mail_suppressions.list
    SELECT ${sql.literal(columns)} ${place} FROM mail_suppressions ${where} ${orderBy} LIMIT ${limit}`

/** A suppression by its id. */
export const findSuppression = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: mail_suppressions.find
    SELECT ${sql.literal(columns)} FROM mail_suppressions WHERE id = ${id}`

/** A suppression that keeps mails from an address. */
interface ReasonFound {
  readonly id: string
  readonly reason: MailSuppressionReason
}

/** Finds the suppression that keeps mails from an address, of these reasons; none where it gets them. */
export const findReason = (
  sql: Database,
  digest: Uint8Array,
  reasons: ReadonlyArray<MailSuppressionReason>
): Query<ReasonFound> =>
  sql<ReasonFound>`
    -- name: mail_suppressions.find reason
    SELECT id, reason FROM mail_suppressions WHERE digest = ${digest}::bytea AND reason = ANY(${reasons}::text[])
    ORDER BY array_position(${reasons}::text[], reason) LIMIT 1`

/** The owner of a license, who reads its notices. */
interface Recipient {
  readonly email: string | null
  readonly customer_id: string | null
  readonly language: MailLanguage | null
}

/** Finds the recipient of notices about a license; none where there is no such license. */
export const findRecipient = (sql: Database, licenseId: string): Query<Recipient> =>
  sql<Recipient>`
    -- name: licenses.find recipient
    SELECT coalesce(l.customer_email, c.email) AS email, l.customer_id, coalesce(c.language, s.mail_language) AS language
    FROM licenses l LEFT JOIN customers c ON c.id = l.customer_id LEFT JOIN service_settings s ON true
    WHERE l.id = ${licenseId}`

/** Ends a suppression; none where it has ended. */
export const deleteSuppression = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: mail_suppressions.delete
    DELETE FROM mail_suppressions WHERE id = ${id} RETURNING ${sql.literal(columns)}`

/**
 * Forgets the addresses of a customer who is erased: those of the customer, of the licenses and their users as they are now, and
 * those that mails to the customer went to. Their digests stay.
 */
export const updateSuppressionsErased = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: mail_suppressions.update erased
    UPDATE mail_suppressions SET address = NULL, reply = NULL, customer_id = NULL
    WHERE address IS NOT NULL AND (customer_id = ${customerId} OR lower(address) IN (
      SELECT lower(email) FROM customers WHERE id = ${customerId} AND email IS NOT NULL
      UNION SELECT lower(customer_email) FROM licenses WHERE customer_id = ${customerId} AND customer_email IS NOT NULL
      UNION SELECT lower(u.email) FROM license_users u JOIN licenses l ON l.id = u.license_id
        WHERE l.customer_id = ${customerId} AND u.email IS NOT NULL))
    RETURNING id`
