import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { resellerOperations } from "../../../domain/keys/security/ProductRule.ts"
import type { Reseller } from "../../../domain/keys/security/ProductRule.ts"
import { failing, TokenProductDenied, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import { ProductReach } from "../../../services/people/access/ProductReach.ts"
import { declarationOf, productsOf } from "../../../api/ground/Operation.ts"

const beyondProducts = failing(
  TokenProductDenied,
  "This API key is limited to products, and the operation affects all products.",
  { detail: "An API key without product_ids can do it." }
)

const beyondResellers = failing(
  TokenScopeDenied,
  "This API key is a reseller's, and the operation is not for resellers.",
  { detail: "An API key without license_tag can do it." }
)

/**
 * Holds a limited key to the rule of the operation, before anything else of the request is looked at: to its products, and a
 * reseller to the operations for resellers and the licenses with the tag. `inTurn` runs the look into the database.
 */
export const makeKeyReach = (inTurn: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  Effect.map(ProductReach, (reach) =>
    Effect.fnUntraced(function*(
      endpoint: HttpApiEndpoint.Top,
      products: ReadonlyArray<string>,
      reseller: Reseller | undefined
    ) {
      if (reseller !== undefined && !resellerOperations.has(endpoint.identifier)) return yield* beyondResellers
      const rule = productsOf(declarationOf(endpoint)) ?? "refused"
      if (rule === "refused") return yield* beyondProducts
      if (typeof rule === "string") return
      const params = yield* HttpRouter.params
      const named = {
        of: rule.of,
        id: params["id"] ?? "",
        isOwner: !endpoint.path.endsWith("/:id"),
        whole: rule.whole === true
      }
      yield* inTurn(reach.check(named, products, reseller))
    }))
