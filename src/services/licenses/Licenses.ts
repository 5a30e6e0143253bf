import { Context, Effect, Layer } from "effect"
import { Policy } from "../../domain/catalog/Policy.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { managedOf } from "../../domain/licenses/License.ts"
import { warningsAboutNew } from "../../domain/licenses/License.ts"
import type { License, LicenseCreate, LicenseCreated } from "../../domain/licenses/License.ts"
import { issueOf } from "../../domain/licenses/LicenseIssue.ts"
import { keyTaken } from "../../domain/licenses/LicenseKeyInput.ts"
import { withoutGrace } from "../../domain/licenses/LicenseStatus.ts"
import { decided, derivedChange, licenseRevoked } from "../../domain/lifecycle/LicenseChange.ts"
import type { LicenseChange } from "../../domain/lifecycle/LicenseChange.ts"
import type { Announced } from "../../domain/lifecycle/LicenseExpiry.ts"
import { formatLicenseKey } from "../../domain/security/Credential.ts"
import { effectiveRules, effectiveTerms } from "../../domain/terms/EffectiveTerms.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { LicenseType, Rules } from "../../domain/terms/Rules.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError, Warned } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { makeEntityTags } from "../persistence/Precondition.ts"
import { andWithinProducts, CurrentProducts, isOfProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Vault } from "../security/Vault.ts"
import { issuedRow, issuedRows } from "./IssuedRows.ts"
import { beginLicenses, begunAs } from "./IssuedRows.ts"
import type { Begun } from "./IssuedRows.ts"
import { LeaseClosing } from "./LeaseClosing.ts"
import { licenseColumns, licenseNames, toLicense, updateLicense } from "./LicenseRows.ts"
import type { LicenseRow } from "./LicenseRows.ts"
import { licenseConditions } from "./LicenseSearch.ts"
import type { LicenseFilters } from "./LicenseSearch.ts"
import { makeQuotaWarnings } from "./QuotaWarnings.ts"

/** The purpose under which license keys are hashed. */
export const licenseKeyPurpose = "license-key"

/** JSON Pointers to the personal values of a license in its events. */
export const licensePersonal: ReadonlyArray<string> = ["/data/customer_email", "/data/customer_name"]

/** A license whose row is locked. */
export interface HeldLicense {
  readonly license: License
  readonly license_type: LicenseType
  /** The rules of its policy, and those that are in force for it. */
  readonly policy: Rules
  readonly rules: Rules
  /** The last crossing of its expiry that was announced. */
  readonly announced: Announced
  /** The database's clock, read after the lock was acquired. */
  readonly now: Date
}

/** The event of a change, and the rules of the policy that the license is under afterwards, where that is another. */
export interface Written {
  readonly type: EventKind
  readonly metadata?: JsonObject
  readonly policy?: Rules
}

/** An event type and the license it happened to. */
export interface LicenseEvent {
  readonly type: EventKind
  readonly id: string
  readonly metadata?: JsonObject
}

const licenseTables = "FROM licenses l JOIN policies p ON p.id = l.policy_id"

const licenseSelect = `SELECT ${licenseColumns} ${licenseTables}`

/** Reads licenses; its parameter is an array of ids. */
const licensesQuery = `${licenseSelect} WHERE l.id = ANY($1::text[])`

const readPolicy = rowReader(Policy)

const termsInput = (license: License, policy: Rules) => ({
  policy,
  overrides: license.overrides,
  withoutGrace: withoutGrace(license)
})

/** The rules that are in force for a license under a policy. */
const rulesInForce = (license: License, policy: Rules): Rules => effectiveRules(termsInput(license, policy))

/** A license with the terms that are in force. */
const withTerms = (license: License, policy: Rules): License => ({
  ...license,
  terms: effectiveTerms(termsInput(license, policy))
})

const missing = () => failing(NotFound, "No license has this id.")

/** What is shown of licenses beside themselves: the terms that are in force, and what their ids stand for. */
export interface Shown {
  readonly terms?: boolean
  readonly names?: boolean
}

