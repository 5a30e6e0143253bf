import { pageLimit } from "../../domain/wire/Page.ts"
import type { Operation } from "./Operations.ts"
import type { Node } from "./Schemas.ts"

/** What the id in a path is the id of, by the segment before it. */
const nouns: Readonly<Record<string, readonly [name: string, text: string, example: string]>> = {
  "products": ["Product", "product", "prod"],
  "versions": ["ProductVersion", "version", "ver"],
  "policies": ["Policy", "policy", "pol"],
  "features": ["Feature", "feature", "feat"],
  "custom-fields": ["CustomField", "custom field", "fld"],
  "customers": ["Customer", "customer", "cus"],
  "subscriptions": ["Subscription", "subscription", "sub"],
  "orders": ["Order", "order", "ord"],
  "api-keys": ["APIKey", "management key", "key"],
  "publishable-keys": ["PublishableKey", "publishable key", "pub"],
  "licenses": ["License", "license", "lic"],
  "devices": ["Device", "device", "dev"],
  "offline-files": ["OfflineFile", "offline file", "ofl"],
  "leases": ["FloatingLease", "floating lease", "lease"],
  "signing-keys": ["SigningKey", "signing key", "sig"],
  "events": ["Event", "event", "evt"],
  "exports": ["ReportExport", "export", "rptx"],
  "webhooks": ["WebhookEndpoint", "webhook endpoint", "whk"]
}

const idExample = (type: string): string => `${type}_06eqpx1trxz3h94vqjm3a6kz7c`

/** What each parameter of the query does, in the words of someone who uses it; `operation?parameter` where it means more. */
const queryTexts: Readonly<Record<string, string>> = {
  "limit":
    `How many entries a page has at most. ${pageLimit.default} by default; more than ${pageLimit.maximum} is taken as ` +
    `${pageLimit.maximum}.`,
  "cursor": "Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.",
  "listEvents?cursor":
    "The position after which to go on: `next_cursor` of the page before, or the last `sequence` that " +
    "you have. Left out: from the beginning of the feed.",
  "order": "By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: " +
    "`updated_desc` and `updated_asc`.",
  "listEvents?order": "`asc`, by default, begins with the oldest event, `desc` with the newest.",
  "listAPIKeys?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "listOfflineFiles?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "listPublishableKeys?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "listSigningKeys?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "listOwnDevices?device_id": "The id of the device that asks, from any signed answer to it; then each entry says " +
    "`is_this`.",
  "listOwnDevices?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "listLicenseLeases?order": "`desc`, by default, begins with the newest, `asc` with the oldest.",
  "created_from": "Only what came into being at this instant or later.",
  "created_to": "Only what came into being before this instant.",
  "updated_from":
    "Only what changed at this instant or later; without `order`, what changed last comes first. To follow " +
    "changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.",
  "email":
    "Only customers with this e-mail address. Upper and lower case are alike. In a URL its `+` is `%2B`, as clients write it.",
  "name": "Only customers whose name begins with this. Upper and lower case are alike.",
  "code": "Only the one with this code.",
  "listCustomers?q": "What a person knows: an id, a code, or how the name or the e-mail address begins.",
  "listLicenses?q":
    "What a person knows: the id of the license, its customer, order, subscription or device, the last " +
    "four characters of the key, the fingerprint of a device, the code of the customer, or how the name or the e-mail " +
    "address of the owner begins. A whole license key belongs into `lookupLicense`, not into " +
    "an address.",
  "customer_email":
    "Only licenses of this e-mail address: their own, or that of their customer. Upper and lower case are " +
    "alike. In a URL its `+` is `%2B`, as clients write it.",
  "key_last4": "Only licenses whose key ends with these four characters.",
  "device_fingerprint": "Only licenses that were used on the device with this fingerprint.",
  "action": "Only entries of this action.",
  "actor_type": "Only what this kind of actor did.",
  "bucket": "Adds up over hours, days, weeks, months or years of UTC. Left out: over the whole window.",
  "customer_id": "Only what belongs to this customer.",
  "event_type": "Only events of this kind, or of this family: `license.*`.",
  "expires_after": "Only licenses that expire after this instant.",
  "expires_before": "Only licenses that expire before this instant.",
  "feature_code": "Only of this feature.",
  "format": "Only exports in this format.",
  "from": "Where the window starts; the instant itself belongs to it.",
  "getEventConsistency?from": "The smaller tree size.",
  "group_by": "What rows are grouped by.",
  "include_names": "`true` adds what the ids in a license stand for, as `names`. Left out: they are not shown.",
  "include_terms": "`true` adds the rules that are in force, as `terms`. Left out: they are not shown.",
  "is_archived": "`true` for the archived features alone, `false` for the others alone. Left out: all.",
  "is_live": "`true` for the seats that are held at this moment, `false` for those that ended. Left out: all.",
  "license_id": "Only what is about this license.",
  "order_id": "Only what came from this order.",
  "policy_id": "Only licenses under this policy.",
  "product_id": "Only of this product.",
  "report_kind": "Only exports of this report.",
  "request_id": "Only what this request did.",
  "resource_id": "Only what is about the resource with this id.",
  "resource_type": "Only what is about this kind of resource.",
  "result_class": "Only what ended like this.",
  "size": "The size of the tree, which is the `sequence` of its last event. Left out: that of the latest checkpoint.",
  "source": "Only what came through this door.",
  "status": "Only those that stand like this.",
  "status_code": "Only what was answered with this HTTP status.",
  "subscription_id": "Only what belongs to this subscription.",
  "to": "Where the window ends; the instant itself does not belong to it. Left out: now.",
  "getEventConsistency?to": "The larger tree size. Left out: that of the latest checkpoint.",
  "getLicenseAudit?license_id": "The license that the report is about.",
  "getCustomerSummary?customer_id": "The customer that the report is about.",
  "getSubscriptionSettlement?subscription_id": "The subscription that is settled. Exactly one of this and `order_id`.",
  "getSubscriptionSettlement?order_id": "The order that is settled. Exactly one of this and `subscription_id`.",
  "getSubscriptionSettlement?group_by": "What rows are grouped by. Left out: by feature."
}

