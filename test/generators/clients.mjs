/**
 * Makes clients from an OpenAPI document with generators that people use, compiles them under `strict`, and looks for
 * types that say nothing. `node clients.mjs <document.json> <directory>` prints a JSON array of findings, each a text.
 */
import { createClient } from "@hey-api/openapi-ts"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import openapiTypescript, { astToString } from "openapi-typescript"
import ts from "typescript"

const [path = "", directory = ""] = process.argv.slice(2)
const document = JSON.parse(await readFile(path, "utf8"))
const findings = []

await mkdir(directory, { recursive: true })
// The generated code imports zod.
await symlink(resolve(import.meta.dirname, "node_modules"), join(directory, "node_modules"))
await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }))

const types = join(directory, "openapi-typescript.ts")
await writeFile(types, astToString(await openapiTypescript(pathToFileURL(resolve(path)))))
await createClient({
  input: resolve(path),
  output: join(directory, "hey-api"),
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk", "zod"],
  logs: { level: "silent", file: false }
})
const typesOfHeyApi = join(directory, "hey-api/types.gen.ts")
const schemasOfHeyApi = join(directory, "hey-api/zod.gen.ts")

// What a caller writes: it compiles only if the names and the types are the expected ones.
const caller = join(directory, "caller.ts")
await writeFile(
  caller,
  `import type { components, webhooks } from "./openapi-typescript.ts"
import { activateLicense, createLicense, listLicenses } from "./hey-api/sdk.gen.ts"
import type { EntitlementAnswer, ErrorCode, LicensePage, OnLicenseActivatedWebhookPayload } from "./hey-api/types.gen.ts"

const page: LicensePage = (await listLicenses({ query: { limit: 10, status: "active" }, throwOnError: true })).data
const ids: ReadonlyArray<string> = page.data.map(({ id }) => id)
const created = await createLicense({ body: { product_id: ids[0] ?? "", policy_id: "p", metadata: { any: ["thing"] } } })
const code: ErrorCode | undefined = created.error?.error.code
// @ts-expect-error A member that there is not.
await createLicense({ body: { product_id: "", policy_id: "", no_such_member: 1 } })
const granted = await activateLicense({ body: { fingerprint: "f" }, headers: { "Idempotency-Key": "k" } })
const answer: EntitlementAnswer | undefined = granted.data
const seats: number | undefined = created.data?.data.license.active_device_count
const activated: components["schemas"]["LicenseActivatedDelivery"]["data"]["status"] = "active"
type Body = webhooks["license.activated"]["post"]["requestBody"]["content"]["application/json"]
const type: Body["type"] & OnLicenseActivatedWebhookPayload["event_type"] = "license.activated"
export { activated, answer, code, ids, seats, type }
`
)

const program = ts.createProgram([types, typesOfHeyApi, schemasOfHeyApi, caller], {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  skipLibCheck: true,
  types: []
})
for (const { file, messageText, start } of ts.getPreEmitDiagnostics(program)) {
  const line = file === undefined ? "" : `${file.fileName}:${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}: `
  findings.push(`${line}${ts.flattenDiagnosticMessageText(messageText, "\n")}`)
}

/** The members and components that are free objects in the document, whose values have no type. */
const free = new Set()
const lookForFree = (name, schema) => {
  if (schema.additionalProperties === true) free.add(name)
  for (const [member, part] of Object.entries(schema.properties ?? {})) lookForFree(member, part)
  for (const part of [...schema.anyOf ?? [], ...schema.oneOf ?? [], ...schema.allOf ?? []]) lookForFree(name, part)
  if (schema.items !== undefined) lookForFree(name, schema.items)
}
for (const [name, schema] of Object.entries(document.components.schemas)) lookForFree(name, schema)
for (const item of Object.values(document.paths)) {
  for (const { responses } of Object.values(item)) {
    for (const { content = {} } of Object.values(responses)) {
      for (const [type, { schema }] of Object.entries(content)) lookForFree(type, schema)
    }
  }
}

/** The name of the member or the type that a node belongs to. */
const ownerOf = (node) => {
  if (node === undefined) return ""
  return ts.isPropertySignature(node) || ts.isTypeAliasDeclaration(node) ? node.name.text ?? "" : ownerOf(node.parent)
}

/** Whether a type stands for something that has none: the values of a free object, or a header that nobody named. */
const mayBeUnknown = (node) => {
  if (!ts.isIndexSignatureDeclaration(node.parent)) return false
  const owner = ownerOf(node)
  const isOfOperation = /^(200|206|\w+Responses)$/.test(owner)
  return free.has(owner) || owner === "headers" || isOfOperation
}

/** Types that tell a caller nothing. */
const emptyTypes = (file) => {
  const source = program.getSourceFile(file)
  const visit = (node) => {
    const isUnknown = node.kind === ts.SyntaxKind.UnknownKeyword || node.kind === ts.SyntaxKind.AnyKeyword
    const isEmpty = ts.isTypeReferenceNode(node) && /^Record<string, (never|any|unknown)>$/.test(node.getText(source))
    if ((isUnknown && !mayBeUnknown(node)) || (isEmpty && ownerOf(node) !== "$defs")) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      findings.push(`${file}:${line + 1}: ${ownerOf(node)} is ${node.getText(source)}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}
emptyTypes(types)
emptyTypes(typesOfHeyApi)

const zod = (await readFile(schemasOfHeyApi, "utf8")).replaceAll("z.record(z.string(), z.unknown())", "")
for (const [found] of zod.matchAll(/.*z\.(unknown|any)\(.*/g)) findings.push(`zod: ${found.trim()}`)

console.log(JSON.stringify(findings))
