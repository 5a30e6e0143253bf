import { familyOf } from "../../../domain/log/EventKind.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { testType } from "../../../domain/delivery/webhooks/WebhookTest.ts"
import type { TestType } from "../../../domain/delivery/webhooks/WebhookTest.ts"
import { deliveries, testDelivery } from "../../../api/delivery/Deliveries.ts"
import { braces, operations } from "../../../api/composition/docs/Operations.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { tagOf, tags } from "../../../api/composition/docs/Tags.ts"

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
