import { resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import type { Entry } from "./Entries.ts"

/** A text as a word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The Authorization header of each kind of credential, with a variable of the shell for the secret. */
const credentials: Readonly<Record<string, string>> = {
  bearer: "Bearer $COUNTERSIGN_TOKEN",
  license: "License $LICENSE_KEY",
  publishable: "Bearer $PUBLISHABLE_KEY"
}

/** The parameters of an operation, those among the components too. */
export const parametersOf = (document: Node, node: Node): ReadonlyArray<Node> =>
  (node["parameters"] ?? []).map((parameter: Node) => resolved(document, parameter))

/** The security scheme of an operation; undefined where it takes no credential. */
export const schemeOf = (node: Node): string | undefined => Object.keys(node["security"]?.[0] ?? {})[0]

/** The example of a request's body. */
export const bodyExample = (node: Node): unknown => node["requestBody"]?.content["application/json"]?.example

/**
 * An operation as a command: with what it requires and the examples of the document. `COUNTERSIGN_URL` may name another
 * service than the one that shows it, as in the guides.
 */
export const curlOf = (document: Node, entry: Entry, publicUrl: string): string => {
  const node = document["paths"][entry.path][entry.method.toLowerCase()] as Node
  const parameters = parametersOf(document, node)
  const needed = (place: string) =>
    parameters.filter((parameter) => parameter["in"] === place && parameter["required"] === true)
  const path = entry.path.replaceAll(
    /\{([^}]+)\}/g,
    (_, name: string) =>
      encodeURIComponent(String(parameters.find((parameter) => parameter["name"] === name)?.["example"] ?? name))
  )
  const query = needed("query").map(({ example, name }) => `${name}=${encodeURIComponent(String(example))}`)
  const body = bodyExample(node)
  const plain = body === undefined ? "GET" : "POST"
  const scheme = schemeOf(node)
  const answer = Object.entries<Node>(node["responses"]).find(([status]) => status.startsWith("2"))?.[1] ?? {}
  const isFile = resolved(document, answer)["headers"]?.["Content-Disposition"] !== undefined
  const parts = [
    `curl -sS --fail-with-body${isFile ? " -OJ" : ""}${entry.method === plain ? "" : ` -X ${entry.method}`}`,
    `"\${COUNTERSIGN_URL:-${publicUrl}}${path}${query.length === 0 ? "" : `?${query.join("&")}`}"`,
    ...(scheme === undefined ? [] : [`-H "Authorization: ${credentials[scheme]}"`]),
    ...needed("header").map(({ example, name }) => `-H ${quoted(`${name}: ${example}`)}`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`])
  ]
  return parts.join(" \\\n  ")
}
