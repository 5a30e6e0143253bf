import { Context, Effect, Layer, Result, Schema } from "effect"
import { Hex } from "effect/encoding"
import { Policy } from "../../domain/catalog/Policy.ts"
import { Subscription } from "../../domain/commerce/Subscription.ts"
import type { LicenseCreate } from "../../domain/licenses/License.ts"
import type { BulkCreated, LicenseBulk, LicenseBulkResult } from "../../domain/licenses/LicenseBulk.ts"
import { issueOf } from "../../domain/licenses/LicenseIssue.ts"
import type { Issued } from "../../domain/licenses/LicenseIssue.ts"
import { keyDuplicate, keyTaken } from "../../domain/licenses/LicenseKeyInput.ts"
import { findingsLeft, licenseOf, refusedRows } from "../../domain/licenses/LicenseRow.ts"
import type { RowRefusal } from "../../domain/licenses/LicenseRow.ts"
import { formatLicenseKey } from "../../domain/security/Credential.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import { failing, ValidationError } from "../../domain/wire/Errors.ts"
import type { FieldFinding, Warned } from "../../domain/wire/Errors.ts"
import { maximumFindings, summary } from "../../domain/wire/FieldFindings.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { andWithinProducts, CurrentProducts, isCustomerOfProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction, rehearsed } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Vault } from "../security/Vault.ts"
import { begunAs, issuedRow, issuedRows } from "./IssuedRows.ts"
import { licenseKeyPurpose, Licenses } from "./Licenses.ts"
import { makeQuotaWarnings } from "./QuotaWarnings.ts"

const readPolicy = rowReader(Policy)

const { current_period_end, id: subscriptionId, product_id, status } = Subscription.fields
const readSubscription = rowReader(Schema.Struct({ id: subscriptionId, product_id, status, current_period_end }))

interface Reference {
  readonly id: string
  readonly product_id: string
  readonly subscription_id: string | null
}

type Row = { readonly index: number; readonly input: LicenseCreate }

type Kept = Row & { readonly subscription_id: string | undefined; readonly issued: Issued }

/**
 * Writes keys and their licenses. Its parameters are the hashes of the keys, the ids of their licenses, and the licenses
 * as JSON.
 */
const insertQuery = `
  WITH keys AS (
    INSERT INTO license_keys (key_hash, license_id)
    SELECT * FROM unnest($1::bytea[], $2::text[]) AS k (key_hash, license_id) ORDER BY key_hash
    ON CONFLICT (key_hash) DO NOTHING RETURNING license_id
  )
  INSERT INTO licenses ${issuedRows("$3", "AS r WHERE r.id IN (SELECT license_id FROM keys)")} RETURNING id`

