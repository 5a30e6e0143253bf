import { HttpApi, OpenApi } from "effect/http-api"
import { stringify } from "yaml"
import { catalog } from "../../domain/wire/Errors.ts"
import type { Code } from "../../domain/wire/Errors.ts"
import { Api } from "../api/Api.ts"
import { declarationOf } from "../api/Operation.ts"
import type { Declaration } from "../api/Operation.ts"

/** One operation as the documents describe it. */
export interface Operation {
  readonly operationId: string
  readonly group: string
  readonly method: string
  /** With `:name` for parameters, as declared. */
  readonly path: string
  readonly declaration: Declaration
  readonly successes: ReadonlyArray<number>
  readonly codes: ReadonlyArray<Code>
}

const isCode = (name: string): name is Code => Object.hasOwn(catalog, name)

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
        // A stream is not among the schemas that are reflected; its status is the usual one.
        successes: successes.size === 0 ? [200] : [...successes.keys()],
        codes: [
          ...new Set(
            [...errors.values()].flat().map((schema) => String(schema.ast.annotations?.["identifier"] ?? ""))
              .filter(isCode)
          )
        ].filter((code) => raises(code, endpoint.method, declarationOf(endpoint)))
      })
    }
  })
  return found
})()

/**
 * Whether an operation raises a code that its group declares: reads take no Idempotency-Key, most writes need none, and
 * questions ignore it.
 */
function raises(code: string, method: string, { answerKept, idempotencyKey }: Declaration): boolean {
  if (code === "IDEMPOTENCY_KEY_REQUIRED") return idempotencyKey === "required"
  if (answerKept === "none" && code.startsWith("IDEMPOTENCY_")) return false
  return method !== "GET" || !(code.startsWith("IDEMPOTENCY_") || code === "INVALID_HEADER")
}

const patterns = operations.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}/?$`)
}))

/** The methods that a path has, for the Allow header; none when no operation has the path. */
export const methodsOf = (path: string): ReadonlyArray<string> => {
  const methods = new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
  if (methods.has("GET")) methods.add("HEAD")
  return [...methods]
}

// The document is data of many shapes that is only ever walked and written.
type Node = { [member: string]: any }

const walk = (node: unknown, visit: (node: Node) => void): void => {
  if (typeof node !== "object" || node === null) return
  if (!Array.isArray(node)) visit(node)
  for (const value of Object.values(node)) walk(value, visit)
}

/** An example of a schema: its own, else one made from its members. */
const exampleOf = (schema: Node | undefined, components: Node): unknown => {
  if (schema === undefined) return undefined
  if (schema["$ref"] !== undefined) return exampleOf(components[String(schema["$ref"]).split("/").at(-1)!], components)
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["anyOf"])) return exampleOf(schema["anyOf"][0], components)
  if (Array.isArray(schema["allOf"]) && schema["type"] === undefined) return exampleOf(schema["allOf"][0], components)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema["properties"] ?? {}) as Node)
          .filter(([name]) => ((schema["required"] ?? []) as Array<string>).includes(name))
          .map(([name, member]) => [name, exampleOf(member, components)])
      )
    case "array":
      return [exampleOf(schema["items"], components)]
    case "integer":
    case "number":
      return schema["minimum"] ?? 0
    case "boolean":
      return true
    default:
      return "string"
  }
}

const tidyResponses = (operation: Node, { declaration, method }: Operation, components: Node): void => {
  for (const [status, response] of Object.entries(operation["responses"] as Node)) {
    const content = (response["content"] ?? {}) as Node
    for (const media of Object.values(content)) {
      const union = media.schema?.anyOf as Array<Node> | undefined
      if (union !== undefined && Number(status) >= 400) {
        media.schema.anyOf = union.filter((member) =>
          raises(String(member["$ref"]).split("/").at(-1)!, method, declaration)
        )
      }
      const left = media.schema?.anyOf as Array<Node> | undefined
      if (left?.length === 1) media.schema = left[0]
      if (left?.length === 0) delete operation["responses"][status]
    }
    if (Number(status) < 400) {
      for (const [type, media] of Object.entries(content)) {
        media.example = type === "application/json" && operation["x-example"] === undefined
          ? exampleOf(media.schema, components)
          : operation["x-example"]
      }
    } else {
      const refs: Array<string> = []
      walk(content, (node) => typeof node["$ref"] === "string" && refs.push(node["$ref"].split("/").at(-1)!))
      const names = refs.filter(isCode)
      response["description"] = names.map((name) => `${name}: ${catalog[name].meaning}`).join("\n")
      for (const media of Object.values(content)) {
        const name = names[0]
        if (name !== undefined) {
          media.example = {
            error: { code: name, message: catalog[name].meaning, doc_url: `/docs/errors#${name}` },
            meta: exampleOf({ $ref: "#/components/schemas/ResponseMeta" }, components)
          }
        }
      }
    }
  }
}

/** The OpenAPI 3.1 document, derived from the declarations. */
export const openApiDocument = (publicUrl: string, version: string): Node => {
  // Error schemas carry their codes as names; the generator marks them as the encoded side, which says nothing here.
  const document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)).replaceAll(/\b([A-Z_]+)Encoded\b/g, "$1")) as Node
  const components = document["components"]["schemas"] as Node
  document["info"] = {
    ...document["info"],
    version,
    license: { name: "Proprietary", url: `${publicUrl}/docs` },
    contact: { name: "Countersign", url: `${publicUrl}/docs` }
  }
  document["servers"] = [{ url: publicUrl }]
  const declarations = new Map(operations.map((operation) => [operation.operationId, operation]))
  for (const item of Object.values(document["paths"] as Node)) {
    for (const operation of Object.values(item as Node)) {
      const declared = declarations.get(operation["operationId"])!
      operation["x-example"] = declared.declaration.example
      tidyResponses(operation, declared, components)
      delete operation["x-example"]
      operation["x-error-codes"] = declared.codes
      if (declared.declaration.scope === "none") operation["security"] = []
      for (const media of Object.values((operation["requestBody"]?.content ?? {}) as Node)) {
        media.example = exampleOf(media.schema, components)
      }
    }
  }
  // Answers may grow members; only requests are closed.
  for (const [name, schema] of Object.entries(components)) {
    if (!name.endsWith("Request")) {
      walk(schema, (node) => node["additionalProperties"] === false && delete node["additionalProperties"])
    }
  }
  walk(document["paths"], (node) => node["additionalProperties"] === false && delete node["additionalProperties"])
  return document
}

