// Writes what the client and the console know of the contract, which git does not keep: the types, by a generator of
// packages/contract, and from the same document the methods and the table they are made from, and from the declarations what
// the console says before a write. `npm ci` does it, and whatever reads the files where the declarations have changed since
// (build/freshContract.mjs); `npm run client:contract` does it in any case.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openApiDocument } from "../src/api/composition/docs/OpenApi.ts"
import { operations } from "../src/api/composition/docs/Operations.ts"
import { policyDefaults } from "../src/domain/catalog/Policy.ts"
import { contractRecord, digest, packages, record, stamps } from "../src/runtime/startBundle.mjs"
import { clientName } from "./clientNames.ts"
import { neededBy } from "./imports.ts"

type Node = ReturnType<typeof openApiDocument>

const head =
  "// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.\n"

/** One operation, as the client has it. */
interface Method {
  readonly id: string
  readonly group: string
  readonly name: string
  readonly verb: string
  readonly path: string
  readonly parameters: ReadonlyArray<string>
  /**
   * The type of the body or the query, if it takes one, and whether it must be given. The members of a body that may be
   * left out are among the options of the call.
   */
  readonly input:
    | { readonly type: string; readonly isRequired: boolean; readonly place: "body" | "query" | "options" }
    | undefined
  readonly credential: "token" | "licenseKey" | "publishableKey" | "none"
  readonly isIdempotent: boolean
  readonly kind: "data" | "page" | "none" | "whole" | "text" | "file"
  /** The type of the answer's body. */
  readonly answer: string
  readonly codes: ReadonlyArray<string>
  readonly text: string
}

const credentials = { bearer: "token", license: "licenseKey", publishable: "publishableKey" } as const

/** A name as the generator of the types writes it. */
const pascal = (id: string): string =>
  (id[0]!.toUpperCase() + id.slice(1)).replaceAll(/[A-Z]{2,}(?=[A-Z][a-z])/g, lower)

const lower = (letters: string): string => letters[0] + letters.slice(1).toLowerCase()

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The noun of a path parameter that is called `id` alone: that of the segment before it. */
const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/(?:([\w-]+)\/)?\{(\w+)\}/g)].map(([, before = "", name = ""]) =>
    name !== "id"
      ? camel(name)
      : `${camel(before.replaceAll("-", "_")).replace(/^people$/, "person").replace(/ies$/, "y").replace(/s$/, "")}Id`
  )

const resolver = (document: Node) => (node: Node): Node =>
  node["$ref"] === undefined ? node : document["components"][node["$ref"].split("/")[2]][node["$ref"].split("/")[3]]

/** The type of a schema that has a name, as every body has. */
const typeOf = (schema: Node): string => {
  if (schema["$ref"] === undefined) throw new Error(`A body has a schema without a name: ${JSON.stringify(schema)}`)
  return `types.${pascal(schema["$ref"].split("/").at(-1))}`
}

/** What comes back: the type of the body of a success, and of what kind it is. */
const answerOf = (success: ReadonlyArray<Node>): Pick<Method, "kind" | "answer"> => {
  const contents = success.flatMap(({ content = {} }) => Object.entries<Node>(content))
  if (contents.length === 0) return { kind: "none", answer: "{ readonly data: void }" }
  if (contents.some(([, { schema }]) => schema.additionalProperties === true || schema.format === "binary")) {
    return { kind: "file", answer: "{ readonly data: Response }" }
  }
  const [[, { schema }]] = contents as [[string, Node]]
  if (schema["$ref"] === undefined) return { kind: "text", answer: "{ readonly data: string }" }
  const answer = schema["$ref"].split("/").at(-1)
  return { kind: "data", answer: success.some(({ content }) => content === undefined) ? `Perhaps<${answer}>` : answer }
}

