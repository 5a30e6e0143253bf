import { Context, Effect, Layer } from "effect"
import type { Customer, ExternalName } from "../../../domain/customers/Customer.ts"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type {
  OrderCommand,
  OwnerCommand,
  RecordName,
  SubscriptionCommand
} from "../../../domain/sales/purchases/Command.ts"
import { Customers } from "../../customers/Customers.ts"
import { Orders } from "../../customers/Orders.ts"
import { Subscriptions } from "../../customers/Subscriptions.ts"
import { SubscriptionFollowing } from "../../licensing/licenses/SubscriptionFollowing.ts"

/** Whether a record has these values already, but for when its billing system changed it. Null is a member that it has not. */
const isAlready = (found: object | undefined, values: object): boolean => {
  const has = found as Readonly<Record<string, unknown>> | undefined
  return has !== undefined &&
    Object.entries(values).every(([member, value]) => member === "source_updated_at" || (has[member] ?? null) === value)
}

/** The reason why a record could not be written. */
type Failure = NotFound | Conflict | PreconditionFailed | ValidationError

/** The owner of a purchase, as a customer and as far as his licenses say it themselves. */
export interface Owner {
  readonly customer_id?: string
  readonly customer_email?: string
  readonly customer_name?: string
}

/**
 * The records of the contract that purchases are: customers, subscriptions and orders, by their names in the system that a connection is. What is
 * written already is not written again, so that a look that finds nothing new leaves no event.
 */
export class PurchaseRecords extends Context.Service<PurchaseRecords, {
  /** The customer of a purchase, made or changed as its provider says. */
  readonly owner: (system: string, command: OwnerCommand) => Effect.Effect<Owner, Failure>
  /** Writes a subscription or an order; answers its id. */
  readonly write: (
    system: string,
    command: SubscriptionCommand | OrderCommand,
    owner: Owner
  ) => Effect.Effect<string, Failure>
  /** The id of a record that was written before. */
  readonly find: (system: string, record: RecordName) => Effect.Effect<string | undefined>
}>()("countersign/services/sales/purchases/PurchaseRecords") {
  static readonly layer = Layer.effect(
    PurchaseRecords,
    Effect.gen(function*() {
      const customers = yield* Customers
      const following = yield* SubscriptionFollowing
      const orders = yield* Orders
      const subscriptions = yield* Subscriptions

      const nameOf = (external_system: string, { external_id }: RecordName): ExternalName => ({
        external_system,
        external_id
      })

      /** The members of a customer that its provider says otherwise. */
      const changesOf = (found: Customer | undefined, { email, name }: OwnerCommand) => ({
        ...(email === undefined || email === found?.email ? {} : { email }),
        ...(name === undefined || name === found?.name ? {} : { name })
      })

      const owner = Effect.fnUntraced(function*(system: string, command: OwnerCommand) {
        const { email, external_id, name } = command
        if (external_id === undefined) {
          return {
            ...(email === undefined ? {} : { customer_email: email }),
            ...(name === undefined ? {} : { customer_name: name })
          } satisfies Owner
        }
        const external = { external_system: system, external_id }
        // Locked, so that no erasure ends before this look, and none that has ended is undone by it.
        const found = yield* customers.lockNamed(external)
        const changes = changesOf(found, command)
        if (found !== undefined && Object.keys(changes).length === 0) return { customer_id: found.id } satisfies Owner
        const written = found === undefined
          ? customers.put(external, { name: name ?? email ?? external_id, ...changes })
          : customers.update(found.id, changes)
        // The provider says it, and no person, who alone is asked for a second one.
        const { id } = yield* Effect.catchTag(written, "APPROVAL_REQUIRED", Effect.die)
        return { customer_id: id } satisfies Owner
      })

      const find = (system: string, record: RecordName) =>
        record.kind === "subscription"
          ? Effect.map(subscriptions.find(record.product_id, nameOf(system, record)), (found) => found?.id)
          : Effect.map(orders.find(record.product_id, nameOf(system, record)), (found) => found?.id)

      const write = Effect.fnUntraced(function*(
        system: string,
        command: SubscriptionCommand | OrderCommand,
        { customer_id }: Owner
      ) {
        const { record } = command
        const name = nameOf(system, record)
        const owned = customer_id === undefined ? {} : { customer_id }
        if (command.type === "subscription") {
          const found = yield* subscriptions.find(record.product_id, name)
          const values = { ...command.values, ...owned }
          if (isAlready(found, values)) return found!.id
          return (yield* following.put(record.product_id, name, values, true)).id
        }
        const found = yield* orders.find(record.product_id, name)
        const values = { ...command.values, ...owned }
        if (isAlready(found, values)) return found!.id
        return (yield* orders.put(record.product_id, name, values)).id
      })

      return PurchaseRecords.of({ owner, write, find })
    })
  )
}
