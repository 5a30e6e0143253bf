import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { Opener } from "../log/Provenance.ts"
import type { OpenerColumns } from "../people/PersonActor.ts"
import { joinedOpener, openerColumns } from "../people/SessionSql.ts"

/** Opens a session of the license that has a key now: none where the key is unknown or was replaced. Those that are over go with it. */
export const insertPortalSession = (
  sql: Database,
  { hash, hours, keyHash }: { readonly hash: Uint8Array; readonly keyHash: Uint8Array; readonly hours: number }
): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: portal_sessions.insert
    WITH over AS (DELETE FROM portal_sessions WHERE expires_at < now())
    INSERT INTO portal_sessions (token_hash, license_id, key_hash, expires_at)
    SELECT ${hash}, license_id, key_hash, now() + ${hours}::int * interval '1 hour'
    FROM license_keys WHERE key_hash = ${keyHash} AND expires_at IS NULL
    RETURNING license_id`

/** Opens a session of customers by the address that they have: of the only one, or of one who is chosen later. */
export const insertCustomerSession = (
  sql: Database,
  { addressHash, customerIds, hash, hours, opener }: {
    readonly hash: Uint8Array
    readonly hours: number
    readonly addressHash: Uint8Array
    readonly customerIds: ReadonlyArray<string>
    /** The maker of the link that opens it, where that was not the customer. */
    readonly opener?: Pick<Opener, "id" | "type"> | undefined
  }
): Query<object> =>
  sql`
    -- name: portal_sessions.insert of customers
    WITH over AS (DELETE FROM portal_sessions WHERE expires_at < now())
    INSERT INTO portal_sessions (token_hash, address_hash, customer_ids, customer_id, opener_type, opener_id, expires_at)
    VALUES (${hash}, ${addressHash}, ${customerIds}::text[], ${customerIds.length === 1 ? customerIds[0] : null},
      ${opener?.type ?? null}, ${opener?.id ?? null}, now() + ${hours}::int * interval '1 hour')
    RETURNING 1`

/** A session as a request finds it: a hot row, which is cast. */
export interface PortalSessionRow extends OpenerColumns {
  /** The license that its key opened the session of, and the keyed hash of that key; NULL in a session of customers. */
  readonly license_id: string | null
  readonly key_hash: Uint8Array | null
  /** The customers who had the address at the sign-in, and the keyed hash of it; NULL in a session of a license. */
  readonly customer_ids: ReadonlyArray<string> | null
  readonly address_hash: Uint8Array | null
  readonly customer_id: string | null
  readonly email: string | null
  readonly language: MailLanguage | null
  readonly stale: boolean
}

/**
 * The session of a keyed hash, if it goes on: it ends with the key that opened it, with its customer, and with the removal of the person
 * who made its link.
 */
export const findPortalSession = (sql: Database, hash: Uint8Array, idleMinutes: number): Query<PortalSessionRow> =>
  sql<PortalSessionRow>`
    -- name: portal_sessions.find
    SELECT s.license_id, s.key_hash, s.customer_ids, s.address_hash, c.id AS customer_id, c.email, c.language,
      s.last_used_at < now() - interval '1 minute' AS stale, ${sql.literal(openerColumns)}
    FROM portal_sessions s ${sql.literal(joinedOpener)}
    LEFT JOIN license_keys k ON k.key_hash = s.key_hash AND k.license_id = s.license_id AND k.expires_at IS NULL
    LEFT JOIN licenses l ON l.id = k.license_id
    LEFT JOIN customers c ON c.id = coalesce(s.customer_id, l.customer_id)
    WHERE s.token_hash = ${hash} AND s.expires_at > now()
      AND s.last_used_at > now() - ${idleMinutes}::int * interval '1 minute'
      AND o.status IS DISTINCT FROM 'removed'
      AND (k.key_hash IS NOT NULL OR s.license_id IS NULL AND (c.id IS NOT NULL OR s.customer_id IS NULL))`

/** Has a session be of one of the customers whose address it is of. */
export const updateChosenCustomer = (sql: Database, hash: Uint8Array, customerId: string): Query<object> =>
  sql`
    -- name: portal_sessions.update chosen
    UPDATE portal_sessions SET customer_id = ${customerId}
    WHERE token_hash = ${hash} AND ${customerId} = ANY(customer_ids) RETURNING 1`

/** A license that a customer has, with the keyed hash of its key. */
interface OwnedLicense {
  readonly license_id: string
  readonly key_hash: Uint8Array
}

/** The license of a customer by its id. */
export const findOwnedLicense = (sql: Database, customerId: string, licenseId: string): Query<OwnedLicense> =>
  sql<OwnedLicense>`
    -- name: licenses.find owned
    SELECT l.id AS license_id, k.key_hash FROM licenses l
    JOIN license_keys k ON k.license_id = l.id AND k.expires_at IS NULL
    WHERE l.id = ${licenseId} AND l.customer_id = ${customerId}`

/** Notes that a session is used: when, and not how often. */
export const updatePortalUse = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: portal_sessions.update last used
    UPDATE portal_sessions SET last_used_at = now()
    WHERE token_hash = ${hash} AND last_used_at < now() - interval '1 minute' RETURNING 1`

/** Ends a session. */
export const deletePortalSession = (sql: Database, hash: Uint8Array): Query<object> =>
  sql`
    -- name: portal_sessions.delete
    DELETE FROM portal_sessions WHERE token_hash = ${hash} RETURNING 1`

/** Ends the sessions of a customer who is erased, and those by the keys of the customer's licenses. */
export const deletePortalSessionsOf = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: portal_sessions.delete of customer
    DELETE FROM portal_sessions WHERE ${customerId} = ANY(customer_ids)
      OR license_id IN (SELECT id FROM licenses WHERE customer_id = ${customerId}) RETURNING 1`
