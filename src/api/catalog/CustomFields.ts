import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  CustomFieldDefinition,
  CustomFieldDefinitionCreate,
  CustomFieldDefinitionUpdate,
  CustomFieldValue,
  CustomFieldValueUpsert
} from "../../domain/catalog/CustomField.ts"
import { crud } from "../ground/Crud.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

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
