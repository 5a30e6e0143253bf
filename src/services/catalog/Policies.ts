import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { policyDefaults } from "../../domain/catalog/Policy.ts"
import type { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import type { Conflict, InUse, InvalidCursor, NotFound } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { Products } from "./Products.ts"

/** The rules that licenses are issued under. */
export class Policies extends Context.Service<Policies, {
  readonly list: (productId: string, page: PageRequest) => Effect.Effect<Page<Policy>, NotFound | InvalidCursor>
  readonly create: (productId: string, input: PolicyCreate) => Effect.Effect<Policy, NotFound | Conflict>
  readonly get: (id: string) => Effect.Effect<Policy, NotFound>
  readonly update: (id: string, changes: PolicyUpdate) => Effect.Effect<Policy, NotFound | Conflict>
  /** Refused while licenses were issued under the policy. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse>
}>()("countersign/services/catalog/Policies") {
  static readonly layer = Layer.effect(
    Policies,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const products = yield* Products
      const policies = yield* makeCrudResource<Policy>({
        table: "policies",
        columns: [
          "id",
          "product_id",
          "name",
          "code",
          "license_type",
          "max_activations",
          "max_floating_users",
          "max_container_instances",
          "floating_timeout_minutes",
          "grace_period_days",
          "validation_interval_minutes",
          "require_heartbeat",
          "allow_offline_activation",
          "offline_grace_days",
          "allow_vm",
          "allow_container",
          "max_transfers",
          "metadata",
          "created_at",
          "updated_at"
        ],
        idType: "pol",
        family: "policy",
        noun: "policy"
      })
      return Policies.of({
        list: (productId, page) =>
          Effect.andThen(products.get(productId), policies.list(page, { product_id: productId })),
        create: (productId, input) =>
          inTransaction(
            sql,
            Effect.andThen(
              products.hold(productId),
              policies.create({ product_id: productId, ...policyDefaults, metadata: {}, ...input })
            )
          ),
        get: policies.get,
        update: policies.update,
        remove: (id) => policies.remove(id, { licenses: "policy_id" })
      })
    })
  )
}
