import { headerNames } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { testType } from "../../../domain/delivery/webhooks/WebhookTest.ts"
import { errorGuide } from "../../../domain/ground/guides/ErrorGuide.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import { deliveries, testDelivery } from "../../delivery/Deliveries.ts"
import { introduction } from "./Introduction.ts"
import { kindTexts, typeTexts } from "./KindTexts.ts"
import { braces, isCode, operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { referred, resolved } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"
import { tagOf, tags } from "./Tags.ts"
import { listBounds, patternOf, valueWords } from "./ValueWords.ts"

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
