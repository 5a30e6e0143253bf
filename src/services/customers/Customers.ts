import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { Customer, externalFindings } from "../../domain/customers/Customer.ts"
import type {
  CustomerCreate,
  CustomerPut,
  CustomerUpdate,
  ExternalName,
  NewCustomer
} from "../../domain/customers/Customer.ts"
import { parentRefused } from "../../domain/customers/CustomerTree.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { failing, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type {
  ApprovalRequired,
  Conflict,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"
import type { ListCondition } from "../catalog/CrudResource.ts"
import { findPlace, lockTree } from "../ground/persistence/CustomerLineSql.ts"
import type { TreeLock } from "../ground/persistence/CustomerLineSql.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { nameKey, sortedName } from "../ground/persistence/KeysetPaginationSql.ts"
import {
  CurrentProducts,
  customersOfProducts,
  isCustomerOfProducts,
  withinProducts
} from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { runningDevices } from "../ground/persistence/RunningDeviceSql.ts"
import type { Running } from "../ground/persistence/RunningDeviceSql.ts"
import { beginsWith, hasMember, hasWords, isText, searched } from "../ground/persistence/StatementParts.ts"
import { checkSecondLook, lackedScopes } from "../log/Provenance.ts"
import { findOwning, lockCustomerEmail, lockCustomersByEmail, lockNamed } from "./CustomerSql.ts"
import { putBy } from "./Orders.ts"

/**
 * The extent of a search: `named` leaves out the metadata. Whoever may not read it must not find out by guesses what
 * it holds.
 */
export type SearchReach = "all" | "named"

/**
 * The ids of the customers that a person looks for: by id, by code, by the ID in a billing system, by how the name or the
 * e-mail address begins, by their words, or by a value of the metadata. Each of them is a search in an index.
 */
export const customersFoundBy = (sql: Database, text: string, reach: SearchReach = "all"): Statement.Fragment =>
  sql`
  SELECT id FROM customers WHERE id = ${text} OR code = ${text} OR external_id = ${text}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "name", text)}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "email", text)}
  UNION ALL SELECT id FROM customers WHERE ${hasWords(sql, ["name", "email"], text)}
  ${reach === "named" ? sql`` : sql`UNION ALL SELECT id FROM customers WHERE ${hasMember(sql, "metadata", text)}`}`

/** Whether a customer of `alias`, such as `c.`, is one of {@link customersFoundBy}. */
export const isCustomerLike = (
  sql: Database,
  alias: string,
  text: string,
  reach: SearchReach = "all"
): Statement.Fragment =>
  sql`(${sql.literal(`${alias}id`)} = ${text} OR ${sql.literal(`${alias}code`)} = ${text}
    OR ${sql.literal(`${alias}external_id`)} = ${text}
    OR ${beginsWith(sql, `${alias}name`, text)} OR ${beginsWith(sql, `${alias}email`, text)}
    OR ${hasWords(sql, [`${alias}name`, `${alias}email`], text)}
    ${reach === "named" ? sql`` : sql`OR ${hasMember(sql, `${alias}metadata`, text)}`})`

/** The licenses that customers are found by: of a product, and with a device that has a seat and runs something. */
export interface LicensesHeld extends Running {
  readonly product_id?: string | undefined
}

/**
 * The customers with such a license, as ids, and whether a row of `customers` is one of them; undefined where nothing is asked for. A
 * caller who is limited to products learns of nobody's licenses of others.
 */