const methodsOf = (document: Node): ReadonlyArray<Method> => {
  const resolved = resolver(document)
  return Object.entries<Node>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Node>(item).map(([verb, operation]): Method => {
      const id: string = operation["operationId"]
      const [group, name] = clientName(id)
      const parameters: ReadonlyArray<Node> = (operation["parameters"] ?? []).map(resolved)
      const query = parameters.filter((parameter) => parameter["in"] === "query")
      const body = operation["requestBody"]
      const input = body !== undefined
        ? {
          type: typeOf(body.content["application/json"].schema),
          isRequired: body.required === true,
          place: body.required === true ? "body" as const : "options" as const
        }
        : query.length > 0
        ? {
          type: `NonNullable<types.${pascal(id)}Data["query"]>`,
          isRequired: query.some(({ required }) => required === true),
          place: "query" as const
        }
        : undefined
      const success = Object.entries<Node>(operation["responses"]).flatMap(([status, response]) =>
        status < "300" ? [resolved(response)] : []
      )
      const scheme = Object.keys(operation["security"]?.[0] ?? {})[0] as keyof typeof credentials | undefined
      const key = parameters.find((parameter) => parameter["name"].toLowerCase() === "idempotency-key")
      const found = answerOf(success)
      const schema = found.kind === "data" ? document["components"]["schemas"][found.answer] : undefined
      const kind = schema === undefined || schema.properties?.data !== undefined ? found.kind : "whole"
      const isPage = schema?.properties?.page_info !== undefined
      const answer = found.answer.replace(/\w+(?=>?$)/, (type) => /^[A-Z]/.test(type) ? `types.${pascal(type)}` : type)
      return {
        id,
        group,
        name,
        verb: verb.toUpperCase(),
        path,
        parameters: parameterNames(path),
        input,
        credential: scheme === undefined ? "none" : credentials[scheme],
        isIdempotent: key !== undefined && !/ignored/i.test(key["description"]),
        kind: isPage ? "page" : kind,
        answer: kind === "whole" ? `{ readonly data: ${answer} }` : answer,
        codes: operation["x-error-codes"] ?? [],
        text: [operation["summary"] + ".", ...operation["description"] === undefined ? [] : [operation["description"]]]
          .join("\n\n")
      }
    })
  )
}

/**
 * The document as types are made from it: failures have one type, and their codes stand in a table of their own. The requests of
 * webhooks are what a receiver's router would be typed by; their bodies, the deliveries, are schemas of the document anyway.
 */
const withoutFailures = (document: Node): Node => {
  const paths = Object.entries<Node>(document["paths"]).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries<Node>(item).map(([verb, operation]) => [verb, {
        ...operation,
        responses: Object.fromEntries(Object.entries(operation["responses"]).filter(([status]) => status < "400"))
      }])
    )
  ])
  const { webhooks: _, ...others } = document
  return { ...others, paths: Object.fromEntries(paths) }
}

const byGroup = (methods: ReadonlyArray<Method>): ReadonlyArray<readonly [string, ReadonlyArray<Method>]> =>
  Object.entries(Object.groupBy(methods, ({ group }) => group)).map(([group, of = []]) => [group, of])

/** What the methods do, for the program: one line of words each, as operations.gen.ts explains them. */
const tableOf = (methods: ReadonlyArray<Method>): string =>
  head + `
/**
 * Every operation by its group and its method: verb, path, what names the caller, what it answers, whether it takes a body
 * or a query or has its body among the options, and whether it takes an Idempotency-Key.
 */
export const operations = {
${
    byGroup(methods).map(([group, of]) =>
      `  ${group}: {\n${
        of.map((method) => {
          const words = [
            method.verb,
            method.path,
            method.credential,
            method.kind,
            method.input?.place ?? "-",
            method.isIdempotent ? "key" : "-"
          ]
          return `    ${method.name}: "${words.join(" ")}"`
        }).join(",\n")
      }\n  }`
    ).join(",\n")
  }
} as const
`

/** What the writes do that ask first, by operation, with the summary of the operation that takes one back. */
const consequencesOf = (): string => {
  const summaryOf = (id: string | undefined) =>
    operations.find(({ operationId }) => operationId === id)?.declaration.summary
  const asking = operations.flatMap(({ declaration: { consequence, consequenceOf, risk, undo }, operationId }) =>
    consequence === undefined && consequenceOf === undefined
      ? []
      : [[operationId, { consequence, consequenceOf, undo: summaryOf(undo), risk }]]
  )
  return head + `
/** What the writes do that ask first, by operation: sentences, the operation that takes one back, and whether none does. */
export const consequences = ${JSON.stringify(Object.fromEntries(asking), null, 2)} as const
`
}

