import * as Id from "../../../domain/ground/wire/Id.ts"
import type { Operation } from "./Operations.ts"
import type { Node } from "./Schemas.ts"

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
export const shareParameters = (document: Node, nodes: ReadonlyArray<readonly [Node, Operation]>): void => {
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
