import { Clock, Context, Effect, Layer } from "effect"
import { givingRefused } from "../../../domain/catalog/terms/Measure.ts"
import { environments } from "../../../domain/ground/environments/Environment.ts"
import { failing, InUse, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { BillingConnection, configuredOf } from "../../../domain/sales/billing/BillingConnection.ts"
import type {
  BillingConnectionCreate,
  BillingConnectionUpdate,
  SoldBefore
} from "../../../domain/sales/billing/BillingConnection.ts"
import { defaultOverlapSeconds, withApiKey, withSecret } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import type { Credentials } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import { withSince } from "../../../domain/sales/matching/UnitMapping.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { entryFor } from "../../../domain/sales/purchases/Mapping.ts"
import { isOtherEntry, saidBefore, slotOf, soldAs } from "../../../domain/sales/purchases/Said.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import { paidSlot } from "../../../domain/sales/purchases/SlotRecords.ts"
import { keyOfOtherMode } from "../../../domain/sales/reconciling/KeyMode.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction, rehearsed } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import {
  deleteConnection,
  findConnection,
  findUse,
  insertConnection,
  insertWork,
  insertWorkOfWaiting,
  listConnections,
  listFeatures,
  listPolicies,
  lockConnection,
  lockToDelete,
  updateConnection
} from "./ConnectionSql.ts"
import { listSold, lockSold, updateSaidOfAll } from "./MappingReachSql.ts"
import type { SoldLicense } from "./MappingReachSql.ts"
import { openCredentials, sealCredentials } from "./SealedCredentials.ts"

/** How many licenses of a connection are read at once. */
const page = 1000

/** The last saying about a license whose price is mapped otherwise by now; undefined where it is not. */
const soldOtherwise = (before: Mapping, after: Mapping) => (row: SoldLicense): Said | undefined => {
  const bought = slotOf(row.state, row.item)
  // A license is what was paid for, while a change is not.
  const slot = bought && paidSlot(bought)
  const entry = slot === undefined || slot.dropped_at !== undefined
    ? undefined
    : entryFor(after, slot, row.state.origin)
  if (slot === undefined || entry === undefined) return undefined
  const said = row.said ?? saidBefore(row.state, before, { ...row, customer_id: row.customer_id ?? undefined })
  return said !== undefined && said.sold === soldAs(slot) && isOtherEntry(entry, said) ? said : undefined
}

/** The reach of another mapping among the licenses that a connection has sold. */
const makeMappingReach = (sql: Database) => {
  /** The licenses that were sold while their prices were mapped otherwise, with what was said of them. */
  const soldBefore = Effect.fnUntraced(function*(connectionId: string, before: Mapping, after: Mapping) {
    const otherwise = soldOtherwise(before, after)
    const found: Array<{ readonly license_id: string; readonly purchase_id: string; readonly said: Said }> = []
    for (let from = "";;) {
      const rows = yield* listSold(sql, connectionId, { after: from, limit: page })
      for (const row of rows) {
        const said = otherwise(row)
        if (said !== undefined) found.push({ license_id: row.license_id, purchase_id: row.purchase_id, said })
      }
      if (rows.length < page) return found
      from = rows.at(-1)!.license_id
    }
  })

  /** Locks the purchases that another mapping bears on: a look locks its purchase before the mapping, too. */
  const lock = Effect.fnUntraced(function*(connectionId: string, before: Mapping, after: Mapping) {
    const found = yield* soldBefore(connectionId, before, after)
    if (found.length > 0) yield* lockSold(sql, [...new Set(found.map(({ purchase_id }) => purchase_id))])
  })

  /** Notes what is to become of the licenses, and has the purchases of those looked at that are to follow at once; counts them. */
  const follow = Effect.fnUntraced(function*(
    connectionId: string,
    { after, before, choice }: { readonly before: Mapping; readonly after: Mapping; readonly choice: SoldBefore }
  ) {
    const found = yield* soldBefore(connectionId, before, after)
    const follows = choice === "keep" ? undefined : choice
    if (found.length > 0) {
      yield* updateSaidOfAll(sql, found.map(({ license_id, said }) => ({ license_id, said: { ...said, follows } })))
    }
    if (choice === "now") yield* insertWork(sql, [...new Set(found.map(({ purchase_id }) => purchase_id))])
    return found.length
  })

  return { lock, follow }
}

