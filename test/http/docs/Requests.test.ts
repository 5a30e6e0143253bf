import { assert, beforeAll, describe, it } from "@effect/vitest"
import { operations } from "../../../src/http/docs/Operations.ts"
import { referred, resolved } from "../../../src/http/docs/Schemas.ts"
import { validatorOf } from "../../fixtures/JsonSchema.ts"
import type { Validate } from "../../fixtures/JsonSchema.ts"
import { schemaValues } from "../../fixtures/SchemaValues.ts"
import type { SchemaValues, Wrong } from "../../fixtures/SchemaValues.ts"
import { chance } from "../../fixtures/Seeded.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service: Service = await startService({
  // A range that leads nowhere (RFC 5737).
  environment: { COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "192.0.2.0/24" }
})
const document: Body = (await service.call("GET", "/openapi.json", { token: null })).body

let mismatch: Validate
let values: SchemaValues
/** The ids of the story, by their types. */
const ids: Record<string, string> = {}
let licenseKey = ""
let leaseToken = ""
let publishableKey = ""

beforeAll(async () => {
  mismatch = validatorOf(document)
  values = schemaValues(document, chance("requests"))
})

const all = operations.map(({ declaration, method, operationId, path: declared }) => {
  const path = declared.replace(/:([^/]+)/g, "{$1}")
  const node: Body = document.paths[path][method.toLowerCase()]
  const parameters: ReadonlyArray<Body> = (node.parameters ?? []).map((given: Body) => resolved(document, given))
  return { declaration, method, operationId, path, node, parameters }
})
type Documented = typeof all[number]

/** What the document does not say of an answer. */
const undocumented = ({ node }: Documented, { body, headers, status, text }: Answer): string | undefined => {
  const given = node.responses[String(status)]
  if (given === undefined) return `The status ${status} is not documented: ${text.slice(0, 200)}`
  const { content } = resolved(document, given)
  const type = headers["content-type"]
  if (content === undefined) return type === undefined ? undefined : `A body of ${type}`
  const media = content[String(type)]
  if (media === undefined) return `The type ${type} is not documented`
  return body === undefined ? undefined : mismatch(media.schema, body)
}

/** A text or a body with the ids that there are instead of those of the examples. */
const withIds = <A>(value: A): A =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\b([a-z]+)_06eqpx1trxz3h94vqjm3a6kz7c\b/g, (example, type: string) => ids[type] ?? example)
      .replaceAll("CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X", licenseKey)
      .replaceAll(/csl_[0-9A-Za-z]+/g, leaseToken)
  ) as A

const targetOf = ({ parameters, path }: Documented, idOf: (example: string) => string): string =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => idOf(parameters.find((given) => given["name"] === name)!["example"])
  )

const send = (operation: Documented, target: string, body: unknown): Promise<Answer> =>
  service.call(operation.method, target, {
    ...(body === undefined ? {} : { body }),
    ...(operation.declaration.scope === "license" ? { licenseKey } : {}),
    ...(operation.declaration.scope === "publishable" ? { token: publishableKey } : {}),
    headers: operation.method === "GET" ? {} : { "idempotency-key": crypto.randomUUID() }
  })

const operation = (operationId: string): Documented => all.find((candidate) => candidate.operationId === operationId)!

/** The queries of the story where those of the examples need a longer one, or have a rule between two parameters. */
const queries: Readonly<Record<string, Body>> = {
  getEventConsistency: { from: 1, to: 2 },
  getSubscriptionSettlement: { subscription_id: "sub_06eqpx1trxz3h94vqjm3a6kz7c" },
  getStatement: { license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c" }
}

/** Reports of one of two subjects, so that not each filter can be sent alone. */
const ofOneSubject: ReadonlySet<string> = new Set(["getSubscriptionSettlement", "getStatement"])

/** An operation with the example of its request, and the ids of what was made before. */
const tell = async (operationId: string, more: Body = {}): Promise<Answer> => {
  const told = operation(operationId)
  const example = told.node.requestBody?.content["application/json"].example
  const required = told.parameters.filter((given) => given["in"] === "query" && given["required"] === true)
  const asked = { ...Object.fromEntries(required.map(({ example, name }) => [name, example])), ...queries[operationId] }
  const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(withIds(value))]))
  const target = `${targetOf(told, withIds)}${query.size === 0 ? "" : `?${query}`}`
  const answer = await send(told, target, example === undefined ? undefined : { ...withIds(example), ...more })
  assert.isUndefined(undocumented(told, answer), `${operationId}: ${answer.text.slice(0, 300)}`)
  return answer
}

