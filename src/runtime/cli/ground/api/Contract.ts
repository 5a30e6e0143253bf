import { HttpApi } from "effect/http-api"
import { Api } from "../../../../api/composition/Api.ts"
import { openApiDocument } from "../../../../api/composition/docs/OpenApi.ts"
import { resolved } from "../../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../../api/composition/docs/Schemas.ts"
import { bodySchemaOf, declarationOf } from "../../../../api/ground/Operation.ts"
import type { Declaration } from "../../../../api/ground/Operation.ts"
import { readOperation } from "../../../../client/api/Call.ts"
import type { Operation as ClientOperation } from "../../../../client/api/Call.ts"
import { operations as clientTable } from "../../../../client/api/operations.gen.ts"
import type { FieldFinding } from "../../../../domain/ground/wire/Errors.ts"
import { payloadFindings } from "../../../../domain/ground/wire/PayloadFindings.ts"
import { secretFields } from "../../../../domain/keys/security/SecretFields.ts"

/** Where a body holds a secret: names of fields; `*` for each element or each value. */
type SecretPath = ReadonlyArray<string>

/** The places of secrets in a body, from the JSON schema of it. */
const secretPaths = (
  resolve: (schema: Node) => Node,
  schema: Node,
  above: ReadonlyArray<Node> = []
): ReadonlyArray<SecretPath> => {
  const whole = resolve(schema)
  if (above.includes(whole)) return []
  const inPart = (part: Node) => secretPaths(resolve, part, [...above, whole])
  const parts: ReadonlyArray<Node> = [whole["anyOf"], whole["oneOf"], whole["allOf"]].flatMap((parts) => parts ?? [])
  const properties = Object.entries<Node>(whole["properties"] ?? {}).flatMap(([name, part]) =>
    secretFields.has(name)
      ? [name === "headers" ? [name, "*"] : [name]]
      : inPart(part).map((path) => [name].concat(path))
  )
  const elements = whole["items"] === undefined ? [] : inPart(whole["items"]).map((path) => ["*"].concat(path))
  return [...properties, ...elements, ...parts.flatMap(inPart)]
}

const isAt = (name: string, key: string): boolean => name === "*" || name === key

/** Whether a value has a secret at a place. `null` removes one, and is none. */
const holds = (value: unknown, [name, ...rest]: SecretPath): boolean =>
  value !== null && value !== undefined &&
  (name === undefined || typeof value !== "object" ||
    Object.entries(value).some(([key, within]) => isAt(name, key) && holds(within, rest)))

/** The first place of a secret in a body; undefined without any. */
export const secretIn = (body: unknown, places: ReadonlyArray<SecretPath>): string | undefined =>
  places.find((place) => holds(body, place))?.filter((name) => name !== "*").join(".")

/** The text that replaces a secret. */
const mask = "***"

const maskedAt = (value: unknown, place: SecretPath): unknown => {
  const [name, ...rest] = place
  if (!holds(value, place)) return value
  if (name === undefined || typeof value !== "object" || value === null) return mask
  if (Array.isArray(value)) {
    return value.map((element, index) => isAt(name, String(index)) ? maskedAt(element, rest) : element)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, within]) => [key, isAt(name, key) ? maskedAt(within, rest) : within])
  )
}

/** A body with every secret masked. */
export const masked = (
  body: Readonly<Record<string, unknown>>,
  places: ReadonlyArray<SecretPath>
): Readonly<Record<string, unknown>> =>
  places.reduce((shown, place) => maskedAt(shown, place) as Readonly<Record<string, unknown>>, body)

/** A value that a request may have, in its query or its body. */
export interface Member {
  readonly name: string
  readonly description: string
  /** The JSON schema of its value, and of the elements of a list, with references resolved. */
  readonly schema: Node
  /** Whether it may be `null`, which clears it. */
  readonly isNullable: boolean
  /** Whether its value holds a secret, at any depth. */
  readonly isSecret: boolean
}

