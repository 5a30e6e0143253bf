import { Schema } from "effect"
import type { FieldFinding } from "../ground/wire/Errors.ts"
import {
  anyBigCount,
  Code,
  CreatedAt,
  echoed,
  field,
  label,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  text,
  Timestamp,
  TimestampInput,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

export const CustomFieldResourceType = Schema.Literals(["license", "customer"])
  .annotate({
    identifier: "CustomFieldResourceType",
    description: "The type of resource that a custom field belongs to."
  })
export type CustomFieldResourceType = typeof CustomFieldResourceType.Type

export const CustomFieldValueType = Schema.Literals(["string", "integer", "boolean", "datetime", "enum"])
  .annotate({ identifier: "CustomFieldValueType", description: "The type of the values of a custom field." })
export type CustomFieldValueType = typeof CustomFieldValueType.Type

const definition = {
  product_id: Id.text("prod"),
  resource_type: field(CustomFieldResourceType, "The type of the resource."),
  code: ShownCode,
  name: ShownName,
  value_type: CustomFieldValueType,
  is_required: field(Schema.Boolean, "Whether a value, once set, can be changed but not cleared. Default: `false`."),
  enum_options: field(
    Schema.Array(Schema.String),
    "The values of an enum: at most 100, each up to 255 characters. Other types have none."
  ),
  metadata: Metadata
}

const signed = optional(
  Schema.Boolean,
  "Whether signed responses and offline files have the values of licenses as `custom_fields`, for apps. At most 20 fields of a " +
    "product; their texts have 1 to 255 printable ASCII characters without <>&\"\\ and the backtick."
)

/**
 * A member that a vendor adds to licenses or customers, for people and back offices. The runtime shows those of licenses that
 * are signed.
 */
export const CustomFieldDefinition = Schema.Struct({
  id: Id.text("fld"),
  ...definition,
  is_signed: signed,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "CustomFieldDefinition",
  description: "A field that you add to licenses or customers.",
  examples: [{
    id: "fld_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    resource_type: "license",
    code: "region",
    name: "Region",
    value_type: "enum",
    is_required: false,
    enum_options: ["eu", "us"],
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type CustomFieldDefinition = typeof CustomFieldDefinition.Type

const EnumOptions = Schema.Array(label(255)).check(Schema.isMaxLength(100), Schema.isUnique())

export const CustomFieldDefinitionCreate = Schema.Struct({
  resource_type: CustomFieldResourceType,
  code: Code,
  name: Name,
  value_type: CustomFieldValueType,
  is_required: optional(Schema.Boolean, "Whether a value, once set, can be changed but not cleared. Default: `false`."),
  enum_options: optional(
    EnumOptions,
    "The values of an enum: at most 100, each up to 255 characters. Other types have none."
  ),
  is_signed: signed,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomFieldDefinitionCreateRequest",
  description: "A custom field to define.",
  examples: [{
    resource_type: "license",
    code: "region",
    name: "Region",
    value_type: "enum",
    enum_options: ["eu", "us"]
  }]
})
export type CustomFieldDefinitionCreate = typeof CustomFieldDefinitionCreate.Type

export const CustomFieldDefinitionUpdate = Schema.Struct({
  code: Schema.optionalKey(Code),
  name: Schema.optionalKey(Name),
  is_required: optional(Schema.Boolean, "Whether a value, once set, can be changed but not cleared. Default: `false`."),
  enum_options: optional(
    EnumOptions,
    "The values of an enum: at most 100, each up to 255 characters. Other types have none."
  ),
  is_signed: signed,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomFieldDefinitionUpdateRequest",
  description: "Changes of a custom field. Omitted fields stay as they are.",
  examples: [{ enum_options: ["eu", "us", "apac"] }]
})
export type CustomFieldDefinitionUpdate = typeof CustomFieldDefinitionUpdate.Type

const typed = {
  string_value: optional(text(0, 4096), "The value of a field of type `string`, up to 4,096 characters."),
  integer_value: optional(anyBigCount, "The value of a field of type `integer`."),
  boolean_value: optional(Schema.Boolean, "The value of a field of type `boolean`."),
  datetime_value: optional(TimestampInput, "The value of a field of type `datetime`."),
  enum_value: optional(text(1, 255), "The value of a field of type `enum`: one of its options.")
}

/** The members that hold a value, one per value type. */
const typedMembers = [
  "string_value",
  "integer_value",
  "boolean_value",
  "datetime_value",
  "enum_value"
] as const satisfies ReadonlyArray<`${CustomFieldValueType}_value`>

/** What one license or customer has in a custom field: exactly one typed member. */
export const CustomFieldValue = Schema.Struct({
  definition_id: Id.text("fld"),
  ...definition,
  resource_id: field(Schema.String, "The ID of the resource."),
  string_value: optional(Schema.String, "The value of a field of type `string`, up to 4,096 characters."),
  integer_value: field(typed.integer_value, "The value of a field of type `integer`."),
  boolean_value: optional(Schema.Boolean, "The value of a field of type `boolean`."),
  datetime_value: optional(Timestamp, "The value of a field of type `datetime`."),
  enum_value: optional(Schema.String, "The value of a field of type `enum`: one of its options."),
  updated_at: UpdatedAt
}).annotate({
  identifier: "CustomFieldValue",
  description: "The value of a custom field of one license or customer, in the field that its type names.",
  examples: [{
    definition_id: "fld_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    resource_type: "license",
    resource_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    code: "region",
    name: "Region",
    value_type: "enum",
    is_required: false,
    enum_options: ["eu", "us"],
    metadata: {},
    enum_value: "eu",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type CustomFieldValue = typeof CustomFieldValue.Type

const oneOrClear = Schema.makeFilter((request: { readonly clear?: boolean }) => {
  const given = typedMembers.filter((member) => member in request)
  if (given.length + (request.clear === true ? 1 : 0) === 1) return undefined
  const [first] = given
  return first === undefined
    ? { path: ["clear"], issue: `must be true, unless one of ${typedMembers.join(", ")} is given` }
    : { path: [first], issue: `must be alone: exactly one of ${typedMembers.join(", ")} is given, or clear: true` }
})

// The order matters: behind the check the example would not reach the contract, and the name must come last.
export const CustomFieldValueUpsert = Schema.Struct({
  clear: optional(
    Schema.Boolean,
    "`true` removes the value. Excludes the value fields; refused for a required custom field."
  ),
  ...typed
})
  .annotate({
    description: "Exactly one value: the field that the `value_type` of the custom field names, or `clear: true`.",
    examples: [{ enum_value: "eu" }]
  })
  .check(oneOrClear)
  .annotate({ identifier: "CustomFieldValueUpsertRequest" })
export type CustomFieldValueUpsert = typeof CustomFieldValueUpsert.Type

/** What is wrong with the options of a field of this type. */
export const enumOptionFindings = (
  valueType: CustomFieldValueType,
  options: ReadonlyArray<string>
): ReadonlyArray<FieldFinding> => {
  if (valueType === "enum") {
    return options.length > 0 ? [] : [{ path: "enum_options", code: "required", message: "is required for an enum" }]
  }
  return options.length === 0 ? [] : [{ path: "enum_options", code: "enum_only", message: "is for an enum only" }]
}

/** The most fields of a product whose values are signed: a signed response has to stay small. */
const mostSigned = 20

const isSignable = Schema.is(echoed(1, 255))

const signable = "1 to 255 printable ASCII characters without < > & \" \\ and the backtick, because the field is signed"

/** The values of the signed fields of a license, by the code of the field. */
export const SignedFields = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, anyBigCount, Schema.Boolean])
).annotate({
  identifier: "SignedCustomFields",
  description: "The values of the signed custom fields of the license, by the code of the field; a time as text.",
  examples: [{ order_number: "PO-4711", seats_ordered: 12 }]
})
export type SignedFields = typeof SignedFields.Type

/** A field whose values are to be signed, as far as that depends on it. */
export interface SigningField {
  readonly resource_type: CustomFieldResourceType
  readonly is_signed?: boolean
  readonly enum_options?: ReadonlyArray<string>
}

/** What is wrong with signing the values of a field, of which there are others in its product, and texts in licenses. */
export const signingFindings = (
  field: SigningField,
  { others, texts }: { readonly others: number; readonly texts: ReadonlyArray<string> }
): ReadonlyArray<FieldFinding> => {
  if (field.is_signed !== true) return []
  const wrong = (code: string, message: string) => [{ path: "is_signed", code, message }]
  if (field.resource_type !== "license") return wrong("licenses_only", "is for fields of licenses only")
  if (others >= mostSigned) return wrong("too_many", `is for at most ${mostSigned} fields of a product`)
  const unfit = [...field.enum_options ?? [], ...texts].find((value) => !isSignable(value))
  return unfit === undefined
    ? []
    : wrong("unfit_values", "is not for this field: a text of it does not have " + signable)
}

/** What is wrong with a value, or with clearing it, for this field. */
export const valueFindings = (
  field: Pick<CustomFieldDefinition, "value_type" | "is_required" | "is_signed" | "enum_options">,
  input: CustomFieldValueUpsert
): ReadonlyArray<FieldFinding> => {
  if (input.clear === true) {
    return field.is_required
      ? [{ path: "clear", code: "required_field", message: "is not possible: the field is required" }]
      : []
  }
  const wanted = `${field.value_type}_value` as const
  const wrong = typedMembers.filter((member) => member in input && member !== wanted)
  if (wrong.length > 0) {
    return wrong.map((path) => ({
      path,
      code: "wrong_type",
      message: `is of another type: this field takes ${wanted}`
    }))
  }
  if (field.is_signed === true && input.string_value !== undefined && !isSignable(input.string_value)) {
    return [{ path: "string_value", code: "unfit", message: `must have ${signable}` }]
  }
  return input.enum_value !== undefined && !field.enum_options.includes(input.enum_value)
    ? [{ path: "enum_value", code: "not_an_option", message: `must be one of ${field.enum_options.join(", ")}` }]
    : []
}
