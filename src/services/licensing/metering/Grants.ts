import { Context, Effect, Layer } from "effect"
import { isNamed, onlyNamed } from "../../../domain/catalog/NamedFeature.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { givingRefused } from "../../../domain/catalog/terms/Measure.ts"
import { failing, IdempotencyConflict, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Grant, Pool } from "../../../domain/licensing/grants/Grant.ts"
import type { GrantCreate, PoolCreate } from "../../../domain/licensing/grants/Grant.ts"
import { grantIssued, poolIssued, repeats, repeatsPool } from "../../../domain/licensing/grants/GrantIssue.ts"
import type { UnitsIssued } from "../../../domain/licensing/grants/GrantIssue.ts"
import { lockGrantable } from "../../catalog/PolicyFeatureSql.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeRollovers } from "../../catalog/terms/Rollovers.ts"
import { Customers } from "../../customers/Customers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import type { ListLimit } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import type { NewEvent } from "../../log/Events.ts"
import { lockProducts, updateGrantsVersion } from "../licenses/LicenseFeatureSql.ts"
import { Licenses } from "../licenses/Licenses.ts"
import {
  areOwned,
  countOpen,
  findGrant,
  findReferred,
  insertGrant,
  isGrantOfProducts,
  listGrants,
  lockPools,
  updateRevoked
} from "./GrantSql.ts"
import type { GrantOwner } from "./GrantSql.ts"

type Refusal = NotFound | StateConflict | ValidationError

/** Units of owners of one kind. */
interface UnitsOf<A, Input, Filters> {
  readonly list: (
    ownerId: string,
    filters: Filters,
    page: PageRequest
  ) => Effect.Effect<Page<A>, InvalidCursor | NotFound>
  readonly get: (ownerId: string, id: string) => Effect.Effect<A, NotFound>
  /** Gives units. A repeated reference answers the units that are there. */
  readonly give: (ownerId: string, input: Input) => Effect.Effect<A, IdempotencyConflict | Refusal>
  /** Takes back what is left of units; repeating it succeeds. */
  readonly revoke: (ownerId: string, id: string) => Effect.Effect<A, NotFound>
}

/** The differences between the units of licenses and those of customers: their names, whom they wait for, and what they are judged by. */
interface Kind<A, Input, Filters> {
  readonly name: "grant" | "pool"
  readonly column: GrantOwner["column"]
  readonly read: (row: object) => A
  /** The list in cursors, and what of a page they hold on to. */
  readonly list: {
    readonly name: string
    readonly products: ListLimit
    readonly filters: (ownerId: string, filters: Filters) => object
  }
  readonly texts: { readonly none: string; readonly other: string }
  readonly repeats: (given: A, input: Input) => boolean
  readonly events: { readonly given: NewEvent["type"]; readonly revoked: NewEvent["type"] }
  /** Fails where the owner is not there, or not the caller's to see. */
  readonly find: (ownerId: string) => Effect.Effect<unknown, NotFound>
  readonly lock: (ownerId: string) => Effect.Effect<unknown, NotFound>
  /** Judges a request of an owner that is locked; answers the feature and what is to be written. */
  readonly issue: (
    ownerId: string,
    input: Input
  ) => Effect.Effect<{ readonly featureId: string; readonly issued: UnitsIssued }, Refusal>
  /** Has whoever takes of units that are revoked wait. */
  readonly hold: (ownerId: string, id: string) => Effect.Effect<unknown, NotFound>
  /** Tells the owner that its units are others now. */
  readonly moved: (ownerId: string) => Effect.Effect<unknown>
}

/** The services that units are given by. */
interface Ground {
  readonly sql: Database
  readonly events: Events["Service"]
  readonly identifiers: Identifiers["Service"]
}

/** The units of owners of a kind: one way to list, give and take them back, whoever owns them. */
const unitsOf = <
  A extends Pick<Grant, "feature_code" | "feature_id" | "id">,
  Input extends { readonly reference?: string },
  Filters extends { readonly feature_id?: string | undefined }
