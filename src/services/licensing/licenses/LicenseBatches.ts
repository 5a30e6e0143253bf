import { Context, Effect, Layer, Result } from "effect"
import { Hex } from "effect/encoding"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { failing, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { FieldFinding, Warned } from "../../../domain/ground/wire/Errors.ts"
import { maximumFindings, summary } from "../../../domain/ground/wire/FieldFindings.ts"
import { keyDuplicate, keyElsewhere, keyTaken } from "../../../domain/licensing/licenses/License.ts"
import type { LicenseOfKnown } from "../../../domain/licensing/licenses/License.ts"
import type { LicenseBulk, LicenseBulkResult } from "../../../domain/licensing/licenses/LicenseBulk.ts"
import { findingsLeft, issueOfRow, licenseOf, refusedRows } from "../../../domain/licensing/licenses/LicenseRow.ts"
import type { IssuedRow, NamedByRows, RowRefusal } from "../../../domain/licensing/licenses/LicenseRow.ts"
import { lockNamed } from "../../customers/CustomerSql.ts"
import type { NamedLock, NamedTable } from "../../customers/CustomerSql.ts"
import { makeLinkChecks } from "../../customers/Subscriptions.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { findTransactionTime, listTakenKeys } from "./IssueSql.ts"
import { makeLicenseIssuing, makeQuotaWarnings } from "./LicenseCreation.ts"
import { licenseKeyPurpose } from "./Licenses.ts"

interface Row {
  readonly index: number
  readonly input: LicenseOfKnown
}

/** Findings about rows of a bulk, by the index of the row. */
type RowFindings = ReadonlyMap<number, FieldFinding>

/** Bulk creation of licenses. */
export class LicenseBatches extends Context.Service<LicenseBatches, {
  /**
   * Creates all licenses in one transaction, in a handful of statements whatever their number. Each license has its
   * event. A dry run carries it out as well, and rolls it back. `lost` has the findings about rows that were not read as
   * they were sent.
   */
  readonly create: (input: LicenseBulk, lost?: RowFindings) => Effect.Effect<Warned<LicenseBulkResult>, ValidationError>
}>()("countersign/services/licensing/licenses/LicenseBatches") {
  static readonly layer = Layer.effect(
    LicenseBatches,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const vault = yield* Vault
      const issue = yield* makeLicenseIssuing
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)

      const hashOf = (license_key: string) => vault.keyedHash(licenseKeyPurpose, license_key)

      const carryOut = Effect.fnUntraced(function*(input: LicenseBulk, lost: RowFindings) {
        const { refused, rows } = yield* readRows(input, lost)
        const named = yield* namedBy(sql, links, rows)
        const [time] = yield* findTransactionTime(sql)
        const keys = rows.flatMap(({ input: { license_key } }) => license_key ?? [])
        const taken = keys.length === 0 ? [] : yield* listTakenKeys(sql, keys.map(hashOf))
        const judged = judge(rows, {
          environment,
          named,
          now: time!.now.getTime(),
          taken: new Set(taken.map(({ key_hash }) => Hex.encode(key_hash))),
          hashOf: (key) => Hex.encode(hashOf(key))
        })
        const left = [...refused, ...judged.refused]
        const isWhole = input.mode !== "per_row"
        if (isWhole && left.length > 0) return yield* noneCreated(left)
        const { issued, taken: late } = yield* issue(judged.kept)
        const lateRefused = late.map(({ index }) => ({ index, fields: [keyTaken] }))
        if (isWhole && late.length > 0) return yield* noneCreated(lateRefused)
        const notCreated = refusedRows([...left, ...lateRefused])
        const created = issued.map(({ requested: { index }, license, license_key }) => ({
          index,
          license,
          license_key
        }))
        return {
          data: {
            created: created.length,
            refused: notCreated.length,
            results: [...created, ...notCreated].toSorted((a, b) => a.index - b.index)
          },
          warnings: yield* quotas.aboutIssued(created.map(({ license }) => license))
        }
      })

      const create = Effect.fn("LicenseBatches.create")((input: LicenseBulk, lost: RowFindings = new Map()) =>
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

/** Reads the rows of a bulk, and refuses what is no license. */
const readRows = Effect.fnUntraced(function*(input: LicenseBulk, lost: RowFindings) {
  const refused: Array<RowRefusal> = []
  const rows: Array<Row> = []
  let reported = 0
  for (const [index, row] of input.licenses.entries()) {
    // Members of `defaults` are judged with each row: others have their turn in between.
    if (index % 50 === 49) yield* Effect.yieldNow
    // A text that replaced a lost one must not be judged.
    const loss = lost.get(index)
    const license = loss === undefined
      // A finding that no answer names is not looked for: it costs more than the field that it is about.
      ? licenseOf({ defaults: input.defaults, row, most: findingsLeft(reported, input.mode) })
      : Result.fail([loss])
    if (Result.isSuccess(license)) rows.push({ index, input: license.success })
    else {
      refused.push({ index, fields: license.failure })
      reported += license.failure.length
    }
  }
  return { refused, rows }
})

const byId = <A extends { readonly id: string }>(found: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(found.map((row) => [row.id, row]))

/** The resources that the rows name and that exist, locked until the surrounding transaction ends. */
const namedBy = Effect.fnUntraced(
  function*(sql: Database, links: ReturnType<typeof makeLinkChecks>, rows: ReadonlyArray<Row>) {
    const limit = yield* CurrentProducts
    const idsOf = (member: `${"product" | "policy" | "customer" | "order" | "subscription"}_id`) =>
      rows.flatMap(({ input }) => input[member] ?? [])
    const lock = <Table extends NamedTable>(table: Table, ids: ReadonlyArray<string>, lock?: NamedLock) =>
      ids.length === 0 ? Effect.succeed([]) : lockNamed(sql, table, [...new Set(ids)], { limit, ...(lock && { lock }) })
    const products = byId(yield* lock("products", idsOf("product_id")))
    const policies = byId(
      (yield* lock("policies", idsOf("policy_id"))).map(({ id, license_type, product_id, ...policy }) => ({
        id,
        license_type,
        product_id,
        rules: rulesOf(policy)
      }))
    )
    const customers = byId(yield* lock("customers", idsOf("customer_id")))
    const orders = byId(yield* lock("orders", idsOf("order_id"), "SHARE"))
    const brought = [...orders.values()].flatMap(({ subscription_id }) => subscription_id ?? [])
    const subscriptions = byId(yield* lock("subscriptions", [...idsOf("subscription_id"), ...brought], "SHARE"))
    const further = yield* links.furtherProducts(rows.flatMap(({ input }) => input.product_ids ?? []))
    return { products, policies, customers, orders, subscriptions, further } satisfies NamedByRows
  }
)

/** Judges rows: what each is issued with, or all that is wrong with it. */
const judge = (
  rows: ReadonlyArray<Row>,
  { environment, hashOf, named, now, taken }: {
    readonly environment: EnvironmentName
    readonly named: NamedByRows
    readonly now: number
    /** The hashes of keys that belong to a license, or did. */
    readonly taken: ReadonlySet<string>
    readonly hashOf: (key: string) => string
  }
) => {
  const kept: Array<Row & IssuedRow> = []
  const refused: Array<RowRefusal> = []
  const earlier = new Set<string>()
  const findingsOfKey = (key: string | undefined): ReadonlyArray<FieldFinding> => {
    if (key === undefined) return []
    if (earlier.has(key)) return [keyDuplicate]
    earlier.add(key)
    return taken.has(hashOf(key)) ? [keyTaken] : keyElsewhere(key, environment)
  }
  for (const row of rows) {
    const issued = issueOfRow(row.input, named, now)
    const ofKey = findingsOfKey(row.input.license_key)
    if (Result.isSuccess(issued) && ofKey.length === 0) kept.push({ ...row, ...issued.success })
    else refused.push({ index: row.index, fields: [...(Result.isFailure(issued) ? issued.failure : []), ...ofKey] })
  }
  return { kept, refused }
}

const noneCreated = (refused: ReadonlyArray<RowRefusal>) => {
  const fields = refused.toSorted((a, b) => a.index - b.index).flatMap(({ fields, index }) =>
    fields.map((field) => ({ ...field, path: `licenses.${index}.${field.path}` }))
  ).slice(0, maximumFindings)
  const what = `${refused.length} of the rows are not valid, so none was created`
  return failing(ValidationError, summary(what, fields), { fields })
}