/** An endpoint that can be written, and that nothing is sent to. */
const hook = { url: "https://192.0.2.1/hooks", is_active: false }

/** What makes something, in the order of the story, and where its id is. */
const makers: ReadonlyArray<readonly [operationId: string, type: string, id: (data: Body) => string, more?: Body]> = [
  ["createProduct", "prod", ({ id }) => id],
  ["createProductVersion", "ver", ({ id }) => id],
  ["createPolicy", "pol", ({ id }) => id, { max_floating_users: 1 }],
  ["createFeature", "feat", ({ id }) => id],
  ["createProductCustomFieldDefinition", "fld", ({ id }) => id],
  ["createCustomer", "cus", ({ id }) => id],
  ["createSubscription", "sub", ({ id }) => id],
  ["createOrder", "ord", ({ id }) => id],
  ["createLicense", "lic", ({ license }) => license.id],
  ["createLicenseNote", "note", ({ id }) => id],
  ["createLicenseView", "view", ({ id }) => id],
  ["createLicenseJob", "job", ({ job }) => job.id],
  ["createWebhookEndpoint", "whk", ({ webhook }) => webhook.id, hook],
  ["createBillingConnection", "bcn", ({ id }) => id],
  ["createReportExport", "rptx", ({ id }) => id, { format: "json" }],
  ["createPerson", "per", ({ id }) => id],
  ["createRole", "role", ({ id }) => id],
  ["createAPIKey", "key", ({ api_key }) => api_key.id]
]

/** What has the story's end, or takes something from it: told last, or not at all for a reason. */
const endings = /^(delete|revoke|erase|suspend|rotate|release|checkin|deactivate|blacklist|transfer|removeLicense)/