const missing = () => failing(NotFound, "No billing connection has this id.")

const connectionOf = rowReader(BillingConnection)

/** A mapping whose entries of units say from when payments give them. */
const dated = (mapping: Mapping, before: Mapping | undefined, millis: number): Mapping => {
  const units = withSince(mapping.units, before?.units, new Date(millis).toISOString())
  return units === undefined ? mapping : { ...mapping, units }
}

/** The credentials after what a request says of them. */
const credentialsAfter = (
  before: Credentials,
  { api_key, secret, secret_overlap_seconds = defaultOverlapSeconds }: BillingConnectionUpdate,
  now: number
): Credentials => {
  const rotated = secret === undefined ? before : withSecret(before, secret, secret_overlap_seconds, now)
  return api_key === undefined ? rotated : withApiKey(rotated, api_key)
}

/** The members that tell of credentials without showing them. */
const kept = ({ api_key, secrets }: Credentials) => ({
  has_secret: secrets.length > 0,
  has_api_key: api_key !== undefined
})

/** Connections to accounts at payment providers, and what becomes of their prices. */
export class BillingConnections extends Context.Service<BillingConnections, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<BillingConnection>, InvalidCursor>
  readonly create: (input: BillingConnectionCreate) => Effect.Effect<BillingConnection, ValidationError>
  readonly get: (id: string) => Effect.Effect<BillingConnection, NotFound>
  /**
   * A secret that is replaced is accepted for `secret_overlap_seconds` more. With another mapping, the purchases that wait
   * or failed are tried again, and licenses that were sold before stay as they are, unless `sold_before` says otherwise. A dry run answers
   * what would be.
   */
  readonly update: (
    id: string,
    changes: BillingConnectionUpdate
  ) => Effect.Effect<BillingConnection, NotFound | PreconditionFailed | ValidationError>
  /** Refused while there are purchases of it, or events that may become some. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/sales/billing/BillingConnections") {
  static readonly layer = Layer.effect(
    BillingConnections,
    Effect.gen(function*() {
      const sql = yield* Database
      const environment = yield* CurrentEnvironment
      const isLive = environment === "live"
      const { pathPrefix } = environments[environment]
      const events = yield* Events
      const identifiers = yield* Identifiers
      const vault = yield* Vault
      const tags = yield* makeEntityTags<BillingConnection>(configuredOf)
      const reach = makeMappingReach(sql)

      const read = (id: string) =>
        findConnection(sql, id, pathPrefix).pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(connectionOf(row))),
          Effect.tap(tags.note)
        )

      const appendEvent = (
        type: `billing_connection.${"created" | "updated" | "secret_rotated" | "deleted"}`,
        connection: BillingConnection
      ) => events.append({ type, resourceId: connection.id, data: configuredOf(connection) })

      /** Refuses a mapping to policies that do not exist, and a key of the provider's other mode. */
      const check = Effect.fnUntraced(function*(
        provider: Provider,
        { api_key, mapping }: Pick<BillingConnectionUpdate, "api_key" | "mapping">
      ) {
        const { prices, units = [] }: Mapping = mapping ?? { prices: [] }
        const found = prices.length === 0 ? [] : yield* listPolicies(sql, prices.map(({ policy_id }) => policy_id))
        const known = new Set(found.map(({ id }) => id))
        const unknown = prices.flatMap(({ policy_id }, index) =>
          known.has(policy_id)
            ? []
            : [{ path: `mapping.prices.${index}.policy_id`, code: "not_found", message: "names no policy" }]
        )
        const features = units.length === 0 ? [] : yield* listFeatures(sql, units.map(({ feature_id }) => feature_id))
        const sellable = new Map(features.map(({ id, meter }) => [id, givingRefused(meter)]))
        const unsold = units.flatMap(({ feature_id }, index) => {
          const path = `mapping.units.${index}.feature_id`
          if (!sellable.has(feature_id)) return [{ path, code: "not_found", message: "names no feature" }]
          const refused = sellable.get(feature_id)
          return refused === undefined ? [] : [{ path, code: "not_given", message: refused.error.message }]
        })
        const fields = [...keyOfOtherMode(isLive, provider, api_key), ...unknown, ...unsold]
        if (fields.length > 0) return yield* invalidRequest(fields)
      })

      const create = Effect.fn("BillingConnections.create")((input: BillingConnectionCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { customer_portal_url = null, mapping = { prices: [] }, name, provider } = input
            yield* check(provider, input)
            const id = identifiers.next("bcn")
            const millis = yield* Clock.currentTimeMillis
            const credentials = credentialsAfter({ secrets: [] }, input, millis)
            yield* insertConnection(sql, {
              id,
              provider,
              values: {
                name,
                mapping: dated(mapping, undefined, millis),
                customer_portal_url,
                credentials: sealCredentials(vault, id, credentials),
                ...kept(credentials)
              }
            })
            const connection = yield* Effect.orDie(read(id))
            yield* appendEvent("billing_connection.created", connection)
            return connection
          })
        )
      )

      const write = Effect.fnUntraced(function*(id: string, changes: BillingConnectionUpdate) {
        if (changes.mapping !== undefined) yield* reach.lock(id, (yield* read(id)).mapping, changes.mapping)
        const [locked] = yield* lockConnection(sql, id)
        if (locked === undefined) return yield* missing()
        const before = yield* read(id)
        yield* tags.judgeOnce(id, Effect.succeed(before))
        const { customer_portal_url, mapping, name, sold_before = "keep" } = changes
        const isSeen = name !== undefined || mapping !== undefined || customer_portal_url !== undefined
        yield* check(before.provider, changes)
        const had = yield* openCredentials(vault, id, locked.credentials)
        const millis = yield* Clock.currentTimeMillis
        const has = credentialsAfter(had, changes, millis)
        const isOther = has.secrets !== had.secrets || has.api_key !== had.api_key
        if (!isSeen && !isOther) return before
        yield* updateConnection(sql, id, {
          ...(name === undefined ? {} : { name }),
          ...(mapping === undefined ? {} : { mapping: dated(mapping, before.mapping, millis) }),
          ...(customer_portal_url === undefined ? {} : { customer_portal_url: customer_portal_url || null }),
          ...(isOther ? { credentials: sealCredentials(vault, id, has) } : {}),
          // The columns of one whose credentials were lost say what it had, and the event what it has.
          ...(isOther || locked.credentials === null ? kept(has) : {})
        })
        const connection = yield* read(id)
        if (isSeen || has.api_key !== had.api_key) {
          yield* appendEvent("billing_connection.updated", connection)
        }
        if (has.secrets !== had.secrets) yield* appendEvent("billing_connection.secret_rotated", connection)
        if (mapping === undefined) return connection
        yield* insertWorkOfWaiting(sql, id)
        const sold_otherwise = yield* reach.follow(id, { before: before.mapping, after: mapping, choice: sold_before })
        return { ...connection, sold_otherwise }
      })

      const remove = Effect.fn("BillingConnections.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [locked] = yield* lockToDelete(sql, id)
            if (locked === undefined) return yield* missing()
            const connection = yield* read(id)
            yield* tags.judgeOnce(id, Effect.succeed(connection))
            const [use] = yield* findUse(sql, id)
            if (use!.purchases || use!.unrouted) {
              return yield* failing(InUse, "The billing connection is in use.", {
                detail: use!.purchases ? "Referenced by purchases." : "Events of it are not purchases yet."
              })
            }
            yield* deleteConnection(sql, id)
            yield* appendEvent("billing_connection.deleted", connection)
          })
        )
      )

      return BillingConnections.of({
        list: (page) =>
          sortedPage({
            sql,
            list: "billing_connections",
            products: "not-limited",
            filters: {},
            page,
            alias: "c.",
            conditions: [],
            rows: (clauses, limit) => listConnections(sql, clauses, { limit, pathPrefix }),
            read: connectionOf
          }),
        create,
        get: Effect.fn("BillingConnections.get")(read),
        update: Effect.fn("BillingConnections.update")((id, { dry_run, ...changes }) =>
          dry_run === true ? rehearsed(sql, write(id, changes)) : inTransaction(sql, write(id, changes))
        ),
        remove
      })
    })
  )
}
