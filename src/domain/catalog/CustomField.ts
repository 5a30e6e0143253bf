import { Schema } from "effect"
import type { FieldFinding } from "../wire/Errors.ts"
import { anyBigCount, Code, label, Metadata, Name, text, Timestamp, TimestampInput } from "../wire/Fields.ts"

export const CustomFieldResourceType = Schema.Literals(["license", "customer"])
  .annotate({ identifier: "CustomFieldResourceType" })
export type CustomFieldResourceType = typeof CustomFieldResourceType.Type

export const CustomFieldValueType = Schema.Literals(["string", "integer", "boolean", "datetime", "enum"])
  .annotate({ identifier: "CustomFieldValueType" })
export type CustomFieldValueType = typeof CustomFieldValueType.Type

const definition = {
  product_id: Schema.String,
  resource_type: CustomFieldResourceType,
  code: Schema.String,
  name: Schema.String,
  value_type: CustomFieldValueType,
  is_required: Schema.Boolean,
  enum_options: Schema.Array(Schema.String),
  metadata: Metadata
}

/** A member that a vendor adds to licenses or customers, for people and back offices; the runtime never shows it. */
export const CustomFieldDefinition = Schema.Struct({
  id: Schema.String,
  ...definition,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "CustomFieldDefinition",
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
  is_required: Schema.optionalKey(Schema.Boolean),
  enum_options: Schema.optionalKey(EnumOptions),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomFieldDefinitionCreateRequest",
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
  is_required: Schema.optionalKey(Schema.Boolean),
  enum_options: Schema.optionalKey(EnumOptions),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomFieldDefinitionUpdateRequest",
  examples: [{ enum_options: ["eu", "us", "apac"] }]
})
export type CustomFieldDefinitionUpdate = typeof CustomFieldDefinitionUpdate.Type

const typed = {
  string_value: Schema.optionalKey(text(0, 4096)),
  integer_value: Schema.optionalKey(
    anyBigCount
  ),
  boolean_value: Schema.optionalKey(Schema.Boolean),
  datetime_value: Schema.optionalKey(TimestampInput),
  enum_value: Schema.optionalKey(text(1, 255))
}

/** The members that hold a value, one per value type. */
export const typedMembers = [
  "string_value",
  "integer_value",
  "boolean_value",
  "datetime_value",
  "enum_value"
] as const satisfies ReadonlyArray<`${CustomFieldValueType}_value`>

/** What one license or customer has in a custom field: exactly one typed member. */
export const CustomFieldValue = Schema.Struct({
  definition_id: Schema.String,
  ...definition,
  resource_id: Schema.String,
  string_value: Schema.optionalKey(Schema.String),
  integer_value: typed.integer_value,
  boolean_value: Schema.optionalKey(Schema.Boolean),
  datetime_value: Schema.optionalKey(Timestamp),
  enum_value: Schema.optionalKey(Schema.String),
  updated_at: Timestamp
}).annotate({
  identifier: "CustomFieldValue",
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
export const CustomFieldValueUpsert = Schema.Struct({ clear: Schema.optionalKey(Schema.Boolean), ...typed })
  .annotate({ examples: [{ enum_value: "eu" }] })
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

/** What is wrong with a value, or with clearing it, for this field. */
export const valueFindings = (
  field: Pick<CustomFieldDefinition, "value_type" | "is_required" | "enum_options">,
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
  return input.enum_value !== undefined && !field.enum_options.includes(input.enum_value)
    ? [{ path: "enum_value", code: "not_an_option", message: `must be one of ${field.enum_options.join(", ")}` }]
    : []
}
