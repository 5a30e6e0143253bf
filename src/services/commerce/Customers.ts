import { Context, Effect, Layer } from "effect"
import { Customer } from "../../domain/commerce/Customer.ts"
import type { CustomerCreate, CustomerUpdate } from "../../domain/commerce/Customer.ts"
import type { Conflict, InUse, InvalidCursor, NotFound } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"

/** The vendor's customers. Their names and addresses appear in events only behind commitments. */
export class Customers extends Context.Service<Customers, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<Customer>, InvalidCursor>
  readonly create: (input: CustomerCreate) => Effect.Effect<Customer, Conflict>
  readonly get: (id: string) => Effect.Effect<Customer, NotFound>
  /** Like `get`, and locks the customer against changes until the surrounding transaction ends. */
  readonly lock: (id: string) => Effect.Effect<Customer, NotFound>
  /** An empty `email` clears it. */
  readonly update: (id: string, changes: CustomerUpdate) => Effect.Effect<Customer, NotFound | Conflict>
  /**
   * Refused while licenses, orders or subscriptions belong to the customer; custom field values are deleted with it.
   */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse>
}>()("countersign/services/commerce/Customers") {
  static readonly layer = Layer.effect(
    Customers,
    Effect.gen(function*() {
      const customers = yield* makeCrudResource({
        table: "customers",
        schema: Customer,
        idType: "cus",
        family: "customer",
        noun: "customer",
        personal: ["/data/name", "/data/email"]
      })
      return Customers.of({
        list: (page) => customers.list(page),
        create: (input) => customers.create({ metadata: {}, ...input }),
        get: customers.get,
        lock: customers.lock,
        update: (id, changes) => customers.update(id, changes.email === "" ? { ...changes, email: null } : changes),
        remove: (id) =>
          customers.remove(id, { licenses: "customer_id", orders: "customer_id", subscriptions: "customer_id" })
      })
    })
  )
}
