import { HttpApiGroup } from "effect/http-api"
import { ProductVersion, ProductVersionCreate, ProductVersionUpdate } from "../../domain/catalog/ProductVersion.ts"
import { crud } from "../ground/Crud.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"

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
        description: "Adds a version to the catalog of a product. Default release time: now. If an app sends its " +
          "`app_version`, runtime responses include whether the license covers it. With a catalog and a " +
          "`maintenance_expires_at`, versions released by that date are covered. A version that is not in the " +
          "catalog is covered while maintenance runs."
      },
      get: { summary: "Read a version", description: "One version of a product." },
      update: {
        summary: "Change a version",
        description: "Omitted fields stay as they are. Effective at the next runtime call."
      },
      delete: {
        summary: "Delete a version",
        description: "Removes a version from the catalog of its product. Effective at the next runtime call."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
