import { testType } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import { headerNames } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { errorGuide } from "../../../domain/ground/guides/ErrorGuide.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { deliveries, testDelivery } from "../../delivery/Webhooks.ts"
import { introduction } from "./GuideLinks.ts"
import { kindTexts, typeTexts } from "./KindTexts.ts"
import { braces, isCode, operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { referred, resolved } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"
import { tagOf, tags } from "./Tags.ts"

const intro = (publicUrl: string): string =>
  `# Countersign

> A self-hosted licensing service for software vendors: issue license keys, validate them at runtime, and prove
> every change afterwards. Base URL: ${publicUrl}

- Management operations take \`Authorization: Bearer <token>\`; each needs its scopes, usually one. \`admin\` satisfies every scope; a write scope satisfies the matching read scope.
- Runtime operations (\`/api/v1/license/...\`) take \`Authorization: License <license-key>\` and return
  \`{data, signature, meta}\`: Ed25519 over the RFC 8785 canonical JSON of \`data\`; keys at /api/v1/system/public-keys.
- Apps open trials (\`POST /api/v1/license/trials\`) with \`Authorization: Bearer <publishable-key>\`.
- Success is \`{data, meta}\` (lists add \`page_info\`), failure \`{error: {code, message, detail?, fields?, doc_url}, meta}\`.
- Writes accept \`Idempotency-Key\`; lists take \`limit\` (1 to 200) and \`cursor\`.
- The contract: ${publicUrl}/openapi.yaml, as pages ${publicUrl}/docs, error codes ${publicUrl}/docs/errors
`

const groupsOf = (): ReadonlyArray<readonly [string, ReadonlyArray<Operation>]> => [
  ...Map.groupBy(operations, (operation) => operation.group)
]

/** A short text reference with one line for each operation. */
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

/** Longer patterns would say less than the description does. */
const longestPattern = 48

/** No text of the service contains NUL, so that a pattern which only says so is none. */
const anyText = "^[^\\x00]*$"

/** The pattern of a text, where it says what its description and its format do not. */
export const patternOf = ({ format, pattern }: Node): string | undefined =>
  format !== undefined || pattern === undefined || pattern === anyText || pattern.length > longestPattern
    ? undefined
    : pattern

/** How many there may be, `1 to 20`; empty where nothing is said. */
const countWords = (least: number | undefined, most: number | undefined): string =>
  most === undefined ? "" : least === most ? `${most}` : `${least ?? 0} to ${most}`

/** How many a list may have: `, 0 to 20 of them, no two alike`. */
export const listBounds = ({ maxItems, minItems, uniqueItems }: Node): string =>
  `${maxItems === undefined ? "" : `, ${countWords(minItems, maxItems)} of them`}${
    uniqueItems === true ? ", no two alike" : ""
  }`

/** A value without parts, in few words: `integer, 1 to 200`, `string, 1 to 64 characters, date-time`. */
export const valueWords = ({ format, maxLength, maximum, minLength, minimum, type }: Node): string => {
  switch (type) {
    case "integer":
    case "number":
      return `${type}${minimum === undefined ? "" : `, ${minimum} to ${maximum ?? "any"}`}`
    case "string":
      return `string${maxLength === undefined ? "" : `, ${countWords(minLength, maxLength)} characters`}${
        format === undefined ? "" : `, ${format}`
      }`
    default:
      return String(type ?? "any value")
  }
}

/** The guides that belong into the text whole, in the order in which an integration is written. */
export const includedGuides: ReadonlyArray<string> = [
  "tutorial/quick-start.md",
  "how-to/meter-usage.md",
  "how-to/float-in-an-office.md",
  "how-to/work-offline.md",
  "how-to/receive-webhooks.md",
  "how-to/audit-and-file.md",
  "reference/runtime.md",
  "reference/offline.md",
  "reference/webhooks.md",
  "reference/reports.md",
  "reference/exports.md"
]

const deliveryHeaders: ReadonlySet<string> = new Set(Object.values(headerNames))

/** A value in few words: `integer, 1 to 200`, `string, 1 to 64 characters`, `"a" or "b"`, a schema's name. */
const typeOf = (document: Node, schema: Node): string => {
  const whole = resolved(document, schema)
  const { enum: values } = whole
  if (values !== undefined) {
    const name = referred(schema)
    return name !== undefined && values.length > 12
      ? name
      : values.map((value: unknown) => JSON.stringify(value)).join(" or ")
  }
  const name = referred(schema)
  if (name !== undefined) return name
  if (schema["anyOf"] !== undefined) return schema["anyOf"].map((option: Node) => typeOf(document, option)).join(" or ")
  if (whole["type"] === "array") return `list of ${typeOf(document, whole["items"])}${listBounds(whole)}`
  const pattern = patternOf(whole)
  return `${valueWords(whole)}${pattern === undefined ? "" : `, of the pattern ${pattern}`}`
}

/** The members of an object, a line each; those of objects without a name of their own stand below, further in. */
const membersOf = (document: Node, schema: Node, mark: string, indent = ""): ReadonlyArray<string> => {
  const required = new Set<string>(schema["required"] ?? [])
  return Object.entries<Node>(schema["properties"] ?? {}).flatMap(([name, member]) => {
    const initial = member["default"] === undefined ? "" : `, ${JSON.stringify(member["default"])} by default`
    const line = `${indent}- \`${name}\`${required.has(name) ? ` (${mark})` : ""}: ${
      typeOf(document, member)
    }${initial}. ${member["description"] ?? ""}`
    return [line.trimEnd()].concat(membersOf(document, member["items"] ?? member, mark, `${indent}  `))
  })
}

/** Whether a schema is only what stands around `data`. */
const isEnvelope = (name: string, schema: Node): boolean =>
  name.endsWith("Delivery") || ["data", "meta"].every((member) => Object.hasOwn(schema["properties"] ?? {}, member))

/** The schemas that are told once: what requests, answers and deliveries are made of. */
const schemasOf = (document: Node): ReadonlyArray<string> =>
  Object.entries<Node>(document["components"].schemas).filter(([name, schema]) => !isEnvelope(name, schema))
    .map(([name, schema]) => {
      const values = schema["enum"] === undefined
        ? []
        : [`One of: ${schema["enum"].map((value: unknown) => JSON.stringify(value)).join(", ")}`]
      const union = schema["anyOf"] === undefined ? [] : [typeOf(document, schema)]
      return [
        `### ${name}`,
        "",
        schema["description"] ?? "",
        "",
        ...values,
        ...union,
        ...membersOf(document, schema, /Request$|Row$/.test(name) ? "required" : "always"),
        ""
      ].join("\n")
    })

const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``

/** The `data` of a response: the name of its schema, or a list of it. */
const dataOf = (document: Node, schema: Node): string => {
  // The second of two is the envelope of errors.
  const { data } = resolved(document, schema["anyOf"]?.[0] ?? schema)["properties"] ?? {}
  return data === undefined ? typeOf(document, schema) : typeOf(document, data)
}

const parameterText = (document: Node, parameter: Node): string =>
  `- ${parameter["in"]} \`${parameter["name"]}\`${parameter["required"] === true ? " (required)" : ""}: ${
    typeOf(document, parameter["schema"])
  }. ${parameter["description"]}`

/** A parameter that is told elsewhere: its name, and whether it may be left out. */
const taken = (parameter: Node): string =>
  `\`${parameter["name"]}\`${parameter["in"] !== "path" && parameter["required"] === true ? " (required)" : ""}`

const operationText = (document: Node, operation: Operation): string => {
  const { codes, declaration, method, operationId, path, successes } = operation
  const node = document["paths"][braces(path)][method.toLowerCase()] as Node
  const given = (node["parameters"] ?? []) as ReadonlyArray<Node>
  const shared = given.filter((parameter) => parameter["$ref"] !== undefined).map((parameter) =>
    resolved(document, parameter)
  )
  const own = given.filter((parameter) => parameter["$ref"] === undefined)
  const request = node["requestBody"]?.content?.["application/json"]
  const answers = successes.flatMap((status) => {
    const content: Node = resolved(document, node["responses"][String(status)]).content ?? {}
    const [[media, { example, schema }] = ["", {}]] = Object.entries<Node>(content)
    if (media !== "application/json" || schema === undefined) {
      return [`Returns ${status}${media === "" ? "" : `, ${media}`}.`]
    }
    return [`Returns ${status}: \`data\` is ${dataOf(document, schema)}.`, block(example)]
  })
  return [
    `### ${operationId}`,
    "",
    `\`${method} ${braces(path)}\` (scope: ${[declaration.scope, ...declaration.alsoNeeds ?? []].join(", ")})`,
    "",
    declaration.description,
    "",
    ...(shared.length === 0 ? [] : [`Takes ${shared.map(taken).join(", ")} (see Parameters).`]),
    ...own.map((parameter) => parameterText(document, parameter)),
    ...(request === undefined ? [] : [`Body: ${typeOf(document, request.schema)}.`, block(request.example)]),
    ...answers,
    ...(codes.length === 0 ? [] : [`Errors: ${codes.join(", ")}`]),
    ""
  ].join("\n")
}

const chapterText = (document: Node, name: string): string =>
  [
    `## ${name}`,
    "",
    ...operations.filter(({ group }) => tagOf(group) === name).map((operation) => operationText(document, operation))
  ].join("\n")

const errorTexts = (): ReadonlyArray<string> =>
  Object.entries(catalog).flatMap(([code, { meaning, status }]) =>
    isCode(code) ? [`- \`${code}\` (${status}): ${meaning} ${errorGuide[code].cure}`] : []
  )

const eventTexts = (document: Node): ReadonlyArray<string> => {
  const dataOf = (name: string) => referred(document["components"].schemas[name].properties.data)
  return [
    ...deliveries.map(({ kind, name }) => `- \`${kind}\`: ${kindTexts[kind]} \`data\` is ${dataOf(name)}.`),
    `- \`"${testType}"\`: ${typeTexts[testType]} \`data\` is ${dataOf(testDelivery.name)}.`
  ]
}

/** A guide one level down, because its headings stand below one of this text. */
const lowered = (markdown: string): string =>
  markdown.split(/(^```[\s\S]*?^```$)/m).map((part) => part.startsWith("```") ? part : part.replaceAll(/^#/gm, "##"))
    .join("")
    // Links between files lead nowhere here: their words stay.
    .replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, "$1")

/**
 * Everything that somebody needs who has nothing but this text: how it works, the guides, each operation with its
 * parameters, bodies and errors, each schema once, each kind of event, each error with its cure.
 */
export const llmsFullText = (publicUrl: string, document: Node, guides: ReadonlyArray<string>): string =>
  [
    "# Countersign",
    "",
    `Base URL: ${publicUrl}`,
    "",
    introduction(publicUrl),
    "",
    "# Guides",
    "",
    ...guides.map(lowered),
    "# Operations",
    "",
    "`scope` is what the management token needs; `any`: any token; `license`: the license key instead; " +
    "`publishable`: the publishable key of a product; `none`: no credential.",
    "",
    ...tags.map(({ name }) => chapterText(document, name)),
    "# Parameters",
    "",
    "Parameters that several operations have. If two have the same name, see the description.",
    "",
    ...Object.values<Node>(document["components"].parameters).filter((parameter) =>
      !deliveryHeaders.has(parameter["name"])
    )
      .map((parameter) => parameterText(document, parameter)),
    "",
    "# Schemas",
    "",
    "Fields that are not marked as required may be absent. In responses no field is null, except " +
    "`next_cursor`.",
    "",
    ...schemasOf(document),
    "# Event types",
    "",
    "A delivery is `{id, type, event_type, sequence, created_at, data}`.",
    "",
    "Headers of each delivery:",
    "",
    ...Object.values<Node>(document["components"].parameters).filter((parameter) =>
      deliveryHeaders.has(parameter["name"])
    )
      .map((parameter) => parameterText(document, parameter)),
    "",
    ...eventTexts(document),
    "",
    "# Errors",
    "",
    ...errorTexts(),
    ""
  ].join("\n")