export const customersHolding = (
  sql: Database,
  { app_version, os, product_id }: LicensesHeld,
  limit: ProductLimit
): { readonly found: Statement.Fragment; readonly isLike: Statement.Fragment } | undefined => {
  const devices = runningDevices(sql, { app_version, os })
  if (devices === undefined && product_id === undefined) return undefined
  const ofProducts = [
    ...(product_id === undefined ? [] : [sql`l.product_id = ${product_id}`]),
    ...withinProducts(sql, "l.product_id", limit)
  ]
  const held = (condition: Statement.Fragment) => sql.and([condition, ...ofProducts])
  const isOwned = held(sql`l.customer_id IS NOT NULL`)
  return {
    found: devices === undefined
      ? sql`SELECT l.customer_id AS id FROM licenses l WHERE ${isOwned}`
      : sql`SELECT l.customer_id AS id FROM licenses l
          JOIN (SELECT license_id FROM ${devices}) r ON r.license_id = l.id WHERE ${isOwned}`,
    isLike: sql`EXISTS (SELECT FROM licenses l WHERE ${held(sql`l.customer_id = customers.id`)}
      ${devices === undefined ? sql`` : sql`AND EXISTS (SELECT FROM ${devices} AND d.license_id = l.id)`})`
  }
}

/** Which customers belong to which: whoever gets a parent stands below it until the surrounding transaction ends. */
const makeCustomerLines = (sql: Database) => {
  const judge = Effect.fnUntraced(function*(id: string | undefined, parentId: string, as: TreeLock) {
    yield* lockTree(sql, as)
    // Beyond the products of a limited key there is no parent. One that is there is not deleted meanwhile.
    const named = yield* lockNamed(sql, "customers", [parentId], { limit: yield* CurrentProducts })
    const [place] = yield* findPlace(sql, id, named[0]?.id ?? "")
    const refused = parentRefused(place!, id)
    if (refused !== undefined) return yield* refused
  })

  /** Judges the parent of a customer that is about to be created. */
  const placeNew = (parentId: string) => judge(undefined, parentId, "held")

  /**
   * Judges another parent of a customer, which is locked, or none. A limited key moves nobody: customers of other products may
   * stand below.
   */
  const place = Effect.fnUntraced(function*({ id, parent_id }: Customer, parentId: string | undefined) {
    if (parent_id === parentId) return
    if ((yield* CurrentProducts) !== undefined) {
      return yield* invalidField("parent_id", "limited_key", "needs an API key that is not limited to products")
    }
    if (parentId === undefined) yield* lockTree(sql, "changed")
    else yield* judge(id, parentId, "changed")
  })

  return { placeNew, place }
}

/** Filters of the list. Upper and lower case are alike, but in `code`. */
export interface CustomerFilters {
  readonly email?: string
  /** The beginning of the name. */
  readonly name?: string
  readonly code?: string
  readonly external_system?: string
  readonly external_id?: string
  readonly parent_id?: string
  /** The product of a license of theirs. */
  readonly product_id?: string
  /** The version of a device that has a seat; `1.x` is any version that begins so. */
  readonly app_version?: string
  /** The beginning of the system of a device that has a seat, the same device as that of `app_version`. */
  readonly os?: string
  /** An id or a code, or what the name or the e-mail address begins with. */
  readonly q?: string
}

/** The conditions of filters that name members of a customer. */
const conditionsOf = (
  sql: Database,
  { code, email, external_id, external_system, name, parent_id }: CustomerFilters
): ReadonlyArray<ListCondition> => [
  ...(parent_id === undefined
    ? []
    : [{ filter: ["parent_id", parent_id] as const, condition: sql`parent_id = ${parent_id}` }]),
  ...(external_system === undefined ? [] : [{
    filter: ["external_system", external_system] as const,
    condition: sql`external_system = ${external_system}`
  }]),
  ...(external_id === undefined
    ? []
    : [{ filter: ["external_id", external_id] as const, condition: sql`external_id = ${external_id}` }]),
  ...(code === undefined ? [] : [{ filter: ["code", code] as const, condition: sql`code = ${code}` }]),
  ...(email === undefined ? [] : [{ filter: ["email", email] as const, condition: isText(sql, "email", email) }]),
  ...(name === undefined ? [] : [{ filter: ["name", name] as const, condition: beginsWith(sql, "name", name) }])
]

