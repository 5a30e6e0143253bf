import { braces, operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"

const intro = (publicUrl: string): string =>
  `# Countersign

> The licensing service that a software vendor runs: issue licenses, decide at run time whether a copy may run, and
> prove afterwards what happened. Base address: ${publicUrl}

- Management operations take \`Authorization: Bearer <token>\`; each needs its scopes, mostly one, and \`admin\` satisfies all; one that writes satisfies the one that reads the same.
- Runtime operations (\`/api/v1/license/...\`) take \`Authorization: License <license-key>\` and answer
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
