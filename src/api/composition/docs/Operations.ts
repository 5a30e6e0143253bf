import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { distance } from "../../../domain/ground/parsing/Nearest.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { declarationOf, mayDenyProducts, productsOf } from "../../ground/Operation.ts"
import type { Declaration } from "../../ground/Operation.ts"
import { Api } from "../Api.ts"

/** One operation, as the documents describe it. */
export interface Operation {
  readonly operationId: string
  readonly group: string
  readonly method: string
  /** The path as declared, with `:name` for parameters. */
  readonly path: string
  readonly declaration: Declaration
  readonly successes: ReadonlyArray<number>
  readonly codes: ReadonlyArray<Code>
}

/** Whether a name is a code of the catalog. */
export const isCode = (name: string): name is Code => Object.hasOwn(catalog, name)

/** Every operation of the contract, in order of declaration. */
export const operations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      found.push({
        operationId: endpoint.identifier,
        group: group.identifier,
        method: endpoint.method,
        path: endpoint.path,
        declaration: declarationOf(endpoint),
        // A stream is not among the reflected schemas; its status is 200.
        successes: successes.size === 0 ? [200] : [...successes.keys()],
        codes: [
          ...new Set(
            [...errors.values()].flat().map((schema) => String(schema.ast.annotations?.["identifier"] ?? ""))
              .filter(isCode)
          )
        ].filter((code) => raises(code, endpoint.method, declarationOf(endpoint)) || isOwn(endpoint, code))
      })
    }
  })
  return found
})()

/**
 * Whether an operation declares by itself what others of its kind never raise: that it lacks a scope where any token will do, because it
 * judges the rights for something else, or that a header of a read is not valid.
 */
function isOwn({ error }: HttpApiEndpoint.Top, code: Code): boolean {
  return (code === "TOKEN_SCOPE_DENIED" || code === "INVALID_HEADER") &&
    [...error].some(({ ast }) => ast.annotations?.["identifier"] === code)
}

/**
 * Whether an operation can raise a code that its group declares: reads take no Idempotency-Key and no If-Match, most
 * writes need none, questions ignore it, where any token will do none lacks a scope, and few operations are refused to
 * keys that are limited to products.
 */
function raises(code: string, method: string, declaration: Declaration): boolean {
  const { answerKept, idempotencyKey, scope } = declaration
  if (code === "TOKEN_SCOPE_DENIED") return scope !== "any"
  if (code === "TOKEN_PRODUCT_DENIED") return mayDenyProducts(productsOf(declaration))
  if (code === "IDEMPOTENCY_KEY_REQUIRED") return idempotencyKey === "required"
  if (answerKept === "none" && code.startsWith("IDEMPOTENCY_")) return false
  return method !== "GET" || !/^(IDEMPOTENCY_|INVALID_HEADER$|PRECONDITION_FAILED$)/.test(code)
}

/** A path in OpenAPI form: `{name}` instead of `:name`. */
export const braces = (path: string): string => path.replace(/:([^/]+)/g, "{$1}")

const patterns = operations.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`)
}))

const fixedRoutes: ReadonlySet<string> = new Set(
  operations.map(({ path }) => path).filter((path) => !path.includes(":"))
)

/** The path of the operation that a path belongs to, as the OpenAPI document writes it; undefined when none has it. */
export const routeOf = (path: string): string | undefined => {
  if (fixedRoutes.has(path)) return path
  const at = patterns.findIndex(({ pattern }) => pattern.test(path))
  return at === -1 ? undefined : braces(operations[at]!.path)
}

/** The paths of operations in their parts, each once. */
const declaredParts = [...new Set(operations.map(({ path }) => path))].map((path) => ({ path, parts: path.split("/") }))

/** The distance of a path from the path of an operation, as far as it is at most so much; a parameter is at no distance from any text. */
const farOf = (sent: ReadonlyArray<string>, parts: ReadonlyArray<string>, most: number): number => {
  let far = Math.abs(sent.length - parts.length) * 4
  for (let at = 0; at < Math.min(sent.length, parts.length) && far <= most; at++) {
    if (!parts[at]!.startsWith(":")) far += distance(sent[at]!, parts[at]!, most - far)
  }
  return far
}

/** Where the operations of the API are; who leaves a part of it out means one of them. */
const base = "/api/v1"

/** A path as it was sent, and as it is meant where the beginning was left out. */
const readings = (path: string): ReadonlyArray<string> =>
  path.startsWith(`${base}/`) ? [path] : [path, `${base}${path.replace(/^\/(?:api(?:\/v1)?|v1)(?=\/)/, "")}`]

/**
 * The path of the operation that is nearest to a path that no operation has; undefined when none is near. A word is not
 * near to another of which it has less than half of the letters in common. Anybody may ask for what there is not, so that what is farther
 * than the nearest one so far is not looked at any more.
 */
export const nearestPath = (path: string): string | undefined => {
  if (path.length > 128) return undefined
  let best: string | undefined
  let most = Math.min(6, path.length / 2)
  for (const sent of readings(path.toLowerCase()).map((reading) => reading.split("/"))) {
    for (const { parts, path: declared } of declaredParts) {
      const far = farOf(sent, parts, most)
      if (far > most || (far === most && best !== undefined)) continue
      best = declared
      most = far
    }
  }
  return best === undefined ? undefined : braces(best)
}

/** The methods of a path, for the Allow header; empty when no operation has the path. */
export const methodsOf = (path: string): ReadonlyArray<string> => {
  const methods = new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods]
}
