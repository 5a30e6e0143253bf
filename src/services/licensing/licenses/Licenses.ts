import { Context, Effect, Layer } from "effect"
import { Policy } from "../../../domain/catalog/Policy.ts"
import { effectiveRules, effectiveTerms } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { LicenseType, Rules } from "../../../domain/catalog/terms/Rules.ts"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { InvalidCursor, PreconditionFailed, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { PageRequest } from "../../../domain/ground/wire/Page.ts"
import { managedOf } from "../../../domain/licensing/licenses/License.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { withoutGrace } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { decided, derivedChange } from "../../../domain/licensing/lifecycle/LicenseChange.ts"
import type { LicenseChange } from "../../../domain/licensing/lifecycle/LicenseChange.ts"
import type { Announced } from "../../../domain/licensing/lifecycle/LicenseExpiry.ts"
import {
  licenseReinstated,
  licenseRevoked,
  licenseSuspended,
  suspensionHolder
} from "../../../domain/licensing/lifecycle/StateChange.ts"
import type { Authors, StateChange } from "../../../domain/licensing/lifecycle/StateChange.ts"
import { hasNewReader } from "../../../domain/licensing/owners/Owner.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { writtenPage } from "../../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { CurrentProducts, isOfProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import type { NewEvent } from "../../log/Events.ts"
import { CurrentActor } from "../../log/Provenance.ts"
import { LeaseClosing } from "./LeaseClosing.ts"
import { findSuspensionWords, firstIds, licenseKeys } from "./LicenseOrderSql.ts"
import { expiryAlone, licenseConditions, toLicense } from "./LicenseSearch.ts"
import type { LicenseFilters } from "./LicenseSearch.ts"
import {
  countLicenses,
  findLicense,
  findLicenseUnderPolicy,
  listLicenses,
  listLicensesById,
  lockLicense,
  rowsOfLicenses,
  updateAllDeactivated,
  updateLicense,
  updateSuspendedByPerson
} from "./LicenseSql.ts"
import type { LicenseUnderPolicy } from "./LicenseSql.ts"

/** The purpose under which license keys are hashed. */
export const licenseKeyPurpose = "license-key"

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
  /** The id of the event, where a row of the same transaction refers to it. */
  readonly eventId?: string
  readonly policy?: Rules
}

/** An event type and the license it happened to. */
export interface LicenseEvent {
  readonly type: EventKind
  readonly id: string
  readonly metadata?: JsonObject
  /** The id of the event, where a row of the same transaction refers to it. */
  readonly eventId?: string
}

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

/** Reads a license with its policy. */
const underPolicy = ({ announced: _announced, policy, ...row }: LicenseUnderPolicy) => ({
  license: toLicense(row),
  policy: readPolicy(policy)
})

const missing = () => failing(NotFound, "No license has this id.")

/** The parts that licenses are shown with: their effective terms, and the names of their ids. */
export interface Shown {
  readonly terms?: boolean
  readonly names?: boolean
}

/** Licenses, as management reads and steers them. */
export class Licenses extends Context.Service<Licenses, {
  readonly list: (
    filters: LicenseFilters,
    page: PageRequest,
    shown?: Pick<Shown, "names">
  ) => Effect.Effect<WrittenPage<License>, InvalidCursor>
  readonly get: (id: string) => Effect.Effect<License, NotFound>
  /** The license with more beside it. */
  readonly show: (id: string, shown: Shown) => Effect.Effect<License, NotFound>
  /** A suspension by its subscription or its purchase is a person's from then on. */
  readonly suspend: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  readonly reinstate: (id: string) => Effect.Effect<License, NotFound | StateConflict>
  /** Permanent and idempotent; frees the seats. */
  readonly revoke: (id: string) => Effect.Effect<License, NotFound>
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
}>()("countersign/services/licensing/licenses/Licenses") {
  static readonly layer = Layer.effect(
    Licenses,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const leases = yield* LeaseClosing
      const tags = yield* makeEntityTags(managedOf)

      const keys = licenseKeys(sql)
      const firstOf = firstIds(sql, keys)

      const list = Effect.fn("Licenses.list")(function*(
        filters: LicenseFilters,
        page: PageRequest,
        { names = false }: Pick<Shown, "names"> = {}
      ) {
        const conditions = yield* licenseConditions(sql, filters)
        const isLimited = (yield* CurrentProducts) !== undefined
        return yield* writtenPage({
          sql,
          list: "licenses",
          products: (products) => isOfProducts(sql, "l.product_id", products),
          filters,
          page,
          alias: "l.",
          conditions,
          keys,
          rows: (clauses) =>
            listLicenses(sql, clauses, {
              first: firstOf(clauses, isLimited ? undefined : expiryAlone(filters)),
              names
            }),
          count: (where, most) => countLicenses(sql, where, most),
          write: rowsOfLicenses(names)
        })
      })

      const get = Effect.fn("Licenses.get")((id: string) =>
        findLicense(sql, id).pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(toLicense(row))),
          Effect.tap(tags.note)
        )
      )

      const show = Effect.fn("Licenses.show")((id: string, { names = false, terms = false }: Shown) =>
        findLicenseUnderPolicy(sql, id, names).pipe(
          Effect.flatMap(([row]) => {
            if (row === undefined) return Effect.fail(missing())
            const { license, policy } = underPolicy(row)
            return Effect.succeed(terms ? withTerms(license, rulesOf(policy)) : license)
          }),
          Effect.tap(tags.note)
        )
      )

      const getAll = (ids: ReadonlyArray<string>) =>
        Effect.map(listLicensesById(sql, ids), (rows) => new Map(rows.map((row) => [row.id, toLicense(row)])))

      const appendAll = (
        changes: ReadonlyArray<Omit<LicenseEvent, "id"> & Pick<NewEvent, "look"> & { readonly license: License }>
      ) =>
        events.appendAll(changes.map(({ eventId, license, look, metadata, type }) => ({
          ...(eventId === undefined ? {} : { id: eventId }),
          type,
          resourceId: license.id,
          data: license,
          ...(metadata === undefined ? {} : { metadata }),
          ...(look === undefined ? {} : { look })
        })))

      const recordAll = Effect.fnUntraced(function*(changes: ReadonlyArray<LicenseEvent>) {
        const byId = yield* getAll(changes.map(({ id }) => id))
        const shown = changes.map((change) => ({ ...change, license: byId.get(change.id)! }))
        yield* appendAll(shown)
        return shown.map(({ license }) => license)
      })

      const hold = Effect.fnUntraced(function*(id: string) {
        if ((yield* lockLicense(sql, id)).length === 0) return yield* missing()
        const [row] = yield* findLicenseUnderPolicy(sql, id)
        const { license, policy: { license_type, ...policy } } = underPolicy(row!)
        const rules = rulesInForce(license, rulesOf(policy))
        return { license, license_type, policy: rulesOf(policy), rules, announced: row!.announced, now: row!.now }
      })

      const write: Licenses["Service"]["write"] = Effect.fnUntraced(function*(held, change, { policy, ...event }) {
        const { id, policy_id } = held.license
        const derived = derivedChange({ ...held, policy: policy ?? held.policy }, change)
        const [row] = yield* updateLicense(sql, id, change.policy_id ?? policy_id, derived)
        const license = toLicense(row!)
        yield* tags.note(license)
        // The mailbox leads to the key, in the portal.
        const look = hasNewReader(held.license, license) ? { look: "rotate_license_key" as const } : {}
        yield* appendAll([{ ...event, ...look, license }])
        return license
      })

      /** Changes the state of a license as was decided; `before` is what is written first. */
      const steer = <E>(
        type: "license.suspended" | "license.reinstated" | "license.revoked",
        decide: (license: License, authors: Authors) => StateChange<E>,
        before: (id: string) => Effect.Effect<unknown> = () => Effect.void
      ) =>
      (id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const held = yield* hold(id)
            const { reseller } = yield* CurrentActor
            const [words] = held.license.status === "suspended" ? yield* findSuspensionWords(sql, id) : []
            const holder = words && suspensionHolder(held.license.suspended_by, words)
            const change = yield* Effect.fromResult(decide(held.license, { reseller: reseller?.tag, holder }))
            // A suspension by its purchase becomes a person's, although it is one already; a reseller takes none over.
            const isTaken = type === "license.suspended" && reseller === undefined
            const taken = isTaken ? yield* updateSuspendedByPerson(sql, id) : []
            if (change === undefined && taken.length === 0) return held.license
            yield* before(id)
            return yield* write(held, change ?? decided("suspended"), { type })
          })
        )

      const freeSeats = (id: string) =>
        Effect.andThen(leases.end({ licenseId: id }, "revoked"), updateAllDeactivated(sql, id))

      return Licenses.of({
        list,
        get,
        show,
        getAll,
        suspend: Effect.fn("Licenses.suspend")(steer("license.suspended", licenseSuspended)),
        reinstate: Effect.fn("Licenses.reinstate")(steer("license.reinstated", licenseReinstated)),
        revoke: Effect.fn("Licenses.revoke")(steer("license.revoked", licenseRevoked, freeSeats)),
        hold,
        holdToEdit: (id) => Effect.tap(hold(id), ({ license }) => tags.judge(license)),
        write,
        record: (type, id, metadata) =>
          Effect.map(
            recordAll([{ type, id, ...(metadata === undefined ? {} : { metadata }) }]),
            ([license]) => license!
          ),
        recordAll
      })
    })
  )
}
