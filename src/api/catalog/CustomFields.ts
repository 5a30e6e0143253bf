import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  CustomFieldDefinition,
  CustomFieldDefinitionCreate,
  CustomFieldDefinitionUpdate,
  CustomFieldValue,
  CustomFieldValueUpsert
} from "../../domain/catalog/CustomField.ts"
import { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { ProductVersion, ProductVersionCreate, ProductVersionUpdate } from "../../domain/catalog/ProductVersion.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, includeCounts, listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, crud, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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

const fieldParams = { id: pathId, field_id: pathId }

const values = {
  params: { id: pathId },
  query: listQuery,
  success: page(CustomFieldValue),
  error: [...resourceErrors, ...listErrors]
}

const upsert = {
  params: fieldParams,
  payload: CustomFieldValueUpsert,
  success: [one(CustomFieldValue), noContent],
  error: [...resourceErrors, ...bodyErrors]
}
const upsertDescription =
  "Send the value field that the `value_type` of the custom field names: the response is 200. " +
  "Or send `clear: true`: the response is 204, and a required field is refused."

export class CustomFields extends HttpApiGroup.make("custom-fields").add(
  ...crud({
    noun: "ProductCustomFieldDefinition",
    list: "listProductCustomFieldDefinitions",
    collection: "/api/v1/products/:id/custom-fields",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "product" }, change: { of: "product" } },
    item: "/api/v1/products/:id/custom-fields/:field_id",
    schema: CustomFieldDefinition,
    create: CustomFieldDefinitionCreate,
    update: CustomFieldDefinitionUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "custom_field",
    inUse: ["update", "delete"],
    documents: {
      list: { summary: "List custom fields", description: "The custom fields of a product, newest first." },
      create: {
        summary: "Define a custom field",
        description:
          "Adds a custom field to the licenses or the customers of a product. `code` is unique per product and " +
          "resource type. An enum needs `enum_options`; other types have none. Custom fields are for people and " +
          "back offices: runtime responses do not include them."
      },
      get: { summary: "Read a custom field", description: "One custom field of a product." },
      update: {
        summary: "Change a custom field",
        description: "The resource type and the value type never change. An option in use cannot be removed (IN_USE)."
      },
      delete: { summary: "Delete a custom field", description: "Refused with IN_USE while there are values." }
    }
  }),
  HttpApiEndpoint.get("listCustomerCustomFieldValues", "/api/v1/customers/:id/custom-fields", values).pipe(declare({
    scope: "customer:read",
    products: { of: "customer" },
    summary: "List a customer's field values",
    description: "The custom field values of the customer, newest fields first."
  })),
  HttpApiEndpoint.put("upsertCustomerCustomFieldValue", "/api/v1/customers/:id/custom-fields/:field_id", upsert).pipe(
    declare({
      scope: "customer:write",
      products: { of: "customer" },
      action: "customer.updated",
      summary: "Set a customer's field value",
      description: `Sets or clears a custom field of a customer. ${upsertDescription}`
    })
  ),
  HttpApiEndpoint.get("listLicenseCustomFieldValues", "/api/v1/licenses/:id/custom-fields", values).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List a license's field values",
    description: "The custom field values of the license, newest fields first."
  })),
  HttpApiEndpoint.put("upsertLicenseCustomFieldValue", "/api/v1/licenses/:id/custom-fields/:field_id", upsert).pipe(
    declare({
      scope: "license:write",
      products: { of: "license" },
      action: "license.updated",
      summary: "Set a license's field value",
      description: `Sets or clears a custom field of a license. ${upsertDescription}`
    })
  )
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