/** Examples, so that no parameter is shown as a mere type. */
const examples: Readonly<Record<string, unknown>> = {
  "limit": 50,
  "cursor": "eyJhZnRlciI6InByb2RfMDZlcXB4MSJ9",
  "listEvents?cursor": 42,
  "order": "asc",
  "listEvents?order": "asc",
  "created_from": "2026-11-01T00:00:00Z",
  "created_to": "2026-12-01T00:00:00Z",
  "updated_from": "2026-11-21T10:30:00Z",
  "email": "ada@example.com",
  "name": "Ada",
  "code": "ada-lovelace",
  "q": "ada",
  "listCustomers?q": "ada",
  "listLicenses?q": "ada@example.com",
  "customer_email": "ada@example.com",
  "key_last4": "M2XC",
  "device_fingerprint": "b8e1c6f2d4",
  "customer_id": idExample("cus"),
  "listOwnDevices?device_id": idExample("dev"),
  "event_type": "license.activated",
  "expires_after": "2026-12-01T00:00:00Z",
  "expires_before": "2027-12-01T00:00:00Z",
  "feature_code": "export-pdf",
  "from": "2026-11-01T00:00:00Z",
  "getEventConsistency?from": 41,
  "include_names": true,
  "include_terms": true,
  "is_archived": false,
  "is_live": true,
  "license_id": idExample("lic"),
  "order_id": idExample("ord"),
  "policy_id": idExample("pol"),
  "product_id": idExample("prod"),
  "request_id": idExample("req"),
  "resource_id": idExample("lic"),
  "resource_type": "license",
  "size": 42,
  "status_code": 403,
  "subscription_id": idExample("sub"),
  "to": "2026-12-01T00:00:00Z",
  "getEventConsistency?to": 42
}

