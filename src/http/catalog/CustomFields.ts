import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { CustomFieldValue } from "../../domain/catalog/CustomField.ts"
import type { Meta } from "../../domain/ground/wire/Errors.ts"
import { CustomFields } from "../../services/catalog/CustomFields.ts"
import { CustomFieldValues } from "../../services/licensing/licenses/CustomFieldValues.ts"
import { one, page, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

/** Answers 200 with a value, and 204 when it was cleared. */
const valueOrNone = <E, R>(effect: Effect.Effect<CustomFieldValue | undefined, E, R>) =>
  Effect.flatMap(
    effect,
    (value): Effect.Effect<{ readonly data: CustomFieldValue; readonly meta: Meta } | void> =>
      value === undefined ? Effect.void : one(Effect.succeed(value))
  )

export const layer = HttpApiBuilder.group(
  Api,
  "custom-fields",
  Effect.fn(function*(handlers) {
    const fields = yield* CustomFields
    const values = yield* CustomFieldValues
    return handlers.handleAll({
      listProductCustomFieldDefinitions: ({ params, query }) => writtenPage(fields.list(params.id, pageOf(query))),
      createProductCustomFieldDefinition: ({ params, payload }) => one(fields.create(params.id, payload)),
      getProductCustomFieldDefinition: ({ params }) => one(fields.get(params.id, params.field_id)),
      updateProductCustomFieldDefinition: ({ params, payload }) =>
        one(fields.update(params.id, params.field_id, payload)),
      deleteProductCustomFieldDefinition: ({ params }) => fields.remove(params.id, params.field_id),
      listCustomerCustomFieldValues: ({ params, query }) => page(values.list("customer", params.id, pageOf(query))),
      upsertCustomerCustomFieldValue: ({ params, payload }) =>
        valueOrNone(values.upsert("customer", params.id, params.field_id, payload)),
      listLicenseCustomFieldValues: ({ params, query }) => page(values.list("license", params.id, pageOf(query))),
      upsertLicenseCustomFieldValue: ({ params, payload }) =>
        valueOrNone(values.upsert("license", params.id, params.field_id, payload))
    })
  })
)