>({ events, identifiers, sql }: Ground, kind: Kind<A, Input, Filters>): UnitsOf<A, Input, Filters> => {
  const { column, name, read } = kind
  const ownerOf = (id: string): GrantOwner => ({ column, id })

  const append = (type: NewEvent["type"], ownerId: string, units: A) =>
    events.append({
      type,
      resourceId: ownerId,
      data: units,
      metadata: { [`${name}_id`]: units.id, feature_id: units.feature_id, feature_code: units.feature_code }
    })

  const list = Effect.fn("Grants.list")(function*(ownerId: string, filters: Filters, page: PageRequest) {
    yield* kind.find(ownerId)
    return yield* sortedPage({
      sql,
      list: kind.list.name,
      products: kind.list.products,
      filters: kind.list.filters(ownerId, filters),
      page,
      conditions: areOwned(sql, ownerOf(ownerId), filters.feature_id),
      rows: (clauses, limit) => listGrants(sql, clauses, limit),
      read
    })
  })

  const get = Effect.fn("Grants.get")(function*(ownerId: string, id: string) {
    const limit = kind.list.products === "owned" ? undefined : yield* CurrentProducts
    const [row] = yield* findGrant(sql, ownerOf(ownerId), id, limit)
    return row === undefined ? yield* failing(NotFound, kind.texts.none) : read(row)
  })

  /** The units that a request with a reference has given before, if it has. */
  const given = Effect.fnUntraced(function*(owner: GrantOwner, input: Input) {
    if (input.reference === undefined) return undefined
    const [row] = yield* findReferred(sql, owner, input.reference)
    if (row === undefined) return undefined
    const units = read(row)
    if (kind.repeats(units, input)) return units
    return yield* failing(IdempotencyConflict, kind.texts.other, { detail: units.id })
  })

  const give = Effect.fn("Grants.give")((ownerId: string, input: Input) =>
    inTransaction(
      sql,
      Effect.gen(function*() {
        yield* kind.lock(ownerId)
        const owner = ownerOf(ownerId)
        const before = yield* given(owner, input)
        if (before !== undefined) return before
        const { featureId, issued } = yield* kind.issue(ownerId, input)
        const [row] = yield* insertGrant(sql, { id: identifiers.next(name), owner, featureId }, issued)
        const units = read(row!)
        yield* kind.moved(ownerId)
        yield* append(kind.events.given, ownerId, units)
        return units
      })
    )
  )

  const revoke = Effect.fn("Grants.revoke")((ownerId: string, id: string) =>
    inTransaction(
      sql,
      Effect.gen(function*() {
        yield* kind.hold(ownerId, id)
        const [row] = yield* updateRevoked(sql, ownerOf(ownerId), id)
        if (row === undefined) return yield* get(ownerId, id)
        const units = read(row)
        yield* kind.moved(ownerId)
        yield* append(kind.events.revoked, ownerId, units)
        return units
      })
    )
  )

  return { list, get, give, revoke }
}

