import { Schema } from "effect"
import {
  Code,
  CreatedAt,
  Email,
  EmailOrClear,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  UpdatedAt
} from "../wire/Fields.ts"
import * as Id from "../wire/Id.ts"

/** Who a vendor sells to. */
export const Customer = Schema.Struct({
  id: Id.text("cus"),
  name: ShownName,
  code: ShownCode,
  email: optional(Schema.String, "The email address, at most 320 characters."),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Customer",
  description: "A customer.",
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
  email: optional(Email, "The email address, at most 320 characters."),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerCreateRequest",
  description: "A customer to create.",
  examples: [{ name: "Beispiel GmbH", code: "beispiel", email: "it@beispiel.example" }]
})
export type CustomerCreate = typeof CustomerCreate.Type

export const CustomerUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  email: optional(EmailOrClear, "The email address. The empty string clears it."),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerUpdateRequest",
  description: "Changes of a customer. Omitted fields stay as they are.",
  examples: [{ email: "licensing@beispiel.example" }]
})
export type CustomerUpdate = typeof CustomerUpdate.Type
