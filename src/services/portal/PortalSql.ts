import type { Statement } from "effect/sql"
import type { VersionLink } from "../../domain/catalog/ProductVersion.ts"
import type { KnownPurchase } from "../../domain/portal/PortalLanguage.ts"
import type { Database, Fragments, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import { isText } from "../ground/persistence/StatementParts.ts"
import { seatedConditions } from "../licensing/seats/SelfServiceSql.ts"
import type { Opener } from "../log/Provenance.ts"

/** The purchases `p` of a customer of which it is known what they are. */
export const areOwnPurchases = (sql: Database, customerId: string): ReadonlyArray<Statement.Fragment> => [
  sql`p.customer_id = ${customerId}`,
  sql`p.state ->> 'kind' IS NOT NULL`,
  sql`p.state ->> 'state' IS NOT NULL`
]

interface ListedPurchase extends KnownPurchase {
  readonly id: string
  readonly place?: string
}

/** A page of purchases `p`, with the login page of their provider's portal. */
export const listOwnPurchases = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<ListedPurchase> =>
  sql<ListedPurchase>`
    -- name: purchases.list own
    SELECT p.id, c.provider, p.name, p.state, c.customer_portal_url, coalesce((
        SELECT jsonb_agg(jsonb_build_object('feature', g.feature, 'decimals', g.decimals, 'amount', g.amount, 'ends_at', g.expires_at)
          ORDER BY g.feature, g.expires_at)
        FROM (
          SELECT f.name AS feature, f.decimals, sum(u.amount) AS amount, o.expires_at
          FROM purchase_units u JOIN features f ON f.id = u.feature_id LEFT JOIN grants o ON o.id = u.grant_id
          WHERE u.purchase_id = p.id AND u.taken_by IS NULL AND o.revoked_at IS NULL
            AND (o.expires_at > now()) IS NOT FALSE
          GROUP BY 1, 2, 4
        ) g
      ), '[]') AS units ${place}
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id ${where} ${orderBy} LIMIT ${limit}`

/** Whether a customer has a purchase that is shown. */
export const findOwnPurchase = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchases.find own
    SELECT 1 FROM purchases p WHERE ${sql.and(areOwnPurchases(sql, customerId))} LIMIT 1`

/** The people `u` of a license who have a seat or an invitation, as conditions. */
export const arePresent = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`u.license_id = ${licenseId} AND u.status <> 'removed'`
]

/** A page of the people `u` of a license, with the devices that they have a seat on: all counted, and some by name. */
export const listPortalUsers = (
  sql: Database,
  { licenseId, namedDevices }: { readonly licenseId: string; readonly namedDevices: number },
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: license_users.list portal
    SELECT u.id, u.email, u.name, u.subject, u.status, u.last_seen_at, s.device_count, s.device_names ${place}
    FROM license_users u CROSS JOIN LATERAL (
      SELECT count(*)::int AS device_count,
        coalesce((array_agg(coalesce(d.name, d.hostname, '') ORDER BY d.last_seen_at DESC, d.id))[1:${namedDevices}::int],
          '{}') AS device_names
      FROM license_user_devices h JOIN devices d ON d.id = h.device_id
      WHERE h.user_id = u.id AND ${sql.and([...seatedConditions(sql, licenseId)])}) s
    ${where} ${orderBy} LIMIT ${limit}`

/** A version that a customer may run: a hot row, which is cast. */
interface CoveredVersion {
  readonly version: string
  readonly released_at: Date
  readonly links: ReadonlyArray<VersionLink> | null
}

/** The versions of a product that were released by now, and by the end of maintenance of a license if it has one; newest first. */
export const listCovered = (
  sql: Database,
  { limit, maintenanceEnd, productId }: {
    readonly productId: string
    readonly maintenanceEnd: Date | null
    readonly limit: number
  }
): Query<CoveredVersion> =>
  sql<CoveredVersion>`
    -- name: product_versions.list covered
    SELECT version, released_at, links FROM product_versions
    WHERE product_id = ${productId} AND released_at <= least(now(), ${maintenanceEnd}::timestamptz)
    ORDER BY released_at DESC, id DESC LIMIT ${limit}`

/** How many customers with one address a link is for. */
const mostCustomers = 50

/** A customer whose address a link may be sent to. */
export interface LinkedCustomer {
  readonly id: string
  readonly name: string
  readonly email: string | null
}

/** The customers with an email address, upper and lower case alike, the oldest first. */
export const listAddressees = (sql: Database, email: string): Query<LinkedCustomer> =>
  sql<LinkedCustomer>`
    -- name: customers.list of address
    SELECT id, name, email FROM customers WHERE ${isText(sql, "email", email)} ORDER BY created_at, id LIMIT ${
    sql.literal(String(mostCustomers))
  }`

/** The customers of a link or of a session who are still there, the oldest first. */
export const listLinkedCustomers = (sql: Database, ids: ReadonlyArray<string>): Query<LinkedCustomer> =>
  sql<LinkedCustomer>`
    -- name: customers.list linked
    SELECT id, name, email FROM customers WHERE id = ANY(${ids}::text[]) ORDER BY created_at, id`

/** A link to be kept. */
export interface NewPortalLink {
  readonly addressHash: Uint8Array
  readonly tokenHash: Uint8Array
  /** The browser that asked for it, and the code that signs in there; neither where somebody else asked. */
  readonly browserHash: Uint8Array | null
  readonly codeHash: Uint8Array | null
  readonly customerIds: ReadonlyArray<string>
  /** How long it is good, and how long before that its mail may wait, in minutes. */
  readonly minutes: number
  readonly waitMinutes: number
  /** The maker, where that was not the customer. */
  readonly opener?: Pick<Opener, "id" | "type"> | undefined
}

/** Keeps a link in the place of the one before to the same address. Links that are over go with it. */
export const insertPortalLink = (
  sql: Database,
  { addressHash, browserHash, codeHash, customerIds, minutes, opener, tokenHash, waitMinutes }: NewPortalLink
): Query<{ readonly expires_at: Date }> =>
  sql<{ readonly expires_at: Date }>`
    -- name: portal_links.insert
    WITH over AS (DELETE FROM portal_links WHERE expires_at < now() AND address_hash <> ${addressHash}::bytea)
    INSERT INTO portal_links (address_hash, token_hash, browser_hash, code_hash, customer_ids, opener_type, opener_id,
      expires_at)
    VALUES (${addressHash}, ${tokenHash}, ${browserHash}, ${codeHash}, ${customerIds}::text[], ${opener?.type ?? null},
      ${opener?.id ?? null}, now() + ${minutes + waitMinutes}::int * interval '1 minute')
    -- guard: of two links to one address the newer ends the older
    ON CONFLICT (address_hash) DO UPDATE SET token_hash = excluded.token_hash, browser_hash = excluded.browser_hash,
      code_hash = excluded.code_hash, customer_ids = excluded.customer_ids, opener_type = excluded.opener_type,
      opener_id = excluded.opener_id, tries = 0, expires_at = excluded.expires_at, created_at = now()
    RETURNING now() + ${minutes}::int * interval '1 minute' AS expires_at`

/** The customers of a link, and the keyed hash of their address. */
export interface LinkedRow {
  readonly address_hash: Uint8Array
  readonly customer_ids: ReadonlyArray<string>
  readonly opener_type: Opener["type"] | null
  readonly opener_id: string | null
}

/** The link of a secret that was not spent yet. */
export const findPortalLink = (sql: Database, tokenHash: Uint8Array): Query<LinkedRow> =>
  sql<LinkedRow>`
    -- name: portal_links.find
    SELECT address_hash, customer_ids, opener_type, opener_id FROM portal_links WHERE token_hash = ${tokenHash} AND expires_at > now()`

/** Spends a link by its secret. */
export const deletePortalLink = (sql: Database, tokenHash: Uint8Array): Query<LinkedRow> =>
  sql<LinkedRow>`
    -- name: portal_links.delete
    -- guard: a link is spent once
    DELETE FROM portal_links WHERE token_hash = ${tokenHash} AND expires_at > now()
    RETURNING address_hash, customer_ids, opener_type, opener_id`

/** Counts a code that is tried in the browser that asked for a link; none where there is no link, or no try is left. */
export const updateTried = (
  sql: Database,
  { browserHash, codeHash, most }: {
    readonly browserHash: Uint8Array
    readonly codeHash: Uint8Array
    readonly most: number
  }
): Query<{ readonly token_hash: Uint8Array; readonly is_right: boolean }> =>
  sql<{ readonly token_hash: Uint8Array; readonly is_right: boolean }>`
    -- name: portal_links.update tried
    UPDATE portal_links SET tries = tries + 1
    WHERE browser_hash = ${browserHash} AND expires_at > now()
      -- guard: no more codes are tried at once than in a row
      AND tries < ${most}::int
    RETURNING token_hash, code_hash = ${codeHash} AS is_right`

/** Forgets the links of a customer who is erased. */
export const deletePortalLinksOf = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: portal_links.delete of customer
    DELETE FROM portal_links WHERE ${customerId} = ANY(customer_ids) RETURNING 1`
