import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

/** When keys would end that a rotation replaces after so many minutes. */
export const findOverlapEnd = (sql: Database, minutes: number): Query<{ readonly at: Date }> =>
  sql<{ readonly at: Date }>`
    -- name: clock.find overlap end
    SELECT now() + ${minutes} * interval '1 minute' AS at`

/**
 * Ends the keys of a license after so many minutes; returns them, with whether it is the one in use. A key replaced
 * earlier keeps its own end, unless this rotation ends it sooner.
 */
export const updateReplaced = (
  sql: Database,
  licenseId: string,
  minutes: number
): Query<{ readonly expires_at: Date; readonly in_use: boolean }> =>
  sql<{ readonly expires_at: Date; readonly in_use: boolean }>`
    -- name: license_keys.update replaced
    UPDATE license_keys k SET expires_at = least(k.expires_at, now() + ${minutes} * interval '1 minute')
    FROM license_keys before
    WHERE before.key_hash = k.key_hash AND k.license_id = ${licenseId}
      AND (k.expires_at IS NULL OR k.expires_at > now())
    RETURNING k.expires_at, before.expires_at IS NULL AS in_use`

/** Gives a license another key. */
export const insertKey = (sql: Database, licenseId: string, keyHash: Uint8Array): Query<object> =>
  sql`
    -- name: license_keys.insert
    INSERT INTO license_keys (key_hash, license_id) VALUES (${keyHash}, ${licenseId})`

/** The license that has, or ever had, a key; one beyond the products of a limited key, or the `further` conditions, is not there for it. */
export const findKey = (
  sql: Database,
  keyHash: Uint8Array,
  limit: ProductLimit,
  further: ReadonlyArray<Statement.Fragment>
): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: license_keys.find
    SELECT license_id FROM license_keys WHERE key_hash = ${keyHash} ${
    limit === undefined
      ? sql``
      : sql`AND EXISTS (SELECT FROM licenses WHERE id = license_id AND ${
        sql.and([isOfProducts(sql, "product_id", limit), ...further])
      })`
  }`
