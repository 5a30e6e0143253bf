import { OpenApi } from "effect/http-api"
import { stringify } from "yaml"
import { testType } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import { headerNames } from "../../../domain/delivery/webhooks/WebhookSignature.ts"
import { documentedAsKey } from "../../../domain/ground/wire/Fields.ts"
import * as Id from "../../../domain/ground/wire/Id.ts"
import { deliveries, testDelivery } from "../../delivery/Webhooks.ts"
import { Api } from "../Api.ts"
import { externalDocs, guideLink, guideOf, introduction } from "./GuideLinks.ts"
import { kindTexts } from "./KindTexts.ts"
import { operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { exampleOf, headers, isErrorSchema, responsesOf, shareResponses } from "./Responses.ts"
import { describeSchemas, flatten, openAnswers, reference, unify } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"
import { tagOf, tags } from "./Tags.ts"

/** The ID in a path by the segment before it: the name of the shared parameter, and the type of the ID. */
const pathIds: Readonly<Record<string, readonly [name: string, type: Id.IdType]>> = {
  "products": ["ProductId", "prod"],
  "versions": ["ProductVersionId", "ver"],
  "policies": ["PolicyId", "pol"],
  "features": ["FeatureId", "feat"],
  "custom-fields": ["CustomFieldId", "fld"],
  "customers": ["CustomerId", "cus"],
  "subscriptions": ["SubscriptionId", "sub"],
  "orders": ["OrderId", "ord"],
  "api-keys": ["APIKeyId", "key"],
  "people": ["PersonId", "per"],
  "sessions": ["SessionId", "ses"],
  "passkeys": ["PasskeyId", "pky"],
  "roles": ["RoleId", "role"],
  "approvals": ["ApprovalId", "apr"],
  "publishable-keys": ["PublishableKeyId", "pub"],
  "licenses": ["LicenseId", "lic"],
  "grants": ["GrantId", "grant"],
  "pools": ["PoolId", "pool"],
  "users": ["LicenseUserId", "usr"],
  "notes": ["NoteId", "note"],
  "jobs": ["JobId", "job"],
  "license-views": ["LicenseViewId", "view"],
  "devices": ["DeviceId", "dev"],
  "offline-files": ["OfflineFileId", "ofl"],
  "leases": ["FloatingLeaseId", "lease"],
  "signing-keys": ["SigningKeyId", "sig"],
  "events": ["EventId", "evt"],
  "activities": ["ActivityId", "act"],
  "exports": ["ReportExportId", "rptx"],
  "webhooks": ["WebhookEndpointId", "whk"],
  "connections": ["BillingConnectionId", "bcn"],
  "purchases": ["PurchaseId", "pur"],
  "suppressions": ["MailSuppressionId", "sup"],
  "reconciliations": ["ReconciliationId", "rcn"]
}

const pascal = (name: string): string =>
  name.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** Parts of a path that are no IDs: the names of a record in its billing system, those of a template, and places in the log. */
const namedParts: Readonly<Record<string, readonly [name: string, description: string, example: string]>> = {
  system: ["ExternalSystem", "The billing system.", "stripe"],
  kind: ["MailKind", "The kind of the mail.", "license_issued"],
  epoch: ["LogEpoch", "The epoch of the log, from 1: a number that `GET /api/v1/events/epochs` lists.", "1"],
  level: ["LogTileLevel", "The level of the tile, from 0, the hashes of leaves, to 63.", "0"],
  tile: [
    "LogTile",
    "The index in elements of three digits, of which all but the last begin with `x`, and `.p/<W>` for the first `W` of 256: " +
    "`x001/x234/067`, `000.p/42`. Its slashes are sent as they are, or encoded.",
    "000.p/1"
  ],
  language: ["MailLanguage", "The language of the mail.", "de"],
  external_id: ["ExternalId", "The ID of the record in the billing system.", "sub_1QXyz"]
}

/** The ID of a resource in a path. Its schema only bounds it, so the segment before it says what it identifies. */
const pathId = (parameter: Node, { path }: Operation): { readonly name: string; readonly parameter: Node } => {
  const external = namedParts[parameter["name"]]
  if (external !== undefined) {
    const [name, description, example] = external
    return { name, parameter: { ...parameter, description, example } }
  }
  const [, segment = ""] = new RegExp(`/([^/]+)/:${parameter["name"]}(/|$)`).exec(path) ?? []
  const known = pathIds[segment]
  if (known === undefined) throw new TypeError(`${path}: add the ID behind /${segment} to pathIds`)
  const [name, type] = known
  const description = `The ID of the ${Id.nounOf(type)}. An unknown ID is 404.`
  return { name, parameter: { ...parameter, description, example: Id.exampleOf(type) } }
}

/**
 * A parameter, and the name that it is shared under. The description and the example of its field belong to the
 * parameter, and not to the schema.
 */
const described = (given: Node, operation: Operation): { readonly name: string; readonly parameter: Node } => {
  const { description, examples, ...schema } = given["schema"]
  const name: string = given["name"]
  const parameter = {
    name,
    in: given["in"],
    required: given["required"],
    description: given["description"] ?? description,
    schema,
    ...(given["example"] === undefined && examples === undefined
      ? {}
      : { example: given["example"] ?? examples[0] })
  }
  if (given["in"] === "path") return pathId(parameter, operation)
  if (name !== "Idempotency-Key") return { name: pascal(name), parameter }
  const { answerKept, replayedAs } = operation.declaration
  const kind = answerKept === "none"
    ? "Ignored"
    : `${given["required"] === true ? "Required" : ""}${replayedAs === undefined ? "" : "Runtime"}`
  return { name: `IdempotencyKey${kind}`, parameter }
}

/**
 * Describes the parameters of every operation. A parameter that several operations have stands once among the
 * components; of those with one name, the one that most operations have keeps it, and others are named by their first operation.
 */
const shareParameters = (document: Node, nodes: ReadonlyArray<readonly [Node, Operation]>): void => {
  const all = nodes.flatMap(([node, operation]) =>
    (node["parameters"] as ReadonlyArray<Node>).map((given) => {
      const { name, parameter } = described(given, operation)
      return { node, name, parameter, text: JSON.stringify(parameter) }
    })
  )
  const uses = Map.groupBy(all, ({ text }) => text)
  const shared: Node = {}
  const names = new Map<string, string>()
  for (const [text, group] of [...uses].toSorted(([, a], [, b]) => b.length - a.length)) {
    if (group.length === 1) continue
    const { name, node, parameter } = group[0]!
    const taken = shared[name] === undefined ? name : `${name}Of${pascal(node["operationId"])}`
    shared[taken] = parameter
    names.set(text, taken)
  }
  for (const [node] of nodes) node["parameters"] = []
  for (const { node, parameter, text } of all) {
    const name = names.get(text)
    node["parameters"].push(name === undefined ? parameter : { $ref: `#/components/parameters/${name}` })
  }
  for (const [node] of nodes) if (node["parameters"].length === 0) delete node["parameters"]
  document["components"].parameters = Object.fromEntries(
    Object.entries(shared).toSorted(([a], [b]) => a < b ? -1 : 1)
  )
}

const text = { type: "string" }

/** The headers of a delivery: what each carries, and an example. */
const headerTexts: Readonly<Record<string, readonly [description: string, schema: Node, example: unknown]>> = {
  [headerNames.signature]: [
    "`t=<unix seconds>` and one `v1=<hex>` for each live secret: HMAC-SHA-256 over `<t>.<delivery id>.<raw body>`. " +
    "Verify " +
    "the bytes as they arrived, before any JSON parsing, and refuse a `t` that is not within five minutes.",
    text,
    "t=1795257000,v1=5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b"
  ],
  [headerNames.deliveryId]: [
    "The delivery: the same on every attempt. Drop those that you have seen.",
    text,
    "dlv_06eqpx1trxz3h94vqjm3a6kz7c"
  ],
  [headerNames.sequence]: [
    "The position of the event in the feed, by which you find gaps.",
    { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    42
  ],
  [headerNames.epoch]: [
    "The epoch of that position: 1 until the log is restored. Not signed; the `epoch` in the body is.",
    { type: "integer", format: "int32", minimum: 1, maximum: 999_999_999 },
    1
  ],
  [headerNames.type]: ["The event type, as `type` in the body.", text, "license.activated"],
  [headerNames.standardId]: [
    "The same as `X-Service-Delivery-ID` (Standard Webhooks).",
    text,
    "dlv_06eqpx1trxz3h94vqjm3a6kz7c"
  ],
  [headerNames.standardTimestamp]: ["Unix seconds (Standard Webhooks).", text, "1795257000"],
  [headerNames.standardSignature]: [
    "`v1,<base64>` for each live secret, separated by spaces, over `<delivery id>.<unix seconds>.<raw body>` " +
    "(Standard " +
    "Webhooks).",
    text,
    "v1,q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
  ],
  traceparent: [
    "The span of this attempt (W3C Trace Context), if the service is traced. Not signed.",
    text,
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  ]
}

/** Every type of delivery, with the name of its schema, and when it is sent. */
const sent: ReadonlyArray<{ readonly type: string; readonly name: string; readonly description: string }> = [
  ...deliveries.map(({ kind, name }) => ({
    type: kind,
    name,
    description: `${kindTexts[kind]} Delivered at least once, and mostly in the order of \`sequence\`.`
  })),
  {
    type: testType,
    name: testDelivery.name,
    description:
      "A test of the endpoint: verify it and respond with 2xx. It is not an event, not in the feed, and sent " +
      "once."
  }
]

/** The headers that a delivery need not have. */
const optional: ReadonlySet<string> = new Set(["traceparent"])

const answers: Node = {
  "2XX": { description: "Delivered. Respond within 10 seconds and process the event afterwards." },
  "410": { description: "The endpoint is disabled: nothing more is delivered to it." },
  "default": {
    description:
      "Any other response, or none, is retried: 13 attempts over about 76 hours. After a 429 or a 503, the " +
      "retry waits for `Retry-After`."
  }
}

const parameterName = (header: string): string =>
  header.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** Describes every delivery, with its headers, as `webhooks`. */
const describeDeliveries = (document: Node): void => {
  const { components } = document
  for (const { name } of sent) {
    components.schemas[name].properties.data.description = "The resource after the event."
  }
  for (const [name, [description, schema, example]] of Object.entries(headerTexts)) {
    const required = !optional.has(name)
    components.parameters[parameterName(name)] = { name, in: "header", required, description, schema, example }
  }
  components.responses["Delivered"] = answers["2XX"]
  components.responses["EndpointGone"] = answers["410"]
  components.responses["DeliveryRetried"] = answers["default"]
  document["webhooks"] = Object.fromEntries(sent.map(({ description, name, type }) => [type, {
    post: {
      tags: ["Webhooks"],
      operationId: `on${name.replace(/Delivery$/, "")}`,
      summary: type,
      description,
      security: [],
      parameters: Object.keys(headerTexts).map((name) => ({ $ref: `#/components/parameters/${parameterName(name)}` })),
      requestBody: {
        description: "Canonical JSON (RFC 8785), signed as it is.",
        required: true,
        content: { "application/json": { schema: reference(name) } }
      },
      responses: {
        "2XX": { $ref: "#/components/responses/Delivered" },
        "410": { $ref: "#/components/responses/EndpointGone" },
        "default": { $ref: "#/components/responses/DeliveryRetried" }
      }
    }
  }]))
}

const securitySchemes: Node = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "Management operations: `Authorization: Bearer <token>`, with the token of an API key. Each operation " +
      "needs the scopes of `x-required-scopes`, usually one. `admin` satisfies every scope; a write scope " +
      "satisfies the matching read scope."
  },
  license: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "Runtime operations: the header is the word `License`, a space, and the license key, for example " +
      "`License CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X`."
  },
  publishable: {
    type: "http",
    scheme: "bearer",
    description: "Opening trials: `Authorization: Bearer <publishable-key>`, with a publishable key of the product, " +
      "`cpk_...`. It is part of the app and not a secret."
  }
}