/** The customers who hold what the filters name of licenses. */
const holding = Effect.fnUntraced(function*(sql: Database, { app_version, os, product_id }: CustomerFilters) {
  const held = customersHolding(sql, { app_version, os, product_id }, yield* CurrentProducts)
  if (held === undefined) return []
  const [lacked] = yield* lackedScopes(["license:read"])
  if (lacked !== undefined) {
    return yield* failing(TokenScopeDenied, `Filters by product, version or system need ${lacked}.`, {
      detail: lacked
    })
  }
  // Whether one customer holds such a license is looked up at once, whatever else is asked for.
  const condition = yield* searched(sql, { id: sql`id`, ...held, isAlone: true })
  return [{ filter: ["holding", [product_id, app_version, os]] as const, condition }]
})

/** The vendor's customers. Their names and addresses appear in events only behind commitments. */
export class Customers extends Context.Service<Customers, {
  /** Filters that tell of licenses are refused to whoever may not read those. */
  readonly list: (
    filters: CustomerFilters,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<Customer>, InvalidCursor | TokenScopeDenied>
  /** The customer of a limited key is within its reach from the start. */
  readonly create: (input: CustomerCreate) => Effect.Effect<Customer, NotFound | Conflict | ValidationError>
  /** The customer that a billing system names; undefined where there is none. */
  readonly find: (name: ExternalName) => Effect.Effect<Customer | undefined>
  /** Like `find`, and locks the customer against changes until the surrounding transaction ends. */
  readonly lockNamed: (name: ExternalName) => Effect.Effect<Customer | undefined>
  /** Creates the customer that a billing system names, or changes it. An empty `email` means none. */
  readonly put: (
    name: ExternalName,
    input: CustomerPut
  ) => Effect.Effect<Customer, ApprovalRequired | NotFound | Conflict | PreconditionFailed | ValidationError>
  /**
   * The id of the only customer with an email address, who is created where there is none; undefined where several have it.
   * The customer stays until the surrounding transaction ends.
   */
  readonly findOrCreate: (input: NewCustomer) => Effect.Effect<string | undefined>
  readonly get: (id: string) => Effect.Effect<Customer, NotFound>
  /** Like `get`, and locks the customer against changes until the surrounding transaction ends. */
  readonly lock: (id: string) => Effect.Effect<Customer, NotFound>
  /**
   * An empty `email` clears it. Its licenses and those of customers below it share the pools of another parent from then on. Another address
   * of somebody who has licenses may need a second person: whoever reads its mailbox changes their keys in the portal.
   */
  readonly update: (
    id: string,
    changes: CustomerUpdate
  ) => Effect.Effect<Customer, ApprovalRequired | NotFound | Conflict | PreconditionFailed | ValidationError>
  /**
   * Refused while licenses, orders, subscriptions or other customers belong to the customer; custom field values are deleted
   * with it.
   */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/customers/Customers") {
  static readonly layer = Layer.effect(
    Customers,
    Effect.gen(function*() {
      const sql = yield* Database
      const identifiers = yield* Identifiers
      const customers = yield* makeCrudResource({
        table: "customers",
        schema: Customer,
        idType: "cus",
        family: "customer",
        noun: "customer",
        identity: [["external_system", "external_id"], ["code"]],
        keys: { name: nameKey(sql, sql.literal(sortedName("name"))) },
        products: {
          judged: (products) =>
            searched(sql, {
              id: sql`id`,
              found: sql`(SELECT customer_id AS id FROM (${customersOfProducts(sql, products)}) of_products)`,
              isLike: isCustomerOfProducts(sql, products),
              isAlone: true
            })
        }
      })
      const lines = makeCustomerLines(sql)
      const list = Effect.fn("Customers.list")(function*(filters: CustomerFilters, page: PageRequest) {
        const conditions = [...conditionsOf(sql, filters), ...(yield* holding(sql, filters))]
        const { q } = filters
        if (q === undefined) return yield* customers.list(page, {}, conditions)
        const condition = yield* searched(sql, {
          id: sql`id`,
          found: customersFoundBy(sql, q),
          isLike: isCustomerLike(sql, "", q),
          isAlone: conditions.length === 0
        })
        return yield* customers.list(page, {}, [...conditions, { filter: ["q", q] as const, condition }])
      })
      /** The id is the code of a customer who has no other: it is of nobody else, and tells nothing of a person. */
      const insert = Effect.fnUntraced(function*({ email, language, ...input }: CustomerPut & Partial<ExternalName>) {
        const found = externalFindings(input)
        if (found.length > 0) return yield* invalidRequest(found)
        const product_ids = yield* CurrentProducts
        const id = identifiers.next("cus")
        return yield* customers.create({
          id,
          code: id,
          metadata: {},
          ...input,
          ...(email === undefined || email === "" ? {} : { email }),
          ...(language === undefined || language === null ? {} : { language }),
          ...(product_ids === undefined ? {} : { product_ids })
        })
      })

      const create = (input: CustomerCreate) =>
        input.parent_id === undefined
          ? insert(input)
          : inTransaction(sql, Effect.andThen(lines.placeNew(input.parent_id), insert(input)))

      /** The address that a limited key gives counts as its own, as that of a customer whom it creates. */
      const written = (id: string, { email, ...changes }: CustomerUpdate) =>
        Effect.flatMap(CurrentProducts, (product_ids) =>
          customers.update(id, {
            ...changes,
            ...(email === undefined ? {} : { email: email === "" ? null : email }),
            ...(product_ids === undefined || email === undefined || email === "" ? {} : { product_ids })
          }))

      const change = (id: string, changes: CustomerUpdate) =>
        changes.email === undefined
          ? written(id, changes)
          : inTransaction(
            sql,
            Effect.gen(function*() {
              const { email } = yield* customers.lockToChange(id)
              const isAnother = changes.email !== "" && changes.email?.toLowerCase() !== email?.toLowerCase()
              if (isAnother && (yield* findOwning(sql, id)).length > 0) yield* checkSecondLook("rotate_license_key")
              return yield* written(id, changes)
            })
          )

      const update = (id: string, changes: CustomerUpdate) =>
        changes.parent_id === undefined
          ? change(id, changes)
          : inTransaction(
            sql,
            Effect.gen(function*() {
              yield* lines.place(yield* customers.lockToChange(id), changes.parent_id ?? undefined)
              return yield* change(id, changes)
            })
          )

      const find = (name: ExternalName) => customers.findBy({ ...name })

      const put = Effect.fn("Customers.put")((name: ExternalName, input: CustomerPut) =>
        inTransaction(
          sql,
          putBy(
            find(name),
            insert({ ...name, ...input }),
            ({ id }) => change(id, input)
          )
        )
      )

      const findOrCreate = Effect.fn("Customers.findOrCreate")((input: NewCustomer) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockCustomerEmail(sql, input.email)
            const [found, another] = yield* lockCustomersByEmail(sql, input.email, yield* CurrentProducts)
            // A limited key makes no address ambiguous that somebody else has already.
            if (another !== undefined && another.of_limited_key === found!.of_limited_key) return undefined
            if (found !== undefined) return found.id
            // Its code is its id, which nobody else has.
            return (yield* Effect.orDie(insert(input))).id
          })
        )
      )

      return Customers.of({
        list,
        findOrCreate,
        create,
        find,
        lockNamed: (name) => customers.lockBy({ ...name }),
        put,
        get: customers.get,
        lock: customers.lock,
        update,
        remove: (id) =>
          customers.remove(id, {
            licenses: "customer_id",
            orders: "customer_id",
            subscriptions: "customer_id",
            purchases: "customer_id",
            pools: "customer_id",
            customers: "parent_id"
          })
      })
    })
  )
}
