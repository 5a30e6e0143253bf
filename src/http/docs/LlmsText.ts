import { catalog } from "../../domain/wire/Errors.ts"
import { braces, operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { resolved } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"

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

/** The full reference as text, with the scopes, examples and errors of every operation. */
export const llmsFullText = (publicUrl: string, document: Node): string => {
  const describe = (operation: Operation): string => {
    const node = document["paths"][braces(operation.path)][operation.method.toLowerCase()] as Node
    const lines = [
      `### ${operation.operationId}`,
      "",
      `\`${operation.method} ${braces(operation.path)}\` (scope: ${operation.declaration.scope})`,
      "",
      operation.declaration.description,
      ""
    ]
    for (const given of (node["parameters"] ?? []) as Array<Node>) {
      const parameter = resolved(document, given)
      lines.push(
        `- ${parameter["in"]} \`${parameter["name"]}\`${parameter["required"] === true ? " (required)" : ""}: ${
          parameter["description"]
        } ${JSON.stringify(parameter["schema"])}`
      )
    }
    const request = node["requestBody"]?.content?.["application/json"]
    if (request !== undefined) lines.push("", "Request:", "```json", JSON.stringify(request.example, null, 2), "```")
    for (const status of operation.successes) {
      const media = resolved(document, node["responses"][String(status)]).content?.["application/json"]
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
