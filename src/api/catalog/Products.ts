import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { crud } from "../ground/Crud.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { countedQuery, includeCounts } from "../ground/Parameters.ts"

export class Products extends HttpApiGroup.make("products").add(
  ...crud({
    noun: "Product",
    list: "listProducts",
    collection: "/api/v1/products",
    products: { list: "narrowed", create: "refused", get: { of: "product" }, change: { of: "product" } },
    item: "/api/v1/products/:id",
    schema: Product,
    create: ProductCreate,
    update: ProductUpdate,
    query: { ...countedQuery, product_id: Schema.optionalKey(Id.filter("prod")), ...includeCounts },
    scopes: { read: "product:read", write: "product:write" },
    action: "product",
    inUse: ["delete"],
    documents: {
      list: {
        summary: "List products",
        description:
          "All products, newest first. `include_counts=true` adds how many policies and licenses each has, how many " +
          "licenses are in use, and its newest version."
      },
      create: {
        summary: "Create a product",
        description:
          "Creates a product that you sell. `code` is unique among the codes and `former_codes` of all products."
      },
      get: { summary: "Read a product", description: "One product by its ID." },
      update: {
        summary: "Change a product",
        description:
          "Omitted fields stay as they are. A replaced `code` stays an alias in `former_codes`, so that installed " +
          "apps continue to work; `meta.warnings` has FORMER_CODE_KEPT. A shorter `former_codes` retires the " +
          "codes that it lacks: requests with them are refused with PRODUCT_MISMATCH. If an app sent one within " +
          "the last 30 days, `meta.warnings` has FORMER_CODE_IN_USE."
      },
      delete: {
        summary: "Delete a product",
        description: "Refused with IN_USE while anything belongs to the product; `detail` names it."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
