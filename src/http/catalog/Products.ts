import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Products } from "../../services/catalog/Products.ts"
import { one, oneWarned, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "products",
  Effect.fn(function*(handlers) {
    const products = yield* Products
    return handlers.handleAll({
      listProducts: ({ query: { include_counts, ...query } }) =>
        page(products.list(filtersOf(query), pageOf(query), { counts: include_counts === "true" })),
      createProduct: ({ payload }) => one(products.create(payload)),
      getProduct: ({ params }) => one(products.get(params.id)),
      updateProduct: ({ params, payload }) => oneWarned(products.update(params.id, payload)),
      deleteProduct: ({ params }) => products.remove(params.id)
    })
  })
)