const byName = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0))

/** An operation in the order in which it is read. */
const ordered = (node: Node): Node => {
  const { description, operationId, parameters, requestBody, responses, security, summary, tags, ...more } = node
  return { tags, summary, description, operationId, security, parameters, requestBody, responses, ...more }
}

/** The paths in the order of their tags, and otherwise as they are declared. */
const inOrder = (paths: Node): Node => {
  const placeOf = (item: Node): number => {
    const [first] = Object.values<Node>(item)
    return tags.findIndex(({ name }) => name === first!["tags"][0])
  }
  return Object.fromEntries(
    Object.entries<Node>(paths)
      .map(([path, item]): [string, Node] => [
        path,
        Object.fromEntries(Object.entries<Node>(item).map(([method, node]) => [method, ordered(node)]))
      ])
      .toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))
  )
}

/** A copy without absent values, which would be written as null in YAML. */
const withoutAbsent = (node: Node): Node => JSON.parse(JSON.stringify(node))

/** The OpenAPI 3.1 document, derived from the declarations. */
export const openApiDocument = (publicUrl: string, version: string): Node => {
  const document: Node = { ...OpenApi.fromApi(Api, { includeAnnotationKey: (key) => key === documentedAsKey }) }
  const { components } = document
  document["info"] = {
    title: "Countersign",
    version,
    description: introduction(publicUrl),
    license: { name: "Proprietary", url: `${publicUrl}/docs` },
    contact: { name: "Countersign", url: `${publicUrl}/docs` }
  }
  document["servers"] = [{ url: publicUrl }]
  document["tags"] = tags.map(({ description, guides, name }) => ({
    name,
    description: `${description}\n\nGuides: ${guides.map((guide) => guideLink(guide, publicUrl)).join(", ")}.`
  }))
  flatten(document)
  unify(document)
  // Every error is answered in one form; the codes of an operation stand in its responses.
  for (const name of Object.keys(components.schemas)) if (isErrorSchema(name)) delete components.schemas[name]
  describeSchemas(document)
  openAnswers(document)
  components.securitySchemes = securitySchemes
  components.headers = headers
  components.responses = {}

  const declarations = new Map(operations.map((operation) => [operation.operationId, operation]))
  const nodes = Object.values<Node>(document["paths"]).flatMap((item) =>
    Object.values<Node>(item).map((node): readonly [Node, Operation] => [node, declarations.get(node["operationId"])!])
  )
  shareParameters(document, nodes)
  for (const [node, operation] of nodes) {
    node["tags"] = [tagOf(operation.group)]
    node["responses"] = responsesOf(node, operation, document, publicUrl)
    node["externalDocs"] = externalDocs(guideOf(operation), publicUrl)
    node["x-error-codes"] = operation.codes
    if (operation.declaration.scope === "none") node["security"] = []
    for (const media of Object.values<Node>(node["requestBody"]?.content ?? {})) {
      media["example"] = exampleOf(media["schema"], components.schemas, `the request of ${operation.operationId}`)
    }
  }
  shareResponses(document, nodes.map(([node]) => node))
  describeDeliveries(document)
  document["paths"] = inOrder(document["paths"])
  components.schemas = byName(components.schemas)
  components.responses = byName(components.responses)
  const { openapi, info, servers, tags: chapters, paths, webhooks } = document
  return withoutAbsent({ openapi, info, servers, tags: chapters, paths, webhooks, components })
}

/**
 * The document as YAML. Texts that a reader of YAML 1.1 would take for something else, such as instants, are quoted, and
 * nothing is an alias.
 */
export const toYaml = (document: Node): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0, version: "1.1" })
