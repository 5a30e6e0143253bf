import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import type { GivenUnits, UnitTargets } from "../../../domain/sales/selling/UnitsPlan.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Units that were given for a payment, and to whom. */
export interface GivenRow extends GivenUnits {
  readonly grant_id: string
  readonly license_id: string | null
  readonly customer_id: string | null
}

/** The units that were given for payments of a system, whichever connection was told of them: of each the last. */
export const listGivenUnits = (
  sql: Database,
  system: string,
  bills: ReadonlyArray<string>
): Query<GivenRow> =>
  sql<GivenRow>`
    -- name: purchase_units.list given
    SELECT DISTINCT ON (bill, part, feature_id) bill, part, feature_id, number, taken_by, grant_id, license_id, customer_id
    FROM purchase_units WHERE system = ${system} AND bill = ANY(${bills}::text[])
    ORDER BY bill, part, feature_id, number DESC`

/** Notes the units of a payment. */
export const insertUnits = (
  sql: Database,
  { amount, bill, customer_id, feature_id, grant_id, license_id, number, part, purchaseId, system }:
    & Omit<GivenRow, "taken_by">
    & { readonly purchaseId: string; readonly system: string; readonly amount: number }
): Query<object> =>
  sql`
    -- name: purchase_units.insert
    INSERT INTO purchase_units (system, bill, part, feature_id, number, purchase_id, license_id, customer_id, grant_id, amount)
    VALUES (${system}, ${bill}, ${part}, ${feature_id}, ${number}, ${purchaseId}, ${license_id}, ${customer_id}, ${grant_id},
      ${BigInt(amount)}::int8)`

/** Notes which purchase has taken back the units of a payment; NULL where none of them is taken back any more. */
export const updateTaken = (
  sql: Database,
  { bill, feature_id, number, part, system, taken_by }: GivenUnits & { readonly system: string }
): Query<object> =>
  sql`
    -- name: purchase_units.update taken
    UPDATE purchase_units SET taken_by = ${taken_by}
    WHERE system = ${system} AND bill = ${bill} AND part = ${part} AND feature_id = ${feature_id} AND number = ${number}`

/** The product of a feature, as long as it is there. */
export const findFeatureProduct = (sql: Database, featureId: string): Query<{ readonly product_id: string }> =>
  sql<{ readonly product_id: string }>`
    -- name: features.find product
    SELECT product_id FROM features WHERE id = ${featureId} AND archived_at IS NULL`

/**
 * The licenses that units of a product may be for: the one that the buyer named, those of the purchase, those of subscriptions that were paid
 * for by the same payment, and those of the customer that work.
 */
export const findUnitTargets = (
  sql: Database,
  { connectionId, customerId, licenseId, name, productId, purchaseId }: {
    readonly purchaseId: string
    readonly connectionId: string
    readonly name: PurchaseName
    readonly productId: string
    readonly customerId: string | null
    /** The license that the buyer named. */
    readonly licenseId: string | null
  }
): Query<Omit<UnitTargets, "named"> & { readonly named: ReadonlyArray<string> }> =>
  sql<Omit<UnitTargets, "named"> & { readonly named: ReadonlyArray<string> }>`
    -- name: licenses.find unit targets
    WITH fit AS NOT MATERIALIZED (
      SELECT l.id, l.customer_id, l.expires_at IS NULL OR l.expires_at > now() AS works FROM licenses l
      WHERE l.state <> 'revoked' AND ${productId} = ANY(l.product_id || coalesce(l.product_ids, '{}'))
    ), of_purchase AS NOT MATERIALIZED (
      SELECT pl.purchase_id, pl.license_id FROM purchase_licenses pl WHERE NOT pl.is_adopted
    )
    SELECT
      ARRAY(SELECT f.id FROM fit f WHERE f.id = ${licenseId}) AS named,
      ARRAY(SELECT f.id FROM of_purchase o JOIN fit f ON f.id = o.license_id
        WHERE o.purchase_id = ${purchaseId} ORDER BY f.id LIMIT 2) AS own,
      ARRAY(SELECT DISTINCT f.id FROM billing_links up
        JOIN billing_links down ON down.connection_id = up.connection_id AND down.about = up.about
        JOIN purchases p ON p.connection_id = up.connection_id AND p.name = down.target AND p.id <> ${purchaseId}
        JOIN of_purchase o ON o.purchase_id = p.id JOIN fit f ON f.id = o.license_id
        WHERE up.connection_id = ${connectionId} AND up.target = ${name} AND up.about NOT LIKE 'customer/%'
        ORDER BY f.id LIMIT 2) AS beside,
      ARRAY(SELECT f.id FROM fit f WHERE f.customer_id = ${customerId} AND f.works ORDER BY f.id LIMIT 2) AS owned`

/** Asks for a look at the purchases of a customer whose units wait for a license. */
export const insertWorkOfUnits = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchase_work.insert for units
    INSERT INTO purchase_work (purchase_id) SELECT id FROM purchases
    WHERE customer_id = ${customerId} AND status = 'waiting' AND holds @> '[{"code":"units_no_license"}]'`
