import { Context, Effect, Layer } from "effect"
import { CustomFieldDefinition, enumOptionFindings, signingFindings } from "../../domain/catalog/CustomField.ts"
import type {
  CustomFieldDefinitionCreate,
  CustomFieldDefinitionUpdate,
  CustomFieldValueType,
  SigningField
} from "../../domain/catalog/CustomField.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { failing, InUse, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { Conflict, InvalidCursor, PreconditionFailed, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { countSigned, listLostOptions, lockSigning } from "./CatalogSql.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { Products } from "./Products.ts"

/** Definitions of the custom fields that a vendor adds to a product's licenses, or to customers. */
export class CustomFields extends Context.Service<CustomFields, {
  readonly list: (
    productId: string,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<CustomFieldDefinition>, NotFound | InvalidCursor>
  readonly create: (
    productId: string,
    input: CustomFieldDefinitionCreate
  ) => Effect.Effect<CustomFieldDefinition, NotFound | Conflict | ValidationError>
  readonly get: (productId: string, id: string) => Effect.Effect<CustomFieldDefinition, NotFound>
  /** An option that some value uses cannot be removed. `is_required` applies to later writes only. */
  readonly update: (
    productId: string,
    id: string,
    changes: CustomFieldDefinitionUpdate
  ) => Effect.Effect<CustomFieldDefinition, NotFound | Conflict | InUse | PreconditionFailed | ValidationError>
  /** Refused while the field has values. */
  readonly remove: (productId: string, id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/catalog/CustomFields") {
  static readonly layer = Layer.effect(
    CustomFields,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const definitions = yield* makeCrudResource({
        table: "custom_field_definitions",
        schema: CustomFieldDefinition,
        idType: "fld",
        family: "custom_field",
        noun: "custom field of the product and resource type",
        products: "owned"
      })

      const ofProduct = (productId: string, read: Effect.Effect<CustomFieldDefinition, NotFound>) =>
        read.pipe(
          Effect.filterOrFail(
            (field) => field.product_id === productId,
            () => failing(NotFound, "The product has no custom field with this id.")
          )
        )

      const get = (productId: string, id: string) => ofProduct(productId, definitions.get(id))

      const checkOptions = (valueType: CustomFieldValueType, options: ReadonlyArray<string>) => {
        const fields = enumOptionFindings(valueType, options)
        return fields.length === 0
          ? Effect.void
          : Effect.fail(invalidRequest(fields))
      }

      /** Judges whether the values of a field may be signed; nothing where they are not. */
      const checkSigned = Effect.fnUntraced(function*(productId: string, fieldId: string, field: SigningField) {
        if (field.is_signed !== true) return
        yield* lockSigning(sql, productId)
        const [counted] = yield* countSigned(sql, productId, fieldId)
        const fields = signingFindings(field, counted!)
        if (fields.length > 0) return yield* invalidRequest(fields)
      })

      const create = Effect.fn("CustomFields.create")((productId: string, input: CustomFieldDefinitionCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* products.hold(productId)
            yield* checkOptions(input.value_type, input.enum_options ?? [])
            yield* checkSigned(productId, "", input)
            return yield* definitions.create({
              product_id: productId,
              is_required: false,
              enum_options: [],
              metadata: {},
              ...input
            })
          })
        )
      )

      const refuseLostOptions = Effect.fnUntraced(function*(id: string, options: ReadonlyArray<string>) {
        const used = yield* listLostOptions(sql, id, options)
        if (used.length > 0) {
          return yield* failing(InUse, "Values have an option that would go.", {
            detail: `Referenced by custom field values: ${used.map((row) => row.enum_value).join(", ")}.`
          })
        }
      })

      const update = Effect.fn("CustomFields.update")((
        productId: string,
        id: string,
        changes: CustomFieldDefinitionUpdate
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* get(productId, id)
            const field = yield* definitions.lockToChange(id)
            if (changes.enum_options !== undefined) {
              yield* checkOptions(field.value_type, changes.enum_options)
              yield* refuseLostOptions(id, changes.enum_options)
            }
            if (changes.is_signed === true || changes.enum_options !== undefined) {
              yield* checkSigned(productId, id, { ...field, ...changes })
            }
            return yield* definitions.update(id, changes)
          })
        )
      )

      return CustomFields.of({
        list: (productId, page) =>
          Effect.andThen(products.get(productId), definitions.list(page, { product_id: productId })),
        create,
        get,
        update,
        remove: (productId, id) =>
          inTransaction(
            sql,
            Effect.andThen(get(productId, id), definitions.remove(id, { custom_field_values: "definition_id" }))
          )
      })
    })
  )
}
