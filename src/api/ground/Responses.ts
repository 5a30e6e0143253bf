import { Schema, SchemaAST } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  InvalidCursor,
  InvalidJson,
  InvalidQuery,
  Meta,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  UnknownField,
  UnsupportedMediaType,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { field } from "../../domain/ground/wire/Fields.ts"
import { PageInfo } from "../../domain/ground/wire/Page.ts"
import { Signature } from "../../domain/ground/wire/Signed.ts"

/** The noun of an answer's name: `License` for `License`, `Entitlement` for `RuntimeEntitlementResponseData`. */
const nounOf = (schema: Schema.Top): string => {
  const name = String(SchemaAST.resolveIdentifier(schema.ast) ?? "")
  if (name === "") throw new TypeError("The schema of a response needs an identifier, for the name of the response")
  return name.replace(/^Runtime(?=\w+ResponseData$)/, "").replace(/(ResponseData|Response|Data)$/, "")
}

/** `{data, meta}`, named after what it answers. */
export const one = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: field(schema, "The requested resource."), meta: Meta }).annotate({
    identifier: `${nounOf(schema)}Answer`,
    description: "The response, with the result in `data`."
  })

/** `{data, meta}` with status 201 */
export const created = <S extends Schema.Top>(schema: S) => one(schema).pipe(HttpApiSchema.status(201))

/** `{data: [], meta}`: a list that is short and answered whole. */
export const all = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: field(Schema.Array(schema), "The requested resource."), meta: Meta })
    .annotate({
      identifier: `${nounOf(schema)}List`,
      description: "A whole list, in `data`."
    })

/** `{data: [], page_info, meta}` */
export const page = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({
    data: field(Schema.Array(schema), "The requested resource."),
    page_info: PageInfo,
    meta: Meta
  })
    .annotate({ identifier: `${nounOf(schema)}Page`, description: "A page of a list, in `data`." })

/** `{data, signature, meta}`: the signature covers the canonical bytes of `data` (RFC 8785). */
export const signed = <S extends Schema.Top>(schema: S, noun = nounOf(schema)) =>
  Schema.Struct({ data: field(schema, "The requested resource."), signature: Signature, meta: Meta })
    .annotate({
      identifier: `${noun}Answer`,
      description: "A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`."
    })

/** 204, no body. */
export const noContent = HttpApiSchema.NoContent

/** The possible refusals of any operation with a JSON body. */
export const bodyErrors = [
  InvalidJson,
  UnknownField,
  RequestTimeout,
  PayloadTooLarge,
  UnsupportedMediaType,
  ValidationError
] as const

/** The possible refusals of any list. */
export const listErrors = [InvalidQuery, InvalidCursor] as const

/** The possible refusals of an operation on one resource. */
export const resourceErrors = [NotFound] as const