/** Bulk creation of licenses. */
export class LicenseBatches extends Context.Service<LicenseBatches, {
  /**
   * Creates all licenses in one transaction, in a handful of statements whatever their number. Each license has its
   * event. A dry run carries it out as well, and rolls it back. What would not be kept of a row as it was sent is found by who reads the body, by the index of the row.
   */
  readonly create: (
    input: LicenseBulk,
    lost?: ReadonlyMap<number, FieldFinding>
  ) => Effect.Effect<Warned<LicenseBulkResult>, ValidationError>
}>()("countersign/services/licenses/LicenseBatches") {
  static readonly layer = Layer.effect(
    LicenseBatches,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const vault = yield* Vault
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)

      const hashOf = (license_key: string) => vault.keyedHash(licenseKeyPurpose, license_key)

      /** The referenced rows, locked until the surrounding transaction ends. */
      const references = Effect.fnUntraced(function*(rows: ReadonlyArray<Row>) {
        const named = (member: "product_id" | "policy_id" | "customer_id" | "order_id" | "subscription_id") => [
          ...new Set(rows.flatMap(({ input }) => input[member] ?? []))
        ]
        const limit = yield* CurrentProducts
        /** What is beyond the products of a limited key is not there for it. */
        const within = (table: string) =>
          table === "customers"
            ? limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`
            : andWithinProducts(sql, table === "products" ? "id" : "product_id", limit)
        const find = <Found extends { readonly id: string } = Reference>(
          table: string,
          columns: string,
          ids: ReadonlyArray<string>,
          { lock = "KEY SHARE", read = (row: object) => row as Found } = {}
        ) =>
          ids.length === 0 ? Effect.succeed(new Map<string, Found>()) : Effect.map(
            sql`
              SELECT ${sql.literal(columns)} FROM ${sql(table)} WHERE id = ANY(${ids}::text[]) ${within(table)}
              ORDER BY id FOR ${sql.literal(lock)}`,
            (found) => new Map(found.map(read).map((row) => [row.id, row]))
          )
        const products = yield* find("products", "id", named("product_id"))
        const policies = yield* find<Policy>("policies", "*", named("policy_id"), { read: readPolicy })
        const customers = yield* find("customers", "id", named("customer_id"))
        const orders = yield* find("orders", "id, product_id, subscription_id", named("order_id"), { lock: "SHARE" })
        const brought = [...orders.values()].flatMap(({ subscription_id }) => subscription_id ?? [])
        return {
          products,
          policies,
          customers,
          orders,
          subscriptions: yield* find(
            "subscriptions",
            "id, product_id, status, current_period_end",
            [...new Set([...named("subscription_id"), ...brought])],
            { lock: "SHARE", read: readSubscription }
          ),
          further: yield* links.furtherProducts(rows.flatMap(({ input }) => input.product_ids ?? [])),
          now: (yield* sql<{ readonly now: Date }>`SELECT now()`)[0]!.now
        }
      })

      /** Every finding about a row that goes beyond its own members: the same rules as for a single create. */
      const findings = (
        { input }: Row,
        refs: Effect.Success<ReturnType<typeof references>>
      ): Omit<Kept, keyof Row> & { readonly fields: ReadonlyArray<FieldFinding> } => {
        const fields: Array<FieldFinding> = []
        const belongs = <Found extends { readonly product_id: string }>(
          path: "policy_id" | "order_id" | "subscription_id",
          found: ReadonlyMap<string, Found>
        ) => {
          const id = input[path]
          if (id === undefined) return undefined
          const reference = found.get(id)
          const noun = path.slice(0, -3)
          if (reference === undefined) fields.push({ path, code: "not_found", message: `names no ${noun}` })
          else if (reference.product_id !== input.product_id) {
            fields.push({ path, code: "other_product", message: "belongs to another product" })
          }
          return reference
        }
        if (!refs.products.has(input.product_id)) {
          fields.push({ path: "product_id", code: "not_found", message: "names no product" })
        }
        fields.push(...refs.further(input.product_id, input.product_ids ?? []))
        const policy = belongs("policy_id", refs.policies)
        if (input.customer_id !== undefined && !refs.customers.has(input.customer_id)) {
          fields.push({ path: "customer_id", code: "not_found", message: "names no customer" })
        }
        const brought = belongs("order_id", refs.orders)?.subscription_id ?? undefined
        belongs("subscription_id", refs.subscriptions)
        if (input.subscription_id !== undefined && brought !== undefined && brought !== input.subscription_id) {
          fields.push({
            path: "subscription_id",
            code: "not_of_order",
            message: "is another one than that of the order"
          })
        }
        const subscription_id = input.subscription_id ?? brought
        const issued = policy === undefined ? Result.succeed({}) : issueOf(
          input,
          {
            id: policy.id,
            license_type: policy.license_type,
            rules: rulesOf(policy),
            subscription: subscription_id === undefined ? undefined : refs.subscriptions.get(subscription_id)
          },
          refs.now.getTime()
        )
        if (Result.isFailure(issued)) fields.push(...issued.failure)
        return {
          fields,
          subscription_id,
          issued: Result.getOrElse(issued, () => ({}))
        }
      }

      /** Rows whose key stands in a row before them, or belongs to a license, or did. */
      const findingsOfKeys = Effect.fnUntraced(function*(rows: ReadonlyArray<Row>) {
        const hashes = rows.flatMap(({ input: { license_key } }) =>
          license_key === undefined ? [] : [hashOf(license_key)]
        )
        const taken = hashes.length === 0 ? [] : yield* sql<{ readonly key_hash: Uint8Array }>`
          SELECT key_hash FROM license_keys WHERE key_hash = ANY(${hashes}::bytea[])`
        const found = new Set(taken.map(({ key_hash }) => Hex.encode(key_hash)))
        const earlier = new Set<string>()
        return ({ input: { license_key } }: Row): ReadonlyArray<FieldFinding> => {
          if (license_key === undefined) return []
          if (earlier.has(license_key)) return [keyDuplicate]
          earlier.add(license_key)
          return found.has(Hex.encode(hashOf(license_key))) ? [keyTaken] : []
        }
      })

      /**
       * Creates the licenses, but those whose key another transaction has taken meanwhile. Keys come before their
       * licenses, whose constraint is checked when the statement ends, and in the order of their hashes: transactions
       * that bring the same keys wait for each other one way.
       */
      const insert = Effect.fnUntraced(function*(rows: ReadonlyArray<Kept>) {
        if (rows.length === 0) return { created: [], refused: [] }
        const made = rows.map((row) => {
          const license_key = row.input.license_key ?? formatLicenseKey(crypto.randomBytes(15))
          return { ...row, id: identifiers.next("lic"), license_key }
        })
        const inserted = yield* sql.unsafe<{ readonly id: string }>(insertQuery, [
          made.map(({ license_key }) => hashOf(license_key)),
          made.map(({ id }) => id),
          JSON.stringify(made.map((row) => issuedRow(row.id, { ...row, order_id: row.input.order_id })))
        ])
        const stands = new Set(inserted.map(({ id }) => id))
        const kept = made.filter(({ id }) => stands.has(id))
        const recorded = yield* licenses.recordAll(kept.map(({ id }) => ({ type: "license.created", id })))
        const begun = yield* licenses.beginAs(kept.flatMap(({ id, input }) => begunAs(id, input) ?? []))
        const left = new Map([...recorded, ...begun].map((license) => [license.id, license]))
        return {
          created: kept.map(({ id, index, license_key }): BulkCreated => ({
            index,
            license: left.get(id)!,
            license_key
          })),
          refused: made.filter(({ id }) => !stands.has(id)).map(({ index }) => ({ index, fields: [keyTaken] }))
        }
      })

      const noneCreated = (refused: ReadonlyArray<RowRefusal>) => {
        const fields = refused.toSorted((a, b) => a.index - b.index).flatMap(({ fields, index }) =>
          fields.map((field) => ({ ...field, path: `licenses.${index}.${field.path}` }))
        ).slice(0, maximumFindings)
        const what = `${refused.length} of the rows are not valid, so none was created`
        return failing(ValidationError, summary(what, fields), { fields })
      }

      const carryOut = Effect.fnUntraced(
        function*(input: LicenseBulk, lost: ReadonlyMap<number, FieldFinding>) {
          const refused: Array<RowRefusal> = []
          const rows: Array<Row> = []
          let named = 0
          for (const [index, row] of input.licenses.entries()) {
            // Members of `defaults` are judged with each row: others have their turn in between.
            if (index % 50 === 49) yield* Effect.yieldNow
            // What was read in the place of what is lost must not be judged.
            const loss = lost.get(index)
            const license = loss === undefined
              // What no answer names is not looked for: a finding costs more than the member that it is about.
              ? licenseOf({ defaults: input.defaults, row, most: findingsLeft(named, input.mode) })
              : Result.fail([loss])
            if (Result.isSuccess(license)) rows.push({ index, input: license.success })
            else {
              refused.push({ index, fields: license.failure })
              named += license.failure.length
            }
          }
          const refs = yield* references(rows)
          const findingsOfKey = yield* findingsOfKeys(rows)
          const kept: Array<Kept> = []
          for (const row of rows) {
            const { fields, ...found } = findings(row, refs)
            const all = [...fields, ...findingsOfKey(row)]
            if (all.length === 0) kept.push({ ...row, ...found })
            else refused.push({ index: row.index, fields: all })
          }
          const isWhole = input.mode !== "per_row"
          if (isWhole && refused.length > 0) return yield* noneCreated(refused)
          const inserted = yield* insert(kept)
          if (isWhole && inserted.refused.length > 0) return yield* noneCreated(inserted.refused)
          const notCreated = refusedRows([...refused, ...inserted.refused])
          return {
            data: {
              created: inserted.created.length,
              refused: notCreated.length,
              results: [...inserted.created, ...notCreated].toSorted((a, b) => a.index - b.index)
            },
            warnings: yield* quotas.aboutIssued(inserted.created.map(({ license }) => license))
          }
        }
      )

      const create = Effect.fn("LicenseBatches.create")((
        input: LicenseBulk,
        lost: ReadonlyMap<number, FieldFinding> = new Map()
      ) =>
        input.dry_run === true
          ? Effect.map(rehearsed(sql, carryOut(input, lost)), ({ data, warnings }) => ({
            // Licenses that there will not be have neither an id nor a key to show.
            data: { ...data, results: data.results.filter((result) => "error" in result) },
            warnings
          }))
          : inTransaction(sql, carryOut(input, lost))
      )

      return LicenseBatches.of({ create })
    })
  )
}
