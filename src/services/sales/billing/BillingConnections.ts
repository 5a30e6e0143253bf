import { Clock, Context, Effect, Layer } from "effect"
import { BillingConnection, configuredOf } from "../../../domain/sales/billing/BillingConnection.ts"
import type { BillingConnectionCreate, BillingConnectionUpdate } from "../../../domain/sales/billing/BillingConnection.ts"
import { defaultOverlapSeconds, withApiKey, withSecret } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import type { Credentials } from "../../../domain/sales/billing/ConnectionSecrets.ts"
import { environments } from "../../../domain/ground/environments/Environment.ts"
import { withSince } from "../../../domain/sales/matching/UnitMapping.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import { keyOfOtherMode } from "../../../domain/sales/reconciling/KeyMode.ts"
import { givingRefused } from "../../../domain/catalog/terms/Measure.ts"
import { failing, InUse, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Events } from "../../log/Events.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { makeEntityTags } from "../../ground/persistence/Precondition.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { inTransaction, rehearsed } from "../../ground/persistence/Transaction.ts"
import { Vault } from "../../keys/security/Vault.ts"
import {
  deleteConnection,
  findConnection,
  findUse,
  insertConnection,
  insertWorkOfWaiting,
  listConnections,
  listFeatures,
  listPolicies,
  lockConnection,
  lockToDelete,
  updateConnection
} from "./ConnectionSql.ts"
import { makeMappingReach } from "./MappingReach.ts"
import { openCredentials, sealCredentials } from "./SealedCredentials.ts"

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