describe("the story that the examples tell", () => {
  it("begins with what is made", async () => {
    for (const [operationId, type, id, more] of makers) {
      const { body, status, text } = await tell(operationId, more)
      assert.strictEqual(status, 201, `${operationId}: ${text}`)
      ids[type] = id(body.data)
      if (type === "lic") licenseKey = body.data.license_key
    }
  })

  it("goes on at run time", async () => {
    assert.strictEqual((await tell("assignLicenseFeature")).status, 200)
    const { body: given, status: gave, text: told } = await tell("createLicenseGrant")
    assert.strictEqual(gave, 201, told)
    ids["grant"] = given.data.id
    const people = await tell("createLicense", { overrides: { max_users: 2 } })
    const named = String(people.body.data.license.id)
    ids["usr"] = (await service.data("POST", `/api/v1/licenses/${named}/users`, { email: "ada@example.com" })).id
    ids["pool"] = (await tell("createCustomerPool")).body.data.id
    for (const operationId of ["activateLicense", "validateLicense", "checkLicense", "consumeLicense"]) {
      const { status, text } = await tell(operationId)
      assert.strictEqual(status, 200, `${operationId}: ${text}`)
    }
    ids["dev"] = (await tell("validateLicense")).body.data.device_id
    const seat = await tell("checkoutFloatingLicense", { fingerprint: "another" })
    leaseToken = seat.body.data.lease_token
    ids["lease"] = (await tell("listLicenseLeases")).body.data[0].id
    ids["sig"] = (await tell("listSigningKeys")).body.data[0].kid
    const events = await service.feed()
    ids["evt"] = events[0].id
  })

  it("makes a file for a machine without a network", async () => {
    const { body, status, text } = await tell("issueOfflineFile", { license_key: licenseKey })
    assert.strictEqual(status, 201, text)
    ids["ofl"] = body.data.file.id
  })

  it("lets apps open trials", async () => {
    const policy = { name: "Trial", code: "trial", license_type: "trial", duration: "P14D" }
    const { id } = await service.data("POST", `/api/v1/products/${ids["prod"]}/policies`, policy)
    ids["trial"] = id
    const { body, status, text } = await tell("createPublishableKey", { policy_id: id })
    assert.strictEqual(status, 201, text)
    publishableKey = body.data.key
    // The story revokes another one, so that trials go on.
    ids["pub"] = (await tell("createPublishableKey", { policy_id: id })).body.data.id
  })

  const told = new Set([
    "assignLicenseFeature",
    "createCustomerPool",
    "createLicenseGrant",
    "createPublishableKey",
    "issueOfflineFile",
    ...makers.map(([operationId]) => operationId)
  ])
  const pages = new Set([
    "signIn",
    "beginSignIn",
    "beginPasskeySignIn",
    "finishPasskeySignIn",
    "showInvitation",
    "joinWithPasskey",
    "createPasskey"
  ])
  // Who sends bytes of its own signs them; test/http/Purchases does. Who signs in is a page; test/http/Sessions and Passkeys have them.
  const others = all.filter(({ declaration, operationId }) =>
    !told.has(operationId) && !endings.test(operationId) && declaration.rawBody !== true &&
    !pages.has(operationId)
  )
  const ends = all.filter(({ operationId }) => endings.test(operationId))

  it.each([...others, ...ends])("$operationId is answered as documented", async ({ operationId }) => {
    // The license of the story was made just now.
    const { status, text } = await tell(operationId, operationId === "explainLicense" ? { at: undefined } : {})
    assert.notInclude([400, 401, 422, 500], status, text)
  })

  it("leaves events that are delivered as documented", async () => {
    const events = await service.feed()
    const kinds = new Set(events.map(({ event_type }) => event_type))
    assert.isAbove(kinds.size, 30)
    for (const { created_at, data, event_type, id, sequence } of events) {
      const { schema } = document.webhooks[event_type].post.requestBody.content["application/json"]
      const found = mismatch(schema, { id, type: event_type, event_type, sequence, created_at, data })
      assert.isUndefined(found, `${event_type}: ${JSON.stringify(data)}`)
    }
  })
})

const without = (body: Body, ...names: ReadonlyArray<string>): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

/** An entry of a mapping, to a policy that there is. */
const toPolicy = (entry: Body): Body => ({ ...entry, policy_id: ids["trial"] })