const documented = (text: string, indent: string): string =>
  [`${indent}/**`, ...text.split("\n").map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join("\n")
    .replaceAll(/[*]\/(?=.)/g, "*\\/")

const signatureOf = (method: Method): string => {
  const parameters = [
    ...method.parameters.map((name) => `${name}: string`),
    ...method.input === undefined || method.input.place === "options"
      ? []
      : [`${method.input.place}${method.input.isRequired ? "" : "?"}: ${method.input.type}`],
    `options?: CallOptions${method.input?.place === "options" ? ` & ${method.input.type}` : ""}`
  ]
  const call = method.kind === "page" ? "ListCall" : "Call"
  return `  ${method.name}(${parameters.join(", ")}): ${call}<${method.answer}, ErrorCodes["${method.id}"]>`
}

/** The callers of an operation, and whether it writes: operations of one kind have most of their codes in common. */
const kindOf = ({ credential, verb }: Method): string =>
  `${{ token: "Token", licenseKey: "License", publishableKey: "Trial", none: "Open" }[credential]}${
    verb === "GET" ? "Read" : "Write"
  }Codes`

/** The codes of each kind of operation that all operations of that kind can answer. */
const commonCodes = (methods: ReadonlyArray<Method>): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(methods, kindOf)).map(([kind, of = []]) => [
      kind,
      of[0]!.codes.filter((code) => of.every(({ codes }) => codes.includes(code)))
    ])
  )

const unionOf = (codes: ReadonlyArray<string>): string => codes.map((code) => `"${code}"`).join(" | ") || "never"

const errorCodesOf = (methods: ReadonlyArray<Method>): string => {
  const common = commonCodes(methods)
  const lines = methods.map((method) => {
    const kind = kindOf(method)
    const own = method.codes.filter((code) => !common[kind]!.includes(code))
    return `  readonly ${method.id}: ${own.length === 0 ? kind : `${kind} | ${unionOf(own)}`}`
  })
  return `${Object.entries(common).map(([kind, codes]) => `type ${kind} = ${unionOf(codes)}`).join("\n")}

/** The codes that each operation can answer, by its id in the OpenAPI document. */
export interface ErrorCodes {
${lines.join("\n")}
}
`
}

const resourcesOf = (methods: ReadonlyArray<Method>): string =>
  head + `
import type { Call, CallOptions, ListCall, Perhaps } from "./Call.ts"
import type * as types from "./types.gen.ts"

${errorCodesOf(methods)}
${
    byGroup(methods).map(([group, of]) =>
      `export interface ${pascal(group)}Api {\n${
        of.map((method) => `${documented(method.text, "  ")}\n${signatureOf(method)}`).join("\n")
      }\n}`
    ).join("\n\n")
  }

/** Every operation of the contract, by its noun and its verb. */
export interface Resources {
${byGroup(methods).map(([group]) => `  readonly ${group}: ${pascal(group)}Api`).join("\n")}
}
`

