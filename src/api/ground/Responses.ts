import { Schema, SchemaAST } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import type { ActivityAction } from "../../domain/evidence/audit/Activity.ts"
import {
  ApprovalRequired,
  Conflict,
  InUse,
  InvalidCursor,
  InvalidJson,
  InvalidQuery,
  Meta,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RequestTimeout,
  TokenScopeDenied,
  UnknownField,
  UnsupportedMediaType,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { field } from "../../domain/ground/wire/Fields.ts"
import { PageInfo } from "../../domain/ground/wire/Page.ts"
import { Signature } from "../../domain/ground/wire/Signed.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { ProductRule } from "../../domain/keys/security/ProductRule.ts"
import { isApprovable } from "../../domain/log/SecondLook.ts"
import { declare } from "./Operation.ts"
import { countedQuery, pathId } from "./Parameters.ts"

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

/** The names of a path's parameters. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}` ? Name
  : never

/** The schemas of a path's parameters; `never`, as HttpApi expects, when there are none. */
type ParametersOf<Path extends string> = [ParameterOf<Path>] extends [never] ? never
  : { readonly [Name in ParameterOf<Path>]: typeof pathId }

const parametersOf = <Path extends string>(path: Path): ParametersOf<Path> | undefined => {
  const names = path.match(/(?<=:)[^/]+/g)
  return names === null ? undefined : Object.fromEntries(names.map((name) => [name, pathId])) as ParametersOf<Path>
}

/**
 * Includes an error on a condition. Its type is included either way, because HttpApi cannot check errors that depend on
 * a type parameter; the contract is made from the values.
 */
const where = <E extends Schema.Top>(isDue: boolean, error: E): ReadonlyArray<E> => isDue ? [error] : []

/** The refusal of an operation that may need a second person. */
const asked = (operation: string) => where(isApprovable(operation), ApprovalRequired)

/** The nouns whose creation, change and deletion are recorded as events. */
type ActionNoun = ActivityAction extends infer Action ? Action extends `${infer Noun}.deleted` ? Noun : never : never

/** The declaration of every deletion: it must not overwrite an unseen change, and cannot be undone. */
const deletion = (noun: string) => ({
  conditional: "resource" as const,
  consequence: `The ${noun.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()} is deleted.`,
  risk: "final" as const
})

/** The documentation of one operation. */
interface Document {
  readonly summary: string
  readonly description: string
}

/** A resource as its declaration describes it. Everything that follows from its paths and names is derived. */
interface ResourceDeclaration<
  Noun extends string,
  List extends string,
  Collection extends HttpRouter.PathInput,
  Item extends HttpRouter.PathInput,
  Resource extends Schema.Top,
  Create extends Schema.Top,
  Update extends Schema.Top,
  Query extends Schema.Struct.Fields,
  Written extends Schema.Top
> {
  /** The noun in operation ids: `createProduct` has the noun `Product`. */
  readonly noun: Noun
  /** The operation id of the list, because no rule forms its plural. */
  readonly list: List
  /** The path of the list; with parameters if the resource belongs to another. */
  readonly collection: Collection
  readonly item: Item
  readonly schema: Resource
  /** The resource as writes answer it, where they answer more than reads. */
  readonly written?: Written
  readonly create: Create
  readonly update: Update
  /** The query of the list: the page, its order and its total, unless there are filters too. */
  readonly query?: Query
  readonly scopes: { readonly read: Scope; readonly write: Scope }
  /** How its operations keep to the products of a limited key. */
  readonly products: Readonly<Record<"list" | "create" | "get" | "change", ProductRule>>
  /** The noun in activities: `product.created` has the noun `product`. */
  readonly action: ActionNoun
  /** The operations that are refused while something else depends on the resource. */
  readonly inUse: ReadonlyArray<"update" | "delete">
  /** Whether a new one may name another resource in its body, which may not be there. */
  readonly namesOther?: boolean
  /** Whether the list has filters for which the scope of the operation does not stand. */
  readonly filtersOther?: boolean
  readonly documents: Readonly<Record<"list" | "create" | "get" | "update" | "delete", Document>>
}

/** Some changes have outcomes for which the scope of the operation does not stand. */
const updateErrors = [NotFound, ...bodyErrors, Conflict, PreconditionFailed, TokenScopeDenied] as const

/**
 * The five operations of a resource: list, create, get, update and delete, with their operation ids, parameters and
 * possible refusals, and how these are recorded.
 */
export const crud = <
  const Noun extends string,
  const List extends string,
  const Collection extends HttpRouter.PathInput,
  const Item extends HttpRouter.PathInput,
  Resource extends Schema.Top,
  Create extends Schema.Top,
  Update extends Schema.Top,
  Query extends Schema.Struct.Fields = typeof countedQuery,
  Written extends Schema.Top = Resource
>(resource: ResourceDeclaration<Noun, List, Collection, Item, Resource, Create, Update, Query, Written>) => {
  const { action, collection, documents, inUse, item, noun, products, schema, scopes } = resource
  const change = { scope: scopes.write, products: products.change }
  // Without a schema of its own, Written is Resource.
  const written = (resource.written ?? schema) as Written
  // Without a query of its own, Query is that of countedQuery.
  const query = (resource.query ?? countedQuery) as Query
  const isOwned = collection.includes(":")
  return [
    HttpApiEndpoint.get(resource.list, collection, {
      params: parametersOf(collection),
      query,
      success: page(schema),
      error: [
        ...where(isOwned, NotFound),
        ...listErrors,
        ...where(resource.filtersOther === true, TokenScopeDenied)
      ] as const
    }).pipe(declare({ scope: scopes.read, products: products.list, ...documents.list })),
    HttpApiEndpoint.post(`create${noun}`, collection, {
      params: parametersOf(collection),
      payload: resource.create,
      success: created(written),
      error: [...where(isOwned || resource.namesOther === true, NotFound), ...bodyErrors, Conflict] as const
    }).pipe(
      declare({ scope: scopes.write, products: products.create, action: `${action}.created`, ...documents.create })
    ),
    HttpApiEndpoint.get(`get${noun}`, item, {
      params: parametersOf(item),
      success: one(schema),
      error: [NotFound]
    }).pipe(declare({ scope: scopes.read, products: products.get, conditional: "resource", ...documents.get })),
    HttpApiEndpoint.patch(`update${noun}`, item, {
      params: parametersOf(item),
      payload: resource.update,
      success: one(written),
      error: [...updateErrors, ...where(inUse.includes("update"), InUse), ...asked(`update${noun}`)] as const
    }).pipe(
      declare({ ...change, action: `${action}.updated`, conditional: "resource", ...documents.update })
    ),
    HttpApiEndpoint.delete(`delete${noun}`, item, {
      params: parametersOf(item),
      success: noContent,
      error: [NotFound, PreconditionFailed, ...where(inUse.includes("delete"), InUse)] as const
    }).pipe(declare({ ...change, action: `${action}.deleted`, ...deletion(noun), ...documents.delete }))
  ] as const
}
