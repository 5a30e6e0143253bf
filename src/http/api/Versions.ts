import { HttpApiGroup } from "effect/http-api"
import { ProductVersion, ProductVersionCreate, ProductVersionUpdate } from "../../domain/catalog/ProductVersion.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"

export class Versions extends HttpApiGroup.make("versions").add(
  ...crud({
    noun: "ProductVersion",
    list: "listProductVersions",
    collection: "/api/v1/products/:id/versions",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "product" }, change: { of: "product" } },
    item: "/api/v1/products/:id/versions/:version_id",
    schema: ProductVersion,
    create: ProductVersionCreate,
    update: ProductVersionUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "version",
    inUse: [],
    documents: {
      list: { summary: "List versions", description: "The versions in the catalogue of a product, newest first." },
      create: {
        summary: "Add a version",
        description: "Adds a version to the catalogue of a product. " +
          "Without `released_at` it is released now. Runtime answers tell an app that sends its `app_version` " +
          "whether the license covers it: with a catalogue and a `maintenance_expires_at`, versions released by " +
          "that date " +
          "are. A version that is not listed is covered while maintenance runs, and no longer once it has ended."
      },
      get: { summary: "Read a version", description: "One version of a product." },
      update: {
        summary: "Change a version",
        description: "Members left out stay as they are. Takes effect at the next runtime call."
      },
      delete: {
        summary: "Delete a version",
        description: "Takes a version from the catalogue of its product. Effective at the next runtime call."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
