import { Schema } from "effect"
import { Code, Email, EmailOrClear, Metadata, Name, Timestamp } from "../wire/Fields.ts"

/** Who a vendor sells to. */
export const Customer = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  code: Schema.String,
  email: Schema.optionalKey(Schema.String),
  metadata: Metadata,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Customer",
  examples: [{
    id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    name: "Beispiel GmbH",
    code: "beispiel",
    email: "it@beispiel.example",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Customer = typeof Customer.Type

export const CustomerCreate = Schema.Struct({
  name: Name,
  code: Code,
  email: Schema.optionalKey(Email),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerCreateRequest",
  examples: [{ name: "Beispiel GmbH", code: "beispiel", email: "it@beispiel.example" }]
})
export type CustomerCreate = typeof CustomerCreate.Type

export const CustomerUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  email: Schema.optionalKey(EmailOrClear),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerUpdateRequest",
  examples: [{ email: "licensing@beispiel.example" }]
})
export type CustomerUpdate = typeof CustomerUpdate.Type
