import { HttpApiGroup } from "effect/http-api"
import { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"

export class Products extends HttpApiGroup.make("products").add(
  ...crud({
    noun: "Product",
    list: "listProducts",
    collection: "/api/v1/products",
    item: "/api/v1/products/:id",
    schema: Product,
    create: ProductCreate,
    update: ProductUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "product",
    inUse: ["delete"],
    documents: {
      list: { summary: "List products", description: "All products, newest first." },
      create: { summary: "Create a product", description: "What you sell. `code` is unique among products." },
      get: { summary: "Read a product", description: "One product by its id." },
      update: { summary: "Change a product", description: "Members left out stay as they are." },
      delete: {
        summary: "Delete a product",
        description: "Refused with IN_USE while anything belongs to it; `detail` says what."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
