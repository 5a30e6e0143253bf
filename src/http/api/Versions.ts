import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ProductVersion, ProductVersionCreate, ProductVersionUpdate } from "../../domain/catalog/ProductVersion.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import {
  bodyErrors,
  created,
  declare,
  listErrors,
  listQuery,
  noContent,
  one,
  page,
  pathId,
  resourceErrors,
  uniqueErrors
} from "./Operation.ts"

const versionPath = "/api/v1/products/:id/versions/:version_id"
const versionParams = { id: pathId, version_id: pathId }

export class Versions extends HttpApiGroup.make("versions").add(
  HttpApiEndpoint.get("listProductVersions", "/api/v1/products/:id/versions", {
    params: { id: pathId },
    query: listQuery,
    success: page(ProductVersion),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "product:read", summary: "List a product's versions, newest first" })),
  HttpApiEndpoint.post("createProductVersion", "/api/v1/products/:id/versions", {
    params: { id: pathId },
    payload: ProductVersionCreate,
    success: created(ProductVersion),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Add a version to a product's catalogue",
    description: "Without `released_at` it is released now. Runtime answers tell an app that sends its `app_version` " +
      "whether the license covers it: with a catalogue and a `maintenance_expires_at`, versions released by that date " +
      "are. A version that is not listed is covered while maintenance runs, and no longer once it has ended."
  })),
  HttpApiEndpoint.get("getProductVersion", versionPath, {
    params: versionParams,
    success: one(ProductVersion),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read a version" })),
  HttpApiEndpoint.patch("updateProductVersion", versionPath, {
    params: versionParams,
    payload: ProductVersionUpdate,
    success: one(ProductVersion),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Change a version",
    description: "Takes effect at the next runtime call."
  })),
  HttpApiEndpoint.delete("deleteProductVersion", versionPath, {
    params: versionParams,
    success: noContent,
    error: resourceErrors
  }).pipe(declare({ scope: "product:write", summary: "Take a version from a product's catalogue" }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
