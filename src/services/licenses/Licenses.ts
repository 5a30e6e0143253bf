import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { Policy } from "../../domain/catalog/Policy.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { License } from "../../domain/licenses/License.ts"
import type { LicenseCreate, LicenseCreated, LicenseState } from "../../domain/licenses/License.ts"
import { issueOf } from "../../domain/licenses/LicenseIssue.ts"
import type { Issued } from "../../domain/licenses/LicenseIssue.ts"
import { keyTaken } from "../../domain/licenses/LicenseKeyInput.ts"
import { statusOf, withoutGrace } from "../../domain/licenses/LicenseStatus.ts"
import { formatLicenseKey, licenseKeyLast4, licenseKeyPrefix } from "../../domain/security/Credential.ts"
import { effectiveRules, effectiveTerms } from "../../domain/terms/EffectiveTerms.ts"
import { rulesOf } from "../../domain/terms/Rules.ts"
import type { LicenseType, Rules } from "../../domain/terms/Rules.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { InvalidCursor, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { makeLinkChecks } from "../commerce/LinkChecks.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Vault } from "../security/Vault.ts"
import { effectiveGraceDays } from "../terms/TermsSql.ts"
import { LeaseClosing } from "./LeaseClosing.ts"
import { licenseConditions } from "./LicenseSearch.ts"
import type { LicenseFilters } from "./LicenseSearch.ts"

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
  /** The database's clock, read after the lock was acquired. */
  readonly now: Date
}

/** An event type and the license it happened to. */
export interface LicenseChange {
  readonly type: EventKind
  readonly id: string
  readonly metadata?: JsonObject
}

interface LicenseRow {
  readonly id: string
  readonly state: LicenseState
  readonly awaits_activation: boolean | null
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  readonly grace_period_days: number
  readonly now: Date
}

/** Selects licenses `l`, in the form that {@link toLicense} reads. */
const licenseColumns = `
  l.id, l.product_id, l.product_ids, l.policy_id, l.customer_id, l.order_id, l.subscription_id, l.state, l.license_key_prefix,
    l.license_key_last4, l.customer_email, l.customer_name, l.active_device_count, l.times_activated,
    l.times_transferred, l.total_consumptions, l.entitlement_version, l.starts_at, l.expires_at,
    l.maintenance_expires_at, l.awaits_activation, l.follows_subscription, l.suspended_by, l.ends_without_grace,
    l.overrides, l.metadata, l.created_at, l.updated_at, ${effectiveGraceDays} AS grace_period_days,
    clock_timestamp() AS now`

const licenseTables = "FROM licenses l JOIN policies p ON p.id = l.policy_id"

const licenseSelect = `SELECT ${licenseColumns} ${licenseTables}`

/** Reads licenses; its parameter is an array of ids. */
const licensesQuery = `${licenseSelect} WHERE l.id = ANY($1::text[])`

const readLicense = rowReader(License)
const readPolicy = rowReader(Policy)

/** Converts a row of `licenses`, joined with its policy's grace period and the database's clock, to its wire form. */
const toLicense = (row: LicenseRow): License => {
  const { grace_period_days, now, state, ...rest } = row
  const status = statusOf({
    state,
    starts_at: row.starts_at?.getTime(),
    expires_at: row.expires_at?.getTime(),
    grace_period_days,
    now: now.getTime()
  })
  return readLicense({
    status,
    ...rest,
    ...(row.awaits_activation === true && row.expires_at !== null ? { activate_before: row.expires_at } : {})
  })
}

const issuedColumns = `
  id, product_id, product_ids, policy_id, customer_id, order_id, subscription_id, license_key_prefix, license_key_last4,
  customer_email, customer_name, state, suspended_by, starts_at, expires_at, maintenance_expires_at, awaits_activation,
  follows_subscription, ends_without_grace, overrides, metadata`

/** What a new license is made of. */
export interface NewLicense {
  readonly license_key: string
  readonly input: LicenseCreate
  readonly issued: Issued
  readonly order_id: string | undefined
  readonly subscription_id: string | undefined
}

/** The columns of a new license, for {@link issuedRows}. */
export const issuedRow = (id: string, { input, issued, license_key, order_id, subscription_id }: NewLicense) => ({
  id,
  product_id: input.product_id,
  product_ids: input.product_ids?.length === 0 ? undefined : input.product_ids,
  policy_id: input.policy_id,
  customer_id: input.customer_id,
  order_id,
  subscription_id,
  license_key_prefix: licenseKeyPrefix(license_key),
  license_key_last4: licenseKeyLast4(license_key),
  customer_email: input.customer_email,
  customer_name: input.customer_name,
  metadata: input.metadata ?? {},
  state: "active",
  ...issued
})

/** What follows INSERT INTO licenses to write a JSON array of {@link issuedRow}s; `source` says what is left out. */
export const issuedRows = (rows: string, source = "") =>
  `(${issuedColumns})
  SELECT ${issuedColumns} FROM json_populate_recordset(NULL::licenses, ${rows}::json) ${source}`

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