/** An operation of the contract, as a command needs it. */
export interface Operation {
  readonly id: string
  /** The chapter of the reference. */
  readonly chapter: string
  readonly summary: string
  readonly description: string
  readonly declaration: Declaration
  /** The parameters of the path, in order. */
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description: string; readonly example: string }>
  readonly members: ReadonlyArray<Member>
  /** Where its body holds secrets. */
  readonly secrets: ReadonlyArray<SecretPath>
  readonly example: Readonly<Record<string, unknown>>
  /** Its method of the client, and how that is called. */
  readonly client: ClientOperation & { readonly group: string; readonly name: string }
  /** The findings about a body, in the words of the service. */
  readonly findings: (body: unknown) => ReadonlyArray<FieldFinding>
}

/** The operations by their ids, in the order of the reference. */
export type Contract = ReadonlyMap<string, Operation>

/** The methods of the client by verb and path. */
const methods = new Map(
  Object.entries(clientTable).flatMap(([group, lines]) =>
    Object.entries<string>(lines).map(([name, line]) => {
      const operation = readOperation(line)
      return [`${operation.method} ${operation.path}`, { ...operation, group, name }] as const
    })
  )
)

const kebab = (name: string): string => name.replaceAll("_", "-")

/** The name of a path parameter: `license-id` for the `id` of a license. */
const parameterName = (path: string, name: string): string => {
  if (name !== "id") return kebab(name)
  const [, segment = ""] = /([\w-]+)\/\{id\}/.exec(path) ?? []
  return `${segment.replace(/ies$/, "y").replace(/s$/, "")}-id`
}

/** The method of the client for an operation. The client is written by a program, and may be older than the declarations. */
const methodOf = (id: string, call: `${string} ${string}`) => {
  const method = methods.get(call)
  if (method === undefined) throw new Error(`The client lacks ${id}: npm run client:contract writes it`)
  return method
}

/** Reads the contract from its declarations and its document. */
const read = (): Contract => {
  const document = openApiDocument("http://localhost:8080", "1")
  const endpoints = new Map<string, { readonly declaration: Declaration; readonly findings: Operation["findings"] }>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const body = bodySchemaOf(endpoint)
      endpoints.set(endpoint.identifier, {
        declaration: declarationOf(endpoint),
        findings: body === undefined ? () => [] : (value) => payloadFindings(body).of(value)
      })
    }
  })
  const schemaOf = (schema: Node): Node => resolved(document, schema)
  const memberOf = (name: string, description: string, given: Node): Member => {
    const whole = schemaOf(given)
    const parts: ReadonlyArray<Node> = whole["anyOf"] ?? [whole]
    const value = schemaOf(parts.find(({ type }) => type !== "null")!)
    return {
      name,
      description,
      schema: value["items"] === undefined ? value : { ...value, items: schemaOf(value["items"]) },
      isNullable: parts.some(({ type }) => type === "null"),
      isSecret: secretPaths(schemaOf, { properties: { [name]: given } }).length > 0
    }
  }
  const found = Object.entries<Node>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Node>(item).map(([verb, node]): readonly [string, Operation] => {
      const id: string = node["operationId"]
      const parameters: ReadonlyArray<Node> = (node["parameters"] ?? []).map(schemaOf)
      const media: Node | undefined = node["requestBody"]?.content["application/json"]
      const properties: Node = media === undefined ? {} : schemaOf(media["schema"])["properties"] ?? {}
      return [id, {
        id,
        chapter: node["tags"][0],
        summary: node["summary"],
        description: node["description"],
        ...endpoints.get(id)!,
        parameters: parameters.filter((parameter) => parameter["in"] === "path").map((parameter) => ({
          name: parameterName(path, parameter["name"]),
          description: parameter["description"],
          example: String(parameter["example"])
        })),
        members: [
          ...parameters.filter((parameter) => parameter["in"] === "query"),
          ...Object.entries<Node>(properties).map(([name, schema]): Node => ({
            name,
            description: schema["description"] ?? schemaOf(schema)["description"],
            schema
          }))
        ].map(({ description = "", name, schema }) => memberOf(name, description, schema)),
        secrets: media === undefined ? [] : secretPaths(schemaOf, media["schema"]),
        example: media?.["example"] ?? {},
        client: methodOf(id, `${verb.toUpperCase()} ${path}`)
      }]
    })
  )
  return new Map(found)
}

let known: Contract | undefined

/** The contract, read when it is first needed: that takes longer than most commands need to start. */
export const contract = (): Contract => known ??= read()