/** Licenses, as management issues and manages them. */
export class Licenses extends Context.Service<Licenses, {
  readonly list: (
    filters: LicenseFilters,
    page: PageRequest,
    shown?: Pick<Shown, "names">
  ) => Effect.Effect<Page<License>, InvalidCursor>
  /** The key is returned only here. `issue` is for what the service issues of its own accord. */
  readonly create: (
    input: LicenseCreate,
    issue?: { readonly id: string; readonly metadata: JsonObject }
  ) => Effect.Effect<Warned<LicenseCreated>, NotFound | ValidationError>
  readonly get: (id: string) => Effect.Effect<License, NotFound>
  /** The license with more beside it. */
  readonly show: (id: string, shown: Shown) => Effect.Effect<License, NotFound>
  /** What its subscription had suspended is a person's from then on. */
  readonly suspend: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  readonly reinstate: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  /** Permanent and idempotent; frees the seats. */
  readonly revoke: (id: string) => Effect.Effect<License, NotFound>
  /**
   * Puts licenses that the surrounding transaction has created into the states that they come with, in a handful of
   * statements; returns them in order. Unlike `suspend` it takes one that is expired: a renewal must not bring it back into
   * force.
   */
  readonly beginAs: (begun: ReadonlyArray<Begun>) => Effect.Effect<ReadonlyArray<License>>
  /** Locks a license until the surrounding transaction ends, and reads it. */
  readonly hold: (id: string) => Effect.Effect<HeldLicense, NotFound>
  /** The same for a license that is about to be edited, if it is in the state that the request names. */
  readonly holdToEdit: (id: string) => Effect.Effect<HeldLicense, NotFound | PreconditionFailed>
  /**
   * Writes a change of a held license with all that follows from it, and appends its event; returns the license after the
   * change. The one writer of what management changes.
   */
  readonly write: (held: HeldLicense, change: LicenseChange, written: Written) => Effect.Effect<License>
  /** Appends the event of a change that the surrounding transaction made; returns the license after the change. */
  readonly record: (type: EventKind, id: string, metadata?: JsonObject) => Effect.Effect<License>
  /** Reads licenses by id; ids that no license has are left out. */
  readonly getAll: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, License>>
  /** The same for many changes; returns the licenses in the order of the changes. */
  readonly recordAll: (changes: ReadonlyArray<LicenseEvent>) => Effect.Effect<ReadonlyArray<License>>
}>()("countersign/services/licenses/Licenses") {
  static readonly layer = Layer.effect(
    Licenses,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const leases = yield* LeaseClosing
      const crypto = yield* Cryptography
      const vault = yield* Vault
      const links = makeLinkChecks(sql)
      const quotas = makeQuotaWarnings(sql)
      const tags = yield* makeEntityTags(managedOf)

      const select = sql.literal(licenseSelect)
      const columns = sql.literal(licenseColumns)
      const namedColumns = sql.literal(`${licenseColumns}, ${licenseNames}`)
      const tables = sql.literal(licenseTables)

      const list = Effect.fn("Licenses.list")(function*(
        filters: LicenseFilters,
        page: PageRequest,
        { names = false }: Pick<Shown, "names"> = {}
      ) {
        const conditions = yield* licenseConditions(sql, filters)
        return yield* sortedPage({
          sql,
          list: "licenses",
          products: (products) => isOfProducts(sql, "l.product_id", products),
          filters,
          page,
          alias: "l.",
          conditions,
          rows: ({ orderBy, place, where }, limit) =>
            sql`SELECT ${names ? namedColumns : columns} ${place} ${tables} ${where} ${orderBy} LIMIT ${limit}`,
          read: (row) => toLicense(row as LicenseRow)
        })
      })

      const get = Effect.fn("Licenses.get")((id: string) =>
        sql<LicenseRow>`${select} WHERE l.id = ${id}`.pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(toLicense(row))),
          Effect.tap(tags.note)
        )
      )

      const getAll = (ids: ReadonlyArray<string>) =>
        Effect.map(
          sql.unsafe<LicenseRow>(licensesQuery, [ids]),
          (rows) => new Map(rows.map((row) => [row.id, toLicense(row)]))
        )

      const recordAll = Effect.fnUntraced(function*(changes: ReadonlyArray<LicenseEvent>) {
        const byId = yield* getAll(changes.map(({ id }) => id))
        const licenses = changes.map(({ id }) => byId.get(id)!)
        yield* events.appendAll(changes.map(({ id, metadata, type }, index) => ({
          type,
          resourceId: id,
          data: licenses[index]!,
          personal: licensePersonal,
          ...(metadata === undefined ? {} : { metadata })
        })))
        return licenses
      })

      const record = (type: EventKind, id: string, metadata?: JsonObject) =>
        Effect.map(
          recordAll([{ type, id, ...(metadata === undefined ? {} : { metadata }) }]),
          ([license]) => license!
        )

      /** Checks the references of a new license; returns its origin, its policy and the time of the transaction. */
      const references = Effect.fnUntraced(function*(input: LicenseCreate) {
        const limit = yield* CurrentProducts
        const products = yield* sql`
          SELECT 1 FROM products WHERE id = ${input.product_id} ${andWithinProducts(sql, "id", limit)} FOR KEY SHARE`
        if (products.length === 0) return yield* failing(NotFound, "No product has the id in product_id.")
        const [row] = yield* sql<{ readonly now: Date }>`
          SELECT *, now() FROM policies WHERE id = ${input.policy_id} ${
          andWithinProducts(sql, "product_id", limit)
        } FOR KEY SHARE`
        if (row === undefined) return yield* failing(NotFound, "No policy has the id in policy_id.")
        const { now, ...columns } = row
        const policy = readPolicy(columns)
        if (policy.product_id !== input.product_id) {
          return yield* invalidField("policy_id", "other_product", "belongs to another product")
        }
        const further = input.product_ids ?? []
        const found = (yield* links.furtherProducts(further))(input.product_id, further)
        if (found.length > 0) return yield* invalidRequest(found)
        if (input.customer_id !== undefined) yield* links.customer(input.customer_id)
        return { now, policy, ...yield* links.origin(input, "SHARE") }
      })

      const create: Licenses["Service"]["create"] = Effect.fn("Licenses.create")(function*(input, issue) {
        const id = issue?.id ?? identifiers.next("lic")
        const license_key = input.license_key ?? formatLicenseKey(crypto.randomBytes(15))
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const { now, order_id, policy, subscription_id } = yield* references(input)
            const subscription = subscription_id === undefined ? undefined : yield* links.followed(subscription_id)
            const issued = yield* Effect.mapError(
              Effect.fromResult(
                issueOf(
                  input,
                  { id: policy.id, license_type: policy.license_type, rules: rulesOf(policy), subscription },
                  now.getTime()
                )
              ),
              invalidRequest
            )
            yield* sql.unsafe(`INSERT INTO licenses ${issuedRows("$1")}`, [
              JSON.stringify([issuedRow(id, { license_key, input, issued, order_id, subscription_id })])
            ])
            const kept = yield* sql`
              INSERT INTO license_keys (key_hash, license_id)
              VALUES (${vault.keyedHash(licenseKeyPurpose, license_key)}, ${id})
              ON CONFLICT (key_hash) DO NOTHING RETURNING 1`
            if (kept.length === 0) {
              return yield* invalidRequest([keyTaken])
            }
            const issuedAs = yield* record("license.created", id, issue?.metadata)
            const begun = begunAs(id, input)
            const [license = issuedAs] = begun === undefined ? [] : yield* beginAs([begun])
            const warnings = [...warningsAboutNew(license), ...yield* quotas.aboutIssued([license])]
            return { data: { license, license_key }, warnings }
          })
        )
      })

      // The lock comes first: joined with what is read, the policy's row could be older than the lock.
      const hold = Effect.fnUntraced(function*(id: string) {
        const locked = yield* sql`SELECT 1 FROM licenses WHERE id = ${id} FOR NO KEY UPDATE`
        if (locked.length === 0) return yield* missing()
        const [row] = yield* sql<LicenseRow & { readonly announced: Announced; readonly policy: object }>`
          SELECT ${columns}, l.announced, row_to_json(p.*) AS policy ${tables} WHERE l.id = ${id}`
        const { announced, policy: under, ...shown } = row!
        const { license_type, ...policy } = readPolicy(under)
        const license = toLicense(shown)
        const rules = rulesInForce(license, rulesOf(policy))
        return { license, license_type, policy: rulesOf(policy), rules, announced, now: row!.now }
      })

      const holdToEdit = (id: string) => Effect.tap(hold(id), ({ license }) => tags.judge(license))

      const write: Licenses["Service"]["write"] = Effect.fnUntraced(
        function*(held, change, { metadata, policy, type }) {
          const { id, policy_id } = held.license
          const derived = derivedChange({ ...held, policy: policy ?? held.policy }, change)
          const [row] = yield* updateLicense(sql, id, change.policy_id ?? policy_id, derived)
          const license = toLicense(row!)
          yield* tags.note(license)
          yield* events.append({
            type,
            resourceId: id,
            data: license,
            personal: licensePersonal,
            ...(metadata === undefined ? {} : { metadata })
          })
          return license
        }
      )

      const show = Effect.fn("Licenses.show")((id: string, { names = false, terms = false }: Shown) =>
        sql`
          SELECT ${names ? namedColumns : columns}, row_to_json(p.*) AS policy ${tables} WHERE l.id = ${id}`.pipe(
          Effect.flatMap(([row]) => {
            if (row === undefined) return Effect.fail(missing())
            const { policy, ...shown } = row as unknown as LicenseRow & { readonly policy: object }
            const license = toLicense(shown)
            return Effect.succeed(terms ? withTerms(license, rulesOf(readPolicy(policy))) : license)
          }),
          Effect.tap(tags.note)
        )
      )

      const suspend = Effect.fn("Licenses.suspend")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* hold(id)
            const { license } = held
            if (license.status === "suspended" && license.suspended_by === undefined) return license
            if (license.status === "revoked" || license.status === "expired") {
              return yield* failing(StateConflict, "Only a license that serves can be suspended.", {
                detail: license.status
              })
            }
            return yield* write(held, decided("suspended"), { type: "license.suspended" })
          })
        )
      )

      const reinstate = Effect.fn("Licenses.reinstate")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* hold(id)
            const { license } = held
            if (license.status === "active" || license.status === "grace_period") return license
            if (license.status !== "suspended") {
              return yield* failing(StateConflict, "Only a suspended license can be reinstated.", {
                detail: license.status
              })
            }
            return yield* write(held, decided("active"), { type: "license.reinstated" })
          })
        )
      )

      const beginAs = Effect.fnUntraced(function*(begun: ReadonlyArray<Begun>) {
        if (begun.length === 0) return []
        yield* beginLicenses(sql, begun)
        return yield* recordAll(begun.map(({ id, state }) => ({ type: `license.${state}` as const, id })))
      })

      const revoke = Effect.fn("Licenses.revoke")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* hold(id)
            if (held.license.status === "revoked") return held.license
            yield* leases.end({ licenseId: id }, "revoked")
            yield* sql`
              UPDATE devices SET status = 'deactivated', updated_at = now()
              WHERE license_id = ${id} AND status = 'active'`
            return yield* write(held, licenseRevoked, { type: "license.revoked" })
          })
        )
      )

      return Licenses.of({
        list,
        create,
        get,
        show,
        getAll,
        suspend,
        reinstate,
        revoke,
        beginAs,
        hold,
        holdToEdit,
        write,
        record,
        recordAll
      })
    })
  )
}
