import { Context, Effect, Layer } from "effect"
import { policyDefaults, policyFindings } from "../../domain/catalog/Policy.ts"
import { Policy } from "../../domain/catalog/Policy.ts"
import type { PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import type { WrittenPage } from "../../domain/rows/WrittenRows.ts"
import { missingScopes } from "../../domain/security/ManagementKey.ts"
import { againstTrials } from "../../domain/security/PublishableKey.ts"
import type {
  Conflict,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/wire/Errors.ts"
import { failing, TokenScopeDenied } from "../../domain/wire/Errors.ts"
import { invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/wire/Page.ts"
import { CurrentActor } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { findTrialKey } from "./PolicySql.ts"
import { Products } from "./Products.ts"

/** The rules under which licenses are issued. */
export class Policies extends Context.Service<Policies, {
  readonly list: (productId: string, page: PageRequest) => Effect.Effect<WrittenPage<Policy>, NotFound | InvalidCursor>
  /** Rules that contradict each other are refused, as they would be left. */
  readonly create: (
    productId: string,
    input: PolicyCreate
  ) => Effect.Effect<Policy, NotFound | Conflict | ValidationError>
  readonly get: (id: string) => Effect.Effect<Policy, NotFound>
  readonly update: (
    id: string,
    changes: PolicyUpdate
  ) => Effect.Effect<Policy, NotFound | Conflict | PreconditionFailed | ValidationError | TokenScopeDenied>
  /** Refused while licenses were issued under the policy. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/catalog/Policies") {
  static readonly layer = Layer.effect(
    Policies,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const policies = yield* makeCrudResource({
        table: "policies",
        schema: Policy,
        idType: "pol",
        family: "policy",
        noun: "policy",
        products: "owned"
      })
      const check = (left: Readonly<Record<string, unknown>>) => {
        const fields = policyFindings(left)
        return fields.length === 0 ? Effect.void : Effect.fail(invalidRequest(fields))
      }
      /**
       * Publishable keys in use hold their policy to what a trial needs. Anybody has them, so whoever writes such a
       * policy issues licenses under it, and needs the scope of that.
       */
      const checkTrials = Effect.fnUntraced(function*(id: string, left: Policy) {
        const [key] = yield* findTrialKey(sql, id)
        if (key === undefined) return
        const { scopes, type } = yield* CurrentActor
        if (type === "api_key" && missingScopes(scopes, ["license:write"]).length > 0) {
          return yield* failing(
            TokenScopeDenied,
            `The publishable key ${key.id} issues licenses under this policy, so changing it needs the scope of that too.`,
            { detail: "license:write" }
          )
        }
        const fields = againstTrials(left)
        if (fields.length === 0) return
        return yield* invalidRequest(fields.map(({ member, needs }) => ({
          path: member,
          code: "contradiction",
          message: `${needs}, because the publishable key ${key.id} opens trials with this policy: revoke it first`
        })))
      })
      return Policies.of({
        list: (productId, page) =>
          Effect.andThen(products.get(productId), policies.list(page, { product_id: productId })),
        create: (productId, input) =>
          inTransaction(
            sql,
            Effect.andThen(
              Effect.andThen(products.hold(productId), check({ ...policyDefaults, ...input })),
              policies.create({ product_id: productId, ...policyDefaults, metadata: {}, ...input })
            )
          ),
        get: policies.get,
        update: (id, changes) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const left = { ...yield* policies.lockToChange(id), ...changes } as Policy
              yield* check(left)
              yield* checkTrials(id, left)
              return yield* policies.update(id, changes)
            })
          ),
        remove: (id) => policies.remove(id, { licenses: "policy_id", publishable_keys: "policy_id" })
      })
    })
  )
}
