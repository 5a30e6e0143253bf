import { braces, operations } from "../../../api/composition/docs/Operations.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { resolved } from "../../../api/composition/docs/Schemas.ts"
import { tagOf, tags } from "../../../api/composition/docs/Tags.ts"
import { deliveries, testDelivery } from "../../../api/delivery/Webhooks.ts"
import { testType } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import type { TestType } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import { familyOf } from "../../../domain/log/EventKind.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"

/** An entry with its own page in the reference: an operation, or the deliveries of an event type. */
export interface Entry {
  /** The operationId of the document, which is its address, too. */
  readonly id: string
  /** The chapter of an operation; of an event, what it is about. */
  readonly chapter: string
  /** The kind of an event; undefined for operations. */
  readonly event: EventKind | TestType | undefined
  /** In capitals. */
  readonly method: string
  /** With `{name}` for parameters; empty for events, which go to an address of the reader's. */
  readonly path: string
}

const operationEntries: ReadonlyArray<Entry> = tags.flatMap(({ name }) =>
  operations.filter(({ group }) => tagOf(group) === name).map(({ method, operationId, path }) => ({
    id: operationId,
    chapter: name,
    event: undefined,
    method,
    path: braces(path)
  }))
)

/** `report_export.ready` is about report exports. */
const subjectOf = (kind: EventKind): string => {
  const words = familyOf(kind).replaceAll("_", " ")
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Api\b/, "API")
}

const idOf = (name: string): string => `on${name.replace(/Delivery$/, "")}`

const eventEntries: ReadonlyArray<Entry> = [
  ...deliveries.map(({ kind, name }) => ({
    id: idOf(name),
    chapter: subjectOf(kind),
    event: kind,
    method: "POST",
    path: ""
  })),
  { id: idOf(testDelivery.name), chapter: "Webhook", event: testType, method: "POST", path: "" }
]

/** Everything in the order in which it is read: the chapters of the operations, and then the events. */
export const entries: ReadonlyArray<Entry> = [...operationEntries, ...eventEntries]

/** The entries of each chapter, in order. */
export const chapters: ReadonlyMap<string, ReadonlyArray<Entry>> = Map.groupBy(
  operationEntries,
  ({ chapter }) => chapter
)

/** The events by what they are about, in order. */
export const subjects: ReadonlyMap<string, ReadonlyArray<Entry>> = Map.groupBy(eventEntries, ({ chapter }) => chapter)

/** The address of an entry's page. It stays, because operationIds do. */
export const addressOf = (id: string): `/${string}` => `/docs/reference/${id}`

/** Where the endpoints that events are delivered to are made. */
export const endpointsAddress = addressOf("createWebhookEndpoint")

const slug = (text: string): string => text.toLowerCase().replaceAll(" ", "-")

/** The name of a chapter or an event's subject in addresses of the start page. */
export const anchorOfChapter = (chapter: string, isEvent = false): string =>
  `${isEvent ? "events" : "tag"}/${slug(chapter)}`

/** The place of an operation on the start page. */
export const anchorOf = ({ chapter, method, path }: Entry): string => `${anchorOfChapter(chapter)}/${method}${path}`

/** The node of an entry in the document. */
export const nodeOf = (document: Node, { event, method, path }: Entry): Node =>
  event === undefined ? document["paths"][path][method.toLowerCase()] : document["webhooks"][event].post

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