/** What no schema says: rules between members, and texts that must name something. */
const rules: Readonly<Record<string, (body: Body) => Body>> = {
  BillingConnectionCreateRequest: ({ mapping, ...body }) =>
    mapping === undefined
      ? body
      : { ...body, mapping: { ...mapping, prices: mapping.prices.map(toPolicy) } },
  CustomerCreateRequest: (body) =>
    body.external_id === undefined || body.external_system === undefined
      ? without(body, "external_id", "external_system")
      : body,
  // The operation says which parameters and which body there are.
  ApprovalRequest: (body) => ({ ...without(body, "params", "body"), operation: "rotateSigningKey" }),
  ActivateLicenseRequest: (body) => ({ ...without(body, "is_container", "take_seat_of"), fingerprint: "f" }),
  FloatingCheckoutRequest: (body) => ({ ...without(body, "is_container"), fingerprint: "f" }),
  RuntimeBindingRequest: (body) => ({ ...without(body, "is_container"), fingerprint: "f" }),
  ConsumeLicenseRequest: (body) => ({ ...without(body, "is_container"), fingerprint: "f" }),
  RefundOwnUsageRequest: (body) => ({ ...without(body, "is_container"), fingerprint: "f" }),
  LicenseCreateRequest: (body) => without(body, "starts_at", ...(body.customer_id === undefined ? [] : ["customer"])),
  // Days from the opening go with no time of expiry in the filter.
  LicenseViewRequest: (body) => body.filter === undefined ? body : without(body, "expires_within_days"),
  LicenseJobRequest: () => ({ action: "suspend", selection: { ids: [ids["lic"]] }, dry_run: true }),
  LicenseLookupRequest: () => ({ license_key: licenseKey }),
  LicenseBulkCreateRequest: ({ licenses }) => ({
    defaults: { product_id: ids["prod"], policy_id: ids["pol"] },
    licenses: licenses.map(({ customer_email, customer_name, metadata }: Body) =>
      JSON.parse(JSON.stringify({ customer_email, customer_name, metadata }))
    )
  }),
  LicenseExplainRequest: (body) => without(body, "binding"),
  LicenseFeatureUsageResetRequest: () => ({ feature_code: "export-pdf", add_credits: 1 }),
  LicenseUserInviteRequest: ({ name, reason }) => ({
    email: `${crypto.randomUUID()}@example.com`,
    ...(name === undefined ? {} : { name }),
    ...(reason === undefined ? {} : { reason })
  }),
  UserSignInRequest: ({ nonce }) => ({ id_token: "e30.e30.c2ln", ...(nonce === undefined ? {} : { nonce }) }),
  GrantCreateRequest: () => ({ feature_code: "export-pdf", amount: 1 }),
  UsageRefundRequest: (body) => ({ ...without(body, "feature_id"), feature_code: "export-pdf" }),
  CustomFieldValueUpsertRequest: ({ string_value = "" }) => ({ string_value }),
  PolicyRehearsalRequest: (body) => without(body, "from", "to"),
  LicenseRenewRequest: () => ({ extend_by_days: 1 }),
  LicenseTransferRequest: (body) => ({ ...body, reset_devices: true }),
  ReportExportCreateRequest: ({ format = "json" }) => ({ report_kind: "usage-summary", format }),
  OfflineFileCreateRequest: (body) => ({ ...body, fingerprint: "f", license_key: licenseKey }),
  PersonCreateRequest: (body) => without(body, "roles"),
  // Required reasons would be asked of the rest of the story, and base64 is no image.
  ServiceSettingsUpdateRequest: (body) => without(body, "required_reasons", "brand_logo"),
  PersonUpdateRequest: (body) => without(body, "roles"),
  RoleCreateRequest: (body) => ({ ...without(body, "product_ids"), name: crypto.randomUUID() }),
  PublishableKeyCreateRequest: (body) => ({ ...body, policy_id: ids["trial"] }),
  APIKeyCreateRequest: (body) => without(body, "allowed_cidrs", "expires_at", "product_ids"),
  CustomFieldDefinitionCreateRequest: (body) => ({ ...body, value_type: "enum", enum_options: ["a"] }),
  WebhookEndpointCreateRequest: (body) => ({ ...body, ...hook }),
  WebhookEndpointUpdateRequest: (body) => without(body, "rotate_secret", "secret_overlap_seconds")
}

/** What nobody who reads a refusal knows: a name of a schema, or words of the library that judges. */
const internal = /\b([A-Z][a-z]+){2,}\b|\bExpected\b/

/** What a refusal leaves its reader without: what is wrong and what is allowed, in the finding and in the message. */
const untaught = ({ path, says }: Pick<Wrong, "path" | "says">, { body }: Answer): string | undefined => {
  const { fields = [], message } = body.error
  const found = fields.find((field: Body) => field.path === path)
  if (found === undefined) return `No finding at ${path}`
  const unsaid = says.filter((text) => !found.message.includes(text))
  if (unsaid.length > 0) return `The finding does not name ${unsaid.join(", ")}`
  if (!message.includes(fields[0].message.replace(/[.]$/, ""))) {
    return "The message does not say what the first finding says"
  }
  return [message, ...fields.map((field: Body) => field.message)].find((text) => internal.test(text))
}

