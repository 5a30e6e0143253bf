import type { Schema } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpApiEndpoint } from "effect/http-api"
import type { ActivityAction } from "../../domain/audit/Activity.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import { Conflict, InUse, NotFound } from "../../domain/wire/Errors.ts"
import { bodyErrors, created, declare, listErrors, listQuery, noContent, one, page, pathId } from "./Operation.ts"

/** The names of the parameters of a path. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}` ? Name
  : never

/** The schemas of a path's parameters; `never`, as HttpApi has it, where there are none. */
type ParametersOf<Path extends string> = [ParameterOf<Path>] extends [never] ? never
  : { readonly [Name in ParameterOf<Path>]: typeof pathId }

const parametersOf = <Path extends string>(path: Path): ParametersOf<Path> | undefined => {
  const names = path.match(/(?<=:)[^/]+/g)
  return names === null ? undefined : Object.fromEntries(names.map((name) => [name, pathId])) as ParametersOf<Path>
}

/**
 * An error where it is due. Its type stands in the errors either way, because HttpApi cannot check errors that depend on
 * a type parameter; the contract is made from the values.
 */
const where = <E extends Schema.Top>(isDue: boolean, error: E): ReadonlyArray<E> => isDue ? [error] : []

/** The nouns whose creation, change and deletion are events. */
type ActionNoun = ActivityAction extends infer Action ? Action extends `${infer Noun}.deleted` ? Noun : never : never

/** How one of the operations is documented. */
interface Document {
  readonly summary: string
  readonly description?: string
}

/**
 * The five operations of a resource: list, create, get, update and delete. Whatever follows from its paths and names is
 * not said again: the operations' ids, their parameters, what they may refuse, and how their refusals are recorded.
 */
export const crud = <
  const Noun extends string,
  const List extends string,
  const Collection extends HttpRouter.PathInput,
  const Item extends HttpRouter.PathInput,
  Resource extends Schema.Top,
  Create extends Schema.Top,
  Update extends Schema.Top,
  Filters extends Schema.Struct.Fields = {}
>(resource: {
  /** As the ids of the operations have it: `createProduct` is of the noun `Product`. */
  readonly noun: Noun
  /** The id of the list, whose plural no rule makes. */
  readonly list: List
  /** The path of the list; with parameters where the resource belongs to another. */
  readonly collection: Collection
  readonly item: Item
  readonly schema: Resource
  readonly create: Create
  readonly update: Update
  /** What the list can be asked for beside a page. */
  readonly filters?: Filters
  readonly scopes: { readonly read: Scope; readonly write: Scope }
  /** As activities name it: `product.created` is of the noun `product`. */
  readonly action: ActionNoun
  /** Which operations are refused while something else needs the resource as it is. */
  readonly inUse: ReadonlyArray<"update" | "delete">
  readonly documents: Readonly<Record<"list" | "create" | "get" | "update" | "delete", Document>>
}) => {
  const { action, collection, documents, inUse, item, noun, schema, scopes } = resource
  const isOwned = collection.includes(":")
  return [
    HttpApiEndpoint.get(resource.list, collection, {
      params: parametersOf(collection),
      query: { ...listQuery, ...resource.filters as Filters },
      success: page(schema),
      error: [...where(isOwned, NotFound), ...listErrors] as const
    }).pipe(declare({ scope: scopes.read, ...documents.list })),
    HttpApiEndpoint.post(`create${noun}`, collection, {
      params: parametersOf(collection),
      payload: resource.create,
      success: created(schema),
      error: [...where(isOwned, NotFound), ...bodyErrors, Conflict] as const
    }).pipe(declare({ scope: scopes.write, action: `${action}.created`, ...documents.create })),
    HttpApiEndpoint.get(`get${noun}`, item, {
      params: parametersOf(item),
      success: one(schema),
      error: [NotFound]
    }).pipe(declare({ scope: scopes.read, ...documents.get })),
    HttpApiEndpoint.patch(`update${noun}`, item, {
      params: parametersOf(item),
      payload: resource.update,
      success: one(schema),
      error: [NotFound, ...bodyErrors, Conflict, ...where(inUse.includes("update"), InUse)] as const
    }).pipe(declare({ scope: scopes.write, action: `${action}.updated`, ...documents.update })),
    HttpApiEndpoint.delete(`delete${noun}`, item, {
      params: parametersOf(item),
      success: noContent,
      error: [NotFound, ...where(inUse.includes("delete"), InUse)] as const
    }).pipe(declare({ scope: scopes.write, action: `${action}.deleted`, ...documents.delete }))
  ] as const
}