const headerTexts: Readonly<Record<string, readonly [description: string, example: string]>> = {
  "x-nonce": [
    "The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer " +
    "can be " +
    "replayed to you. Leave it out rather than empty.",
    "n-7f3a9c21d0"
  ],
  "range": [
    "One range of bytes (RFC 9110 section 14.2). Several at once are answered with the whole file.",
    "bytes=0-1023"
  ],
  "If-Match": [
    "The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 " +
    "PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; " +
    "`*` stands for any.",
    "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\""
  ],
  "if-none-match": [
    "The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).",
    "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\""
  ],
  "if-range": [
    "The `ETag` of what you have: if the file is another one, `Range` is ignored (RFC 9110 section 13.1.5).",
    "\"sha256:1d1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b5f0c4a1f0e2f0bb1\""
  ]
}

const ifNoneMatch: Node = { name: "if-none-match", in: "header", required: false, schema: { type: "string" } }

const pascal = (name: string): string =>
  name.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** A parameter with its description and an example, and the name that it is shared under. */
const described = (
  parameter: Node,
  { declaration, operationId, path }: Operation
): { readonly name: string; readonly parameter: Node } => {
  const name: string = parameter["name"]
  const { name: _, in: place, description, required, schema } = parameter
  const rest = (text: string, example: unknown) => ({
    name,
    in: place,
    required,
    description: text,
    schema,
    ...(example === undefined ? {} : { example })
  })
  if (place === "path") {
    const [, segment = ""] = new RegExp(`/([^/]+)/:${name}(/|$)`).exec(path) ?? []
    const noun = nouns[segment]
    if (noun === undefined) throw new TypeError(`No noun for ${name} of ${path}`)
    return {
      name: `${noun[0]}Id`,
      parameter: rest(`The id of the ${noun[1]}. One that does not exist is 404.`, idExample(noun[2]))
    }
  }
  if (name === "Idempotency-Key") {
    const kind = declaration.answerKept === "none"
      ? "Ignored"
      : `${required === true ? "Required" : ""}${declaration.replayedAs === undefined ? "" : "Runtime"}`
    return { name: `IdempotencyKey${kind}`, parameter: rest(description, "8e03978e-40d5-43e8-bc93-6894a57f9324") }
  }
  if (place === "header") {
    const [text, example] = headerTexts[name]!
    return { name: pascal(name), parameter: rest(text, example) }
  }
  const own = `${operationId}?${name}`
  const text = queryTexts[own] ?? queryTexts[name]
  const example = examples[own] ?? (queryTexts[own] === undefined ? examples[name] : examples[own] ?? examples[name])
  return { name: pascal(name), parameter: rest(text ?? "", example) }
}

/**
 * Describes the parameters of every operation. A parameter that several operations have stands once among the
 * components; of those with one name, the one that most operations have.
 */
export const shareParameters = (document: Node, nodes: ReadonlyArray<readonly [Node, Operation]>): void => {
  const all = nodes.flatMap(([node, operation]) => {
    const own: ReadonlyArray<Node> = operation.declaration.conditional === "document"
      ? [...node["parameters"], ifNoneMatch]
      : node["parameters"]
    return own.map((given) => {
      const { name, parameter } = described(given, operation)
      return { node, name, parameter }
    })
  })
  const uses = Map.groupBy(all, ({ parameter }) => JSON.stringify(parameter))
  const shared: Node = {}
  for (const [, group] of [...uses].toSorted(([, a], [, b]) => b.length - a.length)) {
    const { name, parameter } = group[0]!
    if (group.length > 1 && shared[name] === undefined) shared[name] = parameter
  }
  for (const [node] of nodes) node["parameters"] = []
  for (const { name, node, parameter } of all) {
    const isShared = JSON.stringify(shared[name]) === JSON.stringify(parameter)
    node["parameters"].push(isShared ? { $ref: `#/components/parameters/${name}` } : parameter)
  }
  for (const [node] of nodes) if (node["parameters"].length === 0) delete node["parameters"]
  document["components"].parameters = Object.fromEntries(
    Object.entries(shared).toSorted(([a], [b]) => a < b ? -1 : 1)
  )
}