/** Opaque, and written by the service alone. */
const isOpaque = ({ name }: Body): boolean => name === "cursor"

const nowhere = (operation: Documented) => targetOf(operation, () => "none")

const withBody = all.filter(({ node }) => node.requestBody !== undefined)
const withQuery = all.filter(({ parameters }) => parameters.some((given) => given["in"] === "query"))

/** How many requests are made from each schema. */
const rounds = 4

describe("requests that are made from the document", () => {
  it.each(withBody)("$operationId takes what its schema describes, and refuses what it excludes", async (operation) => {
    const { schema } = operation.node.requestBody.content["application/json"]
    const rule = rules[referred(schema) ?? ""] ?? ((body: Body) => body)
    /** What was refused: a fault is sent once, in the surroundings of the round that has it first. */
    const refused = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const body = rule(values.valid(schema) as Body)
      assert.isUndefined(mismatch(schema, body))
      const answer = await send(operation, nowhere(operation), body)
      assert.notInclude([400, 422, 500], answer.status, `${JSON.stringify(body)}: ${answer.text}`)
      assert.isUndefined(undocumented(operation, answer))
      for (const wrong of values.invalid(schema, body)) {
        const fault = `${wrong.path}: ${wrong.what}`
        if (refused.has(fault) || mismatch(schema, wrong.value) === undefined) continue
        refused.add(fault)
        const answer = await send(operation, nowhere(operation), wrong.value)
        assert.isUndefined(undocumented(operation, answer))
        // Rows of usage are refused one by one.
        if (answer.status === 200 && operation.operationId === "reportUsage") {
          assert.isAbove(answer.body.data.refused, 0, `${wrong.what}: ${answer.text}`)
          continue
        }
        assert.include([400, 422], answer.status, `${wrong.what}: ${JSON.stringify(wrong.value)}: ${answer.text}`)
        assert.isUndefined(untaught(wrong, answer), `${wrong.what}: ${answer.text}`)
      }
    }
    assert.isAbove(refused.size, 1)
  })

  it.each(withQuery)("$operationId takes the query that is described, and refuses any other", async (operation) => {
    const query = operation.parameters.filter((given) => given["in"] === "query")
    const required = query.filter((given) => given["required"] === true)
    const ask = (more: Readonly<Record<string, unknown>>) => {
      const given = { ...Object.fromEntries(required.map(({ example, name }) => [name, example])), ...more }
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)])
      return send(operation, `${nowhere(operation)}?${new URLSearchParams(texts)}`, undefined)
    }
    for (const { name, schema } of query.filter((given) => !isOpaque(given))) {
      const value = values.valid(schema)
      const answer = await ask({ [name]: value })
      // Windows have a longest length.
      if (name !== "from" && name !== "to" && !ofOneSubject.has(operation.operationId)) {
        assert.notInclude([400, 422, 500], answer.status, `${name}=${String(value)}: ${answer.text}`)
      }
      assert.isUndefined(undocumented(operation, answer))
      for (const wrong of values.invalid(schema, value)) {
        // In a query all is text.
        if (wrong.what === "no text" || mismatch(schema, wrong.value) === undefined) continue
        const answer = await ask({ [name]: wrong.value })
        assert.strictEqual(answer.status, 400, `${name}: ${wrong.what}: ${answer.text}`)
        assert.isUndefined(undocumented(operation, answer))
        assert.isUndefined(untaught({ ...wrong, path: name }, answer), `${name}: ${wrong.what}: ${answer.text}`)
      }
    }
    const unknown = await ask({ no_such_parameter: 1 })
    assert.strictEqual(unknown.status, 400)
    const says = ["is not a recognized field", "Allowed: "]
    assert.isUndefined(untaught({ path: "no_such_parameter", says }, unknown), unknown.text)
  })
})