/** Licenses, as management issues and manages them. */
export class Licenses extends Context.Service<Licenses, {
  readonly list: (filters: LicenseFilters, page: PageRequest) => Effect.Effect<Page<License>, InvalidCursor>
  /** The key is returned only here. `issue` is for what the service issues of its own accord. */
  readonly create: (
    input: LicenseCreate,
    issue?: { readonly id: string; readonly metadata: JsonObject }
  ) => Effect.Effect<LicenseCreated, NotFound | ValidationError>
  readonly get: (id: string) => Effect.Effect<License, NotFound>
  /** The license with the terms that are in force. */
  readonly show: (id: string) => Effect.Effect<License, NotFound>
  /** What its subscription had suspended is a person's from then on. */
  readonly suspend: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  readonly reinstate: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  /** Permanent and idempotent; frees the seats. */
  readonly revoke: (id: string) => Effect.Effect<License, NotFound>
  /** Locks a license until the surrounding transaction ends, and reads it. */
  readonly hold: (id: string) => Effect.Effect<HeldLicense, NotFound>
  /** Appends the event of a change that the surrounding transaction made; returns the license after the change. */
  readonly record: (type: EventKind, id: string, metadata?: JsonObject) => Effect.Effect<License>
  /** Reads licenses by id; ids that no license has are left out. */
  readonly getAll: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, License>>
  /** The same for many changes; returns the licenses in the order of the changes. */
  readonly recordAll: (changes: ReadonlyArray<LicenseChange>) => Effect.Effect<ReadonlyArray<License>>
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

      const select = sql.literal(licenseSelect)
      const columns = sql.literal(licenseColumns)
      const tables = sql.literal(licenseTables)

      const list = Effect.fn("Licenses.list")(function*(filters: LicenseFilters, page: PageRequest) {
        const conditions = yield* licenseConditions(sql, filters)
        return yield* sortedPage({
          sql,
          list: "licenses",
          filters,
          page,
          alias: "l.",
          conditions,
          rows: ({ orderBy, place, where }, limit) =>
            sql`SELECT ${columns} ${place} ${tables} ${where} ${orderBy} LIMIT ${limit}`,
          read: (row) => toLicense(row as LicenseRow)
        })
      })

      const read = (id: string, lock: Statement.Fragment) =>
        sql<LicenseRow>`${select} WHERE l.id = ${id} ${lock}`.pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(row))
        )

      const get = Effect.fn("Licenses.get")((id: string) => Effect.map(read(id, sql``), toLicense))

      const getAll = (ids: ReadonlyArray<string>) =>
        Effect.map(
          sql.unsafe<LicenseRow>(licensesQuery, [ids]),
          (rows) => new Map(rows.map((row) => [row.id, toLicense(row)]))
        )

      const recordAll = Effect.fnUntraced(function*(changes: ReadonlyArray<LicenseChange>) {
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
        const products = yield* sql`SELECT 1 FROM products WHERE id = ${input.product_id} FOR KEY SHARE`
        if (products.length === 0) return yield* failing(NotFound, "No product has the id in product_id.")
        const [row] = yield* sql<{ readonly now: Date }>`
          SELECT *, now() FROM policies WHERE id = ${input.policy_id} FOR KEY SHARE`
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
                  { license_type: policy.license_type, rules: rulesOf(policy), subscription },
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
            return { license: yield* record("license.created", id, issue?.metadata), license_key }
          })
        )
      })

      const hold = Effect.fnUntraced(function*(id: string) {
        const locked = yield* sql`SELECT 1 FROM licenses WHERE id = ${id} FOR NO KEY UPDATE`
        if (locked.length === 0) return yield* missing()
        const rows = yield* sql<{ readonly now: Date }>`
          SELECT p.*, clock_timestamp() AS now
          FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = ${id}`
        const { now, ...row } = rows[0]!
        const { license_type, ...policy } = readPolicy(row)
        const license = yield* get(id)
        return { license, license_type, policy: rulesOf(policy), rules: rulesInForce(license, rulesOf(policy)), now }
      })

      const show = Effect.fn("Licenses.show")((id: string) =>
        sql`
          SELECT ${columns}, row_to_json(p.*) AS policy ${tables} WHERE l.id = ${id}`.pipe(
          Effect.flatMap(([row]) => {
            if (row === undefined) return Effect.fail(missing())
            const { policy, ...license } = row as unknown as LicenseRow & { readonly policy: object }
            return Effect.succeed(withTerms(toLicense(license), rulesOf(readPolicy(policy))))
          })
        )
      )

      const locked = (id: string) => Effect.map(read(id, sql`FOR NO KEY UPDATE OF l`), toLicense)

      /** What a person decides, a subscription does not undo. */
      const setState = (id: string, state: LicenseState) =>
        sql`
          UPDATE licenses SET state = ${state}, suspended_by = NULL, entitlement_version = entitlement_version + 1, updated_at = now()
          WHERE id = ${id}`

      const suspend = Effect.fn("Licenses.suspend")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const license = yield* locked(id)
            if (license.status === "suspended" && license.suspended_by === undefined) return license
            if (license.status === "revoked" || license.status === "expired") {
              return yield* failing(StateConflict, "Only a license that serves can be suspended.", {
                detail: license.status
              })
            }
            yield* setState(id, "suspended")
            return yield* record("license.suspended", id)
          })
        )
      )

      const reinstate = Effect.fn("Licenses.reinstate")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const license = yield* locked(id)
            if (license.status === "active" || license.status === "grace_period") return license
            if (license.status !== "suspended") {
              return yield* failing(StateConflict, "Only a suspended license can be reinstated.", {
                detail: license.status
              })
            }
            yield* setState(id, "active")
            return yield* record("license.reinstated", id)
          })
        )
      )

      const revoke = Effect.fn("Licenses.revoke")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const license = yield* locked(id)
            if (license.status === "revoked") return license
            yield* setState(id, "revoked")
            yield* leases.end({ licenseId: id }, "revoked")
            yield* sql`
              UPDATE devices SET status = 'deactivated', updated_at = now()
              WHERE license_id = ${id} AND status = 'active'`
            yield* sql`UPDATE licenses SET active_device_count = 0 WHERE id = ${id}`
            return yield* record("license.revoked", id)
          })
        )
      )

      return Licenses.of({ list, create, get, show, getAll, suspend, reinstate, revoke, hold, record, recordAll })
    })
  )
}
