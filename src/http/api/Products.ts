import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import {
  bodyErrors,
  created,
  declare,
  deleteErrors,
  listErrors,
  listQuery,
  noContent,
  one,
  page,
  pathId,
  resourceErrors,
  uniqueErrors
} from "./Operation.ts"

export class Products extends HttpApiGroup.make("products").add(
  HttpApiEndpoint.get("listProducts", "/api/v1/products", {
    query: listQuery,
    success: page(Product),
    error: listErrors
  }).pipe(declare({ scope: "product:read", summary: "List products, newest first" })),
  HttpApiEndpoint.post("createProduct", "/api/v1/products", {
    payload: ProductCreate,
    success: created(Product),
    error: [...bodyErrors, ...uniqueErrors]
  }).pipe(declare({ scope: "product:write", summary: "Create a product" })),
  HttpApiEndpoint.get("getProduct", "/api/v1/products/:id", {
    params: { id: pathId },
    success: one(Product),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read a product" })),
  HttpApiEndpoint.patch("updateProduct", "/api/v1/products/:id", {
    params: { id: pathId },
    payload: ProductUpdate,
    success: one(Product),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({ scope: "product:write", summary: "Change a product" })),
  HttpApiEndpoint.delete("deleteProduct", "/api/v1/products/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "product:write",
    summary: "Delete a product",
    description: "Refused with IN_USE while anything belongs to it; `detail` says what."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