/** The document as YAML. */
export const toYaml = (document: Node): string => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })

const braces = (path: string): string => path.replace(/:([^/]+)/g, "{$1}")

const intro = (publicUrl: string): string =>
  `# Countersign

> The licensing service that a software vendor runs: issue licenses, decide at run time whether a copy may run, and
> prove afterwards what happened. Base address: ${publicUrl}

- Management operations take \`Authorization: Bearer <token>\`; each needs one scope, and \`admin\` satisfies all.
- Runtime operations (\`/api/v1/license/...\`) take \`Authorization: License <license-key>\` and answer
  \`{data, signature, meta}\`: Ed25519 over the RFC 8785 canonical JSON of \`data\`; keys at /api/v1/system/public-keys.
- Success is \`{data, meta}\` (lists add \`page_info\`), failure \`{error: {code, message, detail?, fields?, doc_url}, meta}\`.
- Writes accept \`Idempotency-Key\`; lists take \`limit\` (1 to 200) and \`cursor\`.
- The contract: ${publicUrl}/openapi.yaml, as a page ${publicUrl}/docs, error codes ${publicUrl}/docs/errors
`

const groupsOf = (): ReadonlyArray<readonly [string, ReadonlyArray<Operation>]> => [
  ...Map.groupBy(operations, (operation) => operation.group)
]

/** A short text reference, one line an operation. */
export const llmsText = (publicUrl: string): string =>
  `${intro(publicUrl)}- The whole reference as text: ${publicUrl}/llms-full.txt\n\n${
    groupsOf().map(([group, members]) =>
      `## ${group}\n\n${
        members.map(({ declaration, method, path }) => `- \`${method} ${braces(path)}\`: ${declaration.summary}`).join(
          "\n"
        )
      }\n`
    ).join("\n")
  }`

/** The whole reference as text: scopes, examples and errors of every operation. */
export const llmsFullText = (publicUrl: string, document: Node): string => {
  const describe = (operation: Operation): string => {
    const node = document["paths"][braces(operation.path)][operation.method.toLowerCase()] as Node
    const lines = [
      `### ${operation.operationId}`,
      "",
      `\`${operation.method} ${braces(operation.path)}\` (scope: ${operation.declaration.scope})`,
      "",
      operation.declaration.summary + (operation.declaration.description === undefined
        ? "."
        : `. ${operation.declaration.description}`),
      ""
    ]
    for (const parameter of (node["parameters"] ?? []) as Array<Node>) {
      lines.push(
        `- ${parameter["in"]} \`${parameter["name"]}\`${parameter["required"] === true ? " (required)" : ""}: ${
          JSON.stringify(parameter["schema"])
        }`
      )
    }
    const request = node["requestBody"]?.content?.["application/json"]
    if (request !== undefined) lines.push("", "Request:", "```json", JSON.stringify(request.example, null, 2), "```")
    for (const status of operation.successes) {
      const media = node["responses"]?.[String(status)]?.content?.["application/json"]
      lines.push(
        "",
        media === undefined
          ? `Answers ${status}.`
          : `Answers ${status}:\n\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``
      )
    }
    if (operation.codes.length > 0) lines.push("", `Errors: ${operation.codes.join(", ")}`)
    return lines.join("\n")
  }
  const errors = Object.entries(catalog).map(([code, { meaning, status }]) => `- \`${code}\` (${status}): ${meaning}`)
  return `${intro(publicUrl)}\n${
    groupsOf().map(([group, members]) => `## ${group}\n\n${members.map(describe).join("\n\n")}\n`).join("\n")
  }\n## Errors\n\n${errors.join("\n")}\n`
}

const raisedBy = (code: Code): string => {
  const names = operations.filter(({ codes }) => codes.includes(code)).map(({ operationId }) => operationId)
  if (names.length === 0) return "Raised before any operation is found."
  return names.length > 12 ? `Raised by ${names.length} operations.` : `Raised by ${names.join(", ")}.`
}

/** The page that `doc_url` of an error leads to. */
export const errorPage = (): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Countersign: error codes</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #1b1f24 }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 .25rem } h2 span { color: #6a737d; font-weight: 400 }
:target { background: #fff8c5 } p { margin: 0 } .by { color: #6a737d; font-size: .875rem } a { color: #0a58ca }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } :target { background: #3b2f00 } a { color: #79b8ff } }
</style></head><body>
<h1>Error codes</h1>
<p>Every failure is <code>{error: {code, message, detail?, fields?, doc_url}, meta}</code>. Programs read
<code>code</code>. Quote <code>meta.request_id</code> when you ask for help. <a href="/docs">Reference</a></p>
${
    Object.entries(catalog).map(([code, { meaning, status }]) =>
      `<h2 id="${code}">${code} <span>${status}</span></h2><p>${meaning.replaceAll("`", "")}</p><p class="by">${
        raisedBy(code as Code)
      }</p>`
    ).join("\n")
  }
</body></html>
`
