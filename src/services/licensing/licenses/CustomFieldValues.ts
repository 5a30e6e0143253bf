import { Context, Effect, Layer } from "effect"
import { CustomFieldDefinition, CustomFieldValue, valueFindings } from "../../../domain/catalog/CustomField.ts"
import type { CustomFieldResourceType, CustomFieldValueUpsert } from "../../../domain/catalog/CustomField.ts"
import type { Customer } from "../../../domain/customers/Customer.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { Customers } from "../../customers/Customers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { keysetPageBy } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { deleteValue, insertValue, listValues, lockField } from "./CustomFieldValueSql.ts"
import { Licenses } from "./Licenses.ts"

const readDefinition = rowReader(CustomFieldDefinition)
const readValue = rowReader(CustomFieldValue)

/** The custom field values of licenses and customers. Runtime operations read those of licenses whose field is signed. */
export class CustomFieldValues extends Context.Service<CustomFieldValues, {
  /** The values of a resource, those of the newest fields first. */
  readonly list: (
    type: CustomFieldResourceType,
    resourceId: string,
    page: PageRequest
  ) => Effect.Effect<Page<CustomFieldValue>, NotFound | InvalidCursor>
  /**
   * Sets a value and returns it, or clears it and returns undefined. Clearing is idempotent; a required field cannot be
   * cleared.
   */
  readonly upsert: (
    type: CustomFieldResourceType,
    resourceId: string,
    fieldId: string,
    input: CustomFieldValueUpsert
  ) => Effect.Effect<CustomFieldValue | undefined, NotFound | ValidationError>
}>()("countersign/services/licensing/licenses/CustomFieldValues") {
  static readonly layer = Layer.effect(
    CustomFieldValues,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const licenses = yield* Licenses
      const customers = yield* Customers

      /** The owner, locked until the surrounding transaction ends, so that its event shows its latest state. */
      const locked = (type: CustomFieldResourceType, id: string): Effect.Effect<Customer | License, NotFound> =>
        type === "license" ? Effect.map(licenses.hold(id), ({ license }) => license) : customers.lock(id)

      const resource = (type: CustomFieldResourceType, id: string): Effect.Effect<Customer | License, NotFound> =>
        type === "license" ? licenses.get(id) : customers.get(id)

      const list = Effect.fn("CustomFieldValues.list")((
        type: CustomFieldResourceType,
        resourceId: string,
        page: PageRequest
      ) =>
        Effect.andThen(
          resource(type, resourceId),
          keysetPageBy({
            list: "custom_field_values",
            products: "narrowed",
            filters: { resourceId },
            page,
            idOf: ({ definition_id }: CustomFieldValue) => definition_id,
            rows: (after, limit) =>
              Effect.flatMap(CurrentProducts, (products) =>
                Effect.map(listValues(sql, resourceId, { after, limit, products }), (rows) =>
                  rows.map(readValue)))
          })
        )
      )

      /** The field, locked until the surrounding transaction ends. A license has the fields of its product. */
      const fieldOf = Effect.fnUntraced(function*(
        type: CustomFieldResourceType,
        owner: Customer | License,
        fieldId: string
      ) {
        const [row] = yield* lockField(sql, fieldId, yield* CurrentProducts)
        const field = row && readDefinition(row)
        if (
          field === undefined || field.resource_type !== type ||
          ("product_id" in owner && field.product_id !== owner.product_id)
        ) return yield* failing(NotFound, `The ${type} has no custom field with this id.`)
        return field
      })

      const upsert = Effect.fn("CustomFieldValues.upsert")((
        type: CustomFieldResourceType,
        resourceId: string,
        fieldId: string,
        input: CustomFieldValueUpsert
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const owner = yield* locked(type, resourceId)
            const field = yield* fieldOf(type, owner, fieldId)
            const fields = valueFindings(field, input)
            if (fields.length > 0) return yield* invalidRequest(fields)
            const append = (custom_field: object) =>
              events.append({
                type: `${type}.updated`,
                resourceId,
                data: { ...owner, custom_field },
                metadata: { field_id: field.id, field_code: field.code }
              })
            if (input.clear === true) {
              const cleared = yield* deleteValue(sql, resourceId, fieldId)
              if (cleared.length > 0) yield* append({ definition_id: field.id, code: field.code, cleared: true })
              return undefined
            }
            const [row] = yield* insertValue(sql, { id: resourceId, type }, fieldId, input)
            const value = readValue(row!)
            yield* append(value)
            return value
          })
        )
      )

      return CustomFieldValues.of({ list, upsert })
    })
  )
}
