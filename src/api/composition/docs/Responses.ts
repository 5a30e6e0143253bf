import { docUrl } from "../../../domain/ground/guides/ErrorGuide.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { isForApps } from "../../ground/Operation.ts"
import { isCode } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { reference, referred } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"

/**
 * The example of a schema: its own, or one made from the examples of its parts. `path` leads to the schema, as
 * `License.id`, and is named when there is none.
 */
export const exampleOf = (schema: Node, schemas: Node, path = "a response"): unknown => {
  const name = referred(schema)
  if (name !== undefined) return exampleOf(schemas[name], schemas, name)
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  if (schema["default"] !== undefined) return schema["default"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (Array.isArray(schema["anyOf"])) return exampleOf(schema["anyOf"][0], schemas, path)
  switch (schema["type"]) {
    case "object": {
      const required = new Set<string>(schema["required"] ?? [])
      return Object.fromEntries(
        Object.entries<Node>(schema["properties"] ?? {})
          .filter(([member]) => required.has(member))
          .map(([member, value]) => [member, exampleOf(value, schemas, `${path}.${member}`)])
      )
    }
    case "array":
      return [exampleOf(schema["items"], schemas, `${path}[]`)]
    case "integer":
    case "number":
      return schema["minimum"] ?? 0
    case "boolean":
      return true
    default:
      throw new TypeError(`${path} has no example: annotate its schema with \`examples\``)
  }
}

const header = (description: string, schema: Node, example: unknown): Node => ({ description, schema, example })

const text = { type: "string" }

/** The headers of answers. */
export const headers: Node = {
  "X-Request-Id": header(
    "The ID of the request, also in `meta.request_id`: the `x-request-id` of the request, otherwise a new " +
      "one. Include it when you contact support.",
    text,
    "req_06eqpx1trxz3h94vqjm3a6kz7c"
  ),
  "Retry-After": header(
    "Seconds to wait before the next try (RFC 9110 section 10.2.3).",
    { type: "integer", format: "int32", minimum: 1, maximum: 86_400 },
    1
  ),
  "RateLimit": header(
    "The limit that applies, what remains of it (`r`), and in how many seconds it resets (`t`).",
    text,
    "\"token\";r=0;t=1"
  ),
  "RateLimit-Policy": header(
    "The limit: how many requests (`q`) in how many seconds (`w`).",
    text,
    "\"token\";q=200;w=2"
  ),
  "Idempotency-Replayed": header(
    "`true` if this is the stored response to an earlier request with the same Idempotency-Key; absent " +
      "otherwise.",
    { type: "string", enum: ["true"] },
    "true"
  ),
  "ETag": header(
    "Identifies this version of the content. For a document or file, send it as `If-None-Match` to get 304 " +
      "if the content has not changed. For a resource, send it as `If-Match` to change only the version that " +
      "you read. It covers the fields that management can change, so it does not change while apps use the " +
      "resource.",
    text,
    "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\""
  ),
  "Cache-Control": header("How long the response may be cached, and by whom.", text, "public, max-age=60"),
  "Content-Disposition": header(
    "The name of the file (RFC 6266).",
    text,
    "attachment; filename=\"usage-summary-2026-11-21-m3a6kz7c.csv\""
  ),
  "Content-Range": header("Which bytes of how many these are.", text, "bytes 0-1023/4096"),
  "Accept-Ranges": header("Always `bytes`.", text, "bytes")
}

/** References to headers of answers. */
const sent = (...names: ReadonlyArray<string>): Node =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const pascal = (code: string): string =>
  code.toLowerCase().split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** Codes that are raised together, under one name. */
const together: ReadonlyArray<readonly [string, ReadonlyArray<Code>]> = [
  ["Unauthenticated", ["UNAUTHENTICATED", "TOKEN_EXPIRED", "TOKEN_REVOKED", "TOKEN_IP_DENIED", "PERSON_MISMATCH"]],
  ["InvalidBody", ["INVALID_JSON", "UNKNOWN_FIELD", "INVALID_HEADER"]],
  ["InvalidPage", ["INVALID_QUERY", "INVALID_CURSOR"]],
  ["IdempotencyConflict", ["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_FLIGHT"]],
  ["MayNotRun", [
    "PRODUCT_MISMATCH",
    "LICENSE_INACTIVE",
    "LICENSE_EXPIRED",
    "DEVICE_BLACKLISTED",
    "VM_NOT_ALLOWED",
    "CONTAINER_NOT_ALLOWED"
  ]],
  ["MayNotDeactivate", ["PRODUCT_MISMATCH", "LICENSE_INACTIVE", "DEVICE_BLACKLISTED"]]
]

/** The name of the response that some codes share. */
const nameOf = (codes: ReadonlyArray<Code>): string => {
  const left = new Set(codes)
  const names: Array<string> = []
  for (const [name, group] of together) {
    if (!group.every((code) => left.has(code))) continue
    for (const code of group) left.delete(code)
    names.push(name)
  }
  return [...[...left].map(pascal), ...names].join("Or")
}

const errorExample = (code: Code, publicUrl: string, schemas: Node): Node => ({
  error: { code, message: catalog[code].meaning, doc_url: docUrl(publicUrl, code) },
  meta: exampleOf(reference("ResponseMeta"), schemas)
})

/** The response of a status with which an operation raises some codes. */
const failure = (codes: ReadonlyArray<Code>, publicUrl: string, schemas: Node): Node => {
  const status = catalog[codes[0]!].status
  return {
    description: codes.map((code) => `\`${code}\`: ${catalog[code].meaning}`).join("\n\n"),
    headers: sent(
      "X-Request-Id",
      ...status === 429 ? ["Retry-After", "RateLimit", "RateLimit-Policy"] : status === 503 ? ["Retry-After"] : [],
      ...status === 416 ? ["Content-Range"] : []
    ),
    content: {
      "application/json": { schema: reference("ErrorEnvelope"), example: errorExample(codes[0]!, publicUrl, schemas) }
    }
  }
}

/** The description of each successful status. */
const saidOf = (status: string, { declaration, method }: Operation): string => {
  if (status === "204") return "Done. There is no body."
  if (status === "503") return "Not ready: send requests elsewhere."
  if (status === "201") return "Created."
  if (isForApps(declaration)) return "Granted. If there is a `signature`, it covers `data`."
  return method === "GET" ? "As asked." : "Done."
}

const notModified = { description: "The caller has it: `If-None-Match` names it. There is no body." }

/** The bytes of a file, by its media type. */
const fileSchema = (type: string): Node => {
  if (type.startsWith("application/json")) {
    return { type: "object", additionalProperties: true, description: "The report, as canonical JSON (RFC 8785)." }
  }
  return type.startsWith("text/")
    ? { type: "string", description: "Rows of text (RFC 4180)." }
    : { type: "string", format: "binary", description: "The bytes of the file." }
}

const octets = "application/octet-stream"

const fileExamples: Readonly<Record<string, unknown>> = {
  [octets]: "\u0000",
  "application/json": { schema: "countersign/report/usage-summary/v1", as_of_sequence: 4711 },
  "application/pdf": "%PDF-1.7",
  "application/zip": "PK",
  "text/csv; charset=utf-8": "bucket,uses,amount,first_at,last_at\r\n"
}

const fileContent = (content: Node): Node =>
  Object.fromEntries(
    Object.keys(content).map((type) => [type, {
      schema: fileSchema(type),
      example: fileExamples[type]
    }])
  )

/** Whether a schema is that of one error code; the generator names it after its encoded side. */
export const isErrorSchema = (name: string): boolean => isCode(name.replace(/Encoded$/, ""))

/** The responses of an operation; those that several share are put among the components. */
export const responsesOf = (node: Node, operation: Operation, document: Node, publicUrl: string): Node => {
  const { components } = document
  const { codes, declaration, method } = operation
  const responses: Node = {}
  const always = [
    "X-Request-Id",
    ...method !== "GET" && declaration.answerKept !== "none" ? ["Idempotency-Replayed"] : []
  ]
  for (const status of operation.successes.map(String)) {
    const { content } = node["responses"][status]
    const isFile = declaration.conditional === "file"
    const cached = isFile || declaration.conditional === "document" ? ["ETag", "Cache-Control"] : []
    const tag = declaration.conditional === "resource" && method !== "DELETE" ? ["ETag"] : []
    const file = isFile ? ["Content-Disposition", "Accept-Ranges"] : []
    const isBytes = isFile || content?.[octets] !== undefined
    const kept = isBytes && !isFile ? ["Cache-Control"] : []
    responses[status] = {
      description: saidOf(status, operation),
      headers: sent(...always, ...cached, ...kept, ...tag, ...file),
      ...(content === undefined ? {} : { content: isBytes ? fileContent(content) : content })
    }
    if (cached.length > 0) responses["304"] = { ...notModified, headers: sent("X-Request-Id", ...cached) }
    if (isFile) {
      responses["206"] = {
        description: "The requested range.",
        headers: sent("X-Request-Id", ...cached, ...file, "Content-Range"),
        content: fileContent(content)
      }
    }
    for (const media of Object.values<Node>(isBytes ? {} : content ?? {})) {
      // The generator knows only the error of a status that is both a success and an error.
      if (isErrorSchema(referred(media["schema"]) ?? "")) {
        const [first] = operation.successes
        const answer = node["responses"][String(first)].content["application/json"].schema
        media["schema"] = { anyOf: [answer, reference("ErrorEnvelope")] }
      }
      media["example"] = declaration.example ??
        exampleOf(media["schema"], components.schemas, `the response of ${operation.operationId}`)
    }
  }
  for (const [status, group] of Map.groupBy(codes, (code) => catalog[code].status)) {
    // For readyz, 503 is not an error.
    if (responses[status] !== undefined) continue
    const sorted = (Object.keys(catalog) as Array<Code>).filter((code) => group.includes(code))
    const name = nameOf(sorted)
    components.responses[name] ??= failure(sorted, publicUrl, components.schemas)
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return Object.fromEntries(Object.entries(responses).toSorted(([a], [b]) => Number(a) - Number(b)))
}

/** The name that an answer of several operations is shared under: that of its schema, or of its status. */
const sharedName = (status: string, response: Node): string | undefined => {
  const bare: Readonly<Record<string, string>> = { "204": "NoContent", "304": "NotModified" }
  return bare[status] ?? referred(response["content"]?.["application/json"]?.schema ?? {})
}

/** Puts the answers that several operations give in the same words among the components. */
export const shareResponses = (document: Node, nodes: ReadonlyArray<Node>): void => {
  const { responses: shared } = document["components"]
  const all = nodes.flatMap((node) =>
    Object.entries<Node>(node["responses"]).flatMap(([status, response]) => {
      const name = sharedName(status, response)
      return name === undefined ? [] : [{ node, status, name, text: JSON.stringify(response) }]
    })
  )
  for (const group of Map.groupBy(all, ({ text }) => text).values()) {
    const { name, text } = group[0]!
    if (group.length < 2 || shared[name] !== undefined) continue
    shared[name] = JSON.parse(text)
    for (const { node, status } of group) node["responses"][status] = { $ref: `#/components/responses/${name}` }
  }
}