/** Packs, gifts and corrections that licenses have beside their quotas. */
const ofLicenses = Effect.fnUntraced(function*(ground: Ground) {
  const { events, identifiers, sql } = ground
  const licenses = yield* Licenses
  const rollovers = makeRollovers(sql, events, identifiers)

  const lock = Effect.fnUntraced(function*(licenseId: string) {
    if ((yield* lockProducts(sql, licenseId)).length === 0) return yield* failing(NotFound, "No license has this id.")
  })

  /** The end of the quota's period in which units of a request begin, where it is theirs: of a correction without an end of its own. */
  const periodEndOf = Effect.fnUntraced(function*(
    licenseId: string,
    feature: EffectiveFeature,
    { amount, expires_at, starts_at }: GrantCreate,
    now: Date
  ) {
    const start = starts_at === undefined ? now : new Date(starts_at)
    if (start <= now || amount > 0 || expires_at !== undefined) return feature.periodEnd
    const then = yield* readFeatureTerms(sql, licenseId, start)
    return then.find(({ feature: { id } }) => id === feature.id)?.feature.periodEnd
  })

  return unitsOf<Grant, GrantCreate, { readonly feature_id?: string | undefined }>(ground, {
    name: "grant",
    column: "license_id",
    read: rowReader(Grant),
    list: {
      name: "license_grants",
      products: "owned",
      filters: (licenseId, { feature_id }) => ({ licenseId, feature_id })
    },
    texts: {
      none: "The license has no grant with this id.",
      other: "The license has another grant with this reference."
    },
    repeats,
    events: { given: "license.grant_given", revoked: "license.grant_revoked" },
    find: licenses.get,
    lock,
    issue: Effect.fnUntraced(function*(licenseId, input) {
      yield* rollovers.settle(licenseId)
      const named = (yield* readFeatureTerms(sql, licenseId)).filter(({ feature: { code, id } }) =>
        isNamed(input, { feature_id: id, feature_code: code })
      )
      const feature = (yield* Effect.fromResult(onlyNamed(named)))?.feature
      if (feature === undefined) return yield* failing(NotFound, "The license does not have this feature.")
      const [counted] = yield* countOpen(sql, { column: "license_id", id: licenseId }, feature.id)
      const { now, open } = counted!
      const periodEnd = yield* periodEndOf(licenseId, feature, input, now)
      const standing = { feature: { ...feature, periodEnd }, open, now: now.getTime() }
      return { featureId: feature.id, issued: yield* Effect.fromResult(grantIssued(standing, input)) }
    }),
    hold: (licenseId) => Effect.andThen(lock(licenseId), rollovers.settle(licenseId)),
    moved: (licenseId) => updateGrantsVersion(sql, licenseId, 1)
  })
})

/** Pools, which customers own and their licenses share. */
const ofCustomers = Effect.fnUntraced(function*(ground: Ground) {
  const { sql } = ground
  const customers = yield* Customers
  const pools: UnitsOf<Pool, PoolCreate, object> = unitsOf<Pool, PoolCreate, object>(ground, {
    name: "pool",
    column: "customer_id",
    read: rowReader(Pool),
    list: {
      name: "pools",
      products: (products) => isGrantOfProducts(sql, products),
      filters: (customerId) => ({ customerId })
    },
    texts: {
      none: "The customer has no pool with this id.",
      other: "The customer has another pool with this reference."
    },
    repeats: repeatsPool,
    events: { given: "customer.pool_given", revoked: "customer.pool_revoked" },
    find: customers.get,
    lock: customers.lock,
    issue: Effect.fnUntraced(function*(customerId, input) {
      const [feature] = yield* lockGrantable(sql, input.feature_id, yield* CurrentProducts)
      if (feature === undefined || feature.isArchived) return yield* failing(NotFound, "No feature has this id.")
      const refused = givingRefused(feature.meter)
      if (refused !== undefined) return yield* refused
      const [counted] = yield* countOpen(sql, { column: "customer_id", id: customerId })
      const { now, open } = counted!
      const issued = yield* Effect.fromResult(poolIssued({ open, now: now.getTime() }, input))
      return { featureId: input.feature_id, issued }
    }),
    hold: (customerId, id) => Effect.andThen(pools.get(customerId, id), lockPools(sql, [id])),
    moved: () => Effect.void
  })
  return pools
})

/** Units beside quotas, by their owners: those of licenses, and the pools of customers, which are grants that a customer owns. */
export class Grants extends Context.Service<Grants, {
  readonly ofLicenses: UnitsOf<Grant, GrantCreate, { readonly feature_id?: string | undefined }>
  readonly ofCustomers: UnitsOf<Pool, PoolCreate, object>
}>()("countersign/services/licensing/metering/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.gen(function*() {
      const ground: Ground = { sql: yield* Database, events: yield* Events, identifiers: yield* Identifiers }
      return Grants.of({ ofLicenses: yield* ofLicenses(ground), ofCustomers: yield* ofCustomers(ground) })
    })
  )
}
