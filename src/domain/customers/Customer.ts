import { Schema } from "effect"
import type { FieldFinding } from "../ground/wire/Errors.ts"
import {
  Code,
  CreatedAt,
  Email,
  EmailOrClear,
  field,
  label,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { MailLanguage } from "../ground/wire/MailLanguage.ts"
import { ListOrder } from "../ground/wire/Page.ts"
import { clearable } from "./BillingFields.ts"

const systemText = "The billing system that knows the customer, for example `stripe`. Send both or neither."
const systemIdText = "The ID of the customer in that system; unique together with `external_system`."

const languageText = "The language of mails to the customer."

const shownExternal = {
  external_system: optional(Schema.String, systemText),
  external_id: optional(Schema.String, systemIdText)
}

const external = {
  external_system: optional(label(64), systemText),
  external_id: optional(label(255), systemIdText)
}

const parentText = "The customer that this one belongs to, such as the group of a company."

const sharesText = "The licenses of this customer share the pools of that one."

/** The orders of the list of customers. */
export const CustomerOrder = Schema.Literals([...ListOrder.literals, "name_asc", "name_desc"])

/** Who a vendor sells to. */
export const Customer = Schema.Struct({
  id: Id.text("cus"),
  name: ShownName,
  code: ShownCode,
  email: optional(Schema.String, "The email address, at most 320 characters."),
  language: optional(MailLanguage, `${languageText} Absent: \`mail_language\` of the settings, or else English.`),
  ...shownExternal,
  parent_id: Schema.optionalKey(field(Id.text("cus"), parentText)),
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
  language: optional(MailLanguage, `${languageText} Default: \`mail_language\` of the settings, or else English.`),
  ...external,
  parent_id: optional(Id.reference("cus"), `${parentText} ${sharesText}`),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerCreateRequest",
  description: "A customer to create.",
  examples: [{ name: "Beispiel GmbH", code: "beispiel", email: "it@beispiel.example" }]
})
export type CustomerCreate = typeof CustomerCreate.Type

/** The customer of something that is written: the one with the address, or a new one. */
export const NewCustomer = Schema.Struct({
  name: Name,
  email: Email.annotate({ description: "The email address, at most 320 characters; not case-sensitive." }),
  language: optional(
    MailLanguage,
    "The language of mails to a customer who is created; one who exists keeps theirs.",
    "de"
  )
}).annotate({
  description: "The customer with this email address, or a new one with this name.",
  examples: [{ name: "Ada Lovelace", email: "ada@example.com" }]
})
export type NewCustomer = typeof NewCustomer.Type

const changedLanguage = optional(
  Schema.NullOr(MailLanguage),
  `${languageText} \`null\`: \`mail_language\` of the settings, or else English.`
)

export const CustomerUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  email: optional(EmailOrClear, "The email address. The empty string clears it."),
  language: changedLanguage,
  parent_id: clearable(Id.reference("cus"), `${parentText} ${sharesText}`),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerUpdateRequest",
  description: "Changes of a customer. Omitted fields stay as they are.",
  examples: [{ email: "licensing@beispiel.example" }]
})
export type CustomerUpdate = typeof CustomerUpdate.Type

/** A customer as its billing system has it now. */
export const CustomerPut = Schema.Struct({
  name: Name,
  code: optional(Code, "The code, unique among customers. Default for a customer that is created: its `id`."),
  email: optional(EmailOrClear, "The email address. The empty string clears it."),
  language: changedLanguage,
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "CustomerPutRequest",
  description: "A customer to create or to change. Omitted fields of one that exists stay as they are.",
  examples: [{ name: "Beispiel GmbH", email: "it@beispiel.example" }]
})
export type CustomerPut = typeof CustomerPut.Type

/** The two names of a record in its billing system. */
export interface ExternalName {
  readonly external_system: string
  readonly external_id: string
}

/** The finding about a customer that names only one of its system and its ID there. */
export const externalFindings = (
  { external_id, external_system }: Partial<ExternalName>
): ReadonlyArray<FieldFinding> => {
  if ((external_id === undefined) === (external_system === undefined)) return []
  const [path, other] = external_id === undefined
    ? ["external_id", "external_system"]
    : ["external_system", "external_id"]
  return [{ path, code: "both_or_none", message: `is required with ${other}` }]
}