/** The properties of a member of a request that the console makes its control by. */
const controlOf = (document: Node, name: string, node: Node, usual: unknown): Node => {
  const inner = resolver(document)((node["anyOf"] ?? [node]).find(({ type }: Node) => type !== "null"))
  const { enum: own, items, pattern, type } = inner
  // Of a list of numbers it is the bounds of each.
  const { maximum: max, minimum: min } = type === "array" ? resolver(document)(items) : inner
  const values = type === "array" ? resolver(document)(items).enum : own
  const kind = type === "array"
    ? (values === undefined ? "numbers" : "list")
    : values !== undefined
    ? "enum"
    : type === "integer"
    ? "number"
    : type === "object"
    ? "json"
    : type === "boolean"
    ? "boolean"
    : name.endsWith("duration")
    ? "duration"
    : name.endsWith("overage")
    ? "overage"
    : "text"
  return {
    kind,
    help: String(node["description"] ?? inner["description"]).replace(" `null` clears it.", ""),
    isOptional: node["anyOf"] !== undefined,
    ...(usual === undefined || usual === null ? {} : { default: String(usual) }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(values === undefined ? {} : { values })
  }
}

/** The members of a policy that can be entered, for the form of the console. */
const policyFieldsOf = (document: Node): string => {
  const { PolicyCreateRequest, PolicyUpdateRequest } = document["components"].schemas
  const names = Object.keys(PolicyCreateRequest.properties).filter((name) => name !== "dry_run")
  const missing = names.filter((name) => PolicyUpdateRequest.properties[name] === undefined)
  if (missing.length > 0) throw new Error(`updatePolicy does not take ${missing.join(", ")}`)
  const usual: Readonly<Record<string, unknown>> = { ...policyDefaults, metadata: "{}" }
  const fields = names.map((name) =>
    [name, controlOf(document, name, PolicyCreateRequest.properties[name], usual[name])] as const
  )
  return head + `
/** The members of createPolicy and updatePolicy, with what may be entered. */
export const policyFields = ${JSON.stringify(Object.fromEntries(fields), null, 2)} as const
`
}

const root = join(import.meta.dirname, "..")

const generator = "packages/contract/types.mjs"

/** Whether the generator of the types is installed: a start needs no types, and `npm ci --omit=dev` leaves it out. */
const hasGenerator = existsSync(join(root, "node_modules/@hey-api/openapi-ts"))

/** The bodies of webhooks, as one type. */
const deliveriesOf = (document: Node): string => {
  const bodies = Object.values<Node>(document["webhooks"]).flatMap((item) =>
    Object.values<Node>(item).map(({ requestBody }) => typeOf(requestBody.content["application/json"].schema))
  )
  return `
/** Whatever a webhook delivers. */
export type Delivered = ${bodies.map((type) => type.slice("types.".length)).join(" | ")};
`
}

/** The types of the document. Throws when the generator fails. */
const typesOf = (document: Node): string => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-contract-"))
  try {
    const path = join(directory, "openapi.json")
    writeFileSync(path, JSON.stringify(withoutFailures(document)))
    const program = [join(root, generator), path, join(directory, "types")]
    const types = execFileSync(process.execPath, program, { encoding: "utf8", maxBuffer: 1 << 26 })
    return head + types.replace(/^\/\/ This file is auto-generated.*\n/, "") + deliveriesOf(document)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The files by their paths from the root; without the types where their generator is not installed. */
export const clientContract = (): Readonly<Record<string, string>> => {
  const document = openApiDocument("https://licenses.example.com", "1")
  const methods = methodsOf(document)
  return {
    ...hasGenerator ? { "src/client/api/types.gen.ts": typesOf(document) } : {},
    "src/client/api/operations.gen.ts": tableOf(methods),
    "src/client/api/resources.gen.ts": resourcesOf(methods),
    "src/client/api/consequences.gen.ts": consequencesOf(),
    "src/console/catalog/policies/policyFields.gen.ts": policyFieldsOf(document)
  }
}

/** The files that a module is made of, as paths from the root. What is not there is an import in a text that it writes. */
const sourcesOf = (module: string, found = new Set<string>()): ReadonlySet<string> => {
  if (!found.has(module) && existsSync(join(root, module))) {
    found.add(module)
    for (const imported of neededBy(root, module)) sourcesOf(imported, found)
  }
  return found
}

/** Replaces a file as a whole: whoever reads meanwhile finds one or the other. */
const replace = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

if (import.meta.main) {
  const files = Object.entries(clientContract())
  for (const [path, text] of files) {
    const file = join(root, path)
    // What is the same keeps its time, by which the compiler and the bundles know it.
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) replace(file, text)
  }
  const sources = [...sourcesOf("build/clientContract.ts"), generator, packages].toSorted()
  const changed = sources.find((path) => statSync(join(root, path)).ctimeMs >= performance.timeOrigin)
  if (changed !== undefined) throw new Error(`${changed} was changed while the client was made of it: make it again.`)
  const paths = [...sources, ...files.map(([path]) => path)]
  mkdirSync(contractRecord, { recursive: true })
  replace(join(contractRecord, record), JSON.stringify({ paths, stamps: stamps(paths), digest: digest(paths) }))
}
