import { HttpApiGroup } from "effect/http-api"
import { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"

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
    scopes: { read: "product:read", write: "product:write" },
    action: "product",
    inUse: ["delete"],
    documents: {
      list: { summary: "List products", description: "All products, newest first." },
      create: {
        summary: "Create a product",
        description: "What you sell. `code` is unique among products, their `former_codes` included."
      },
      get: { summary: "Read a product", description: "One product by its id." },
      update: {
        summary: "Change a product",
        description:
          "Members left out stay as they are. A `code` that is replaced stays an alias in `former_codes`, so that " +
          "installed apps go on, and `meta.warnings` says so (FORMER_CODE_KEPT). A shorter `former_codes` retires those " +
          "that it leaves out: apps that ask by them are refused with PRODUCT_MISMATCH, and `meta.warnings` says when " +
          "one did within the last 30 days (FORMER_CODE_IN_USE)."
      },
      delete: {
        summary: "Delete a product",
        description: "Refused with IN_USE while anything belongs to it; `detail` says what."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
