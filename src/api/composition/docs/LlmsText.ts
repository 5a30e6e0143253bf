import { braces, operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"

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
