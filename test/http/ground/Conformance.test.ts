import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { catalog } from "../../../src/domain/ground/wire/Errors.ts"
import type { Code } from "../../../src/domain/ground/wire/Errors.ts"
import { addedMembers, answerMembers, baseOperations, requestMembers, valuesOf } from "../../fixtures/contract.ts"
import type { ContractOperation, Member } from "../../fixtures/contract.ts"
import { ContractClient } from "../../fixtures/ContractClient.ts"
import type { Given } from "../../fixtures/ContractClient.ts"
import { exports } from "../../fixtures/contractExportSteps.ts"
import { endings, management, rules, runtime } from "../../fixtures/contractLicenseSteps.ts"
import { answers, enumerations, requests } from "../../fixtures/contractObjects.ts"
import { reports } from "../../fixtures/contractReportSteps.ts"
import { catalogue, commerce, february, january } from "../../fixtures/contractSteps.ts"
import type { Made, Step } from "../../fixtures/contractSteps.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { atEnd, eventually, session } from "../../fixtures/Session.ts"

let service: Service
let database: Session
let client: ContractClient
const made: Made = {}

beforeAll(async () => {
  service = await startService({ environment: { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" } })
  database = await session(service.databaseUrl)
  client = await new ContractClient(service).prepare()
  const files = Scope.makeUnsafe()
  atEnd(() => Effect.runPromise(Scope.close(files, Exit.void)))
  made["receiver"] = await Effect.runPromise(receiver().pipe(Scope.provide(files)))
})

const isVerdict = (outcome: string) => /^\d{3} [A-Z_]+$/.test(outcome)

/** A write once more: a conflict, or an answer that is kept under its key, which another request must not use. */
const conflict = async (operation: ContractOperation, request: Given, headers: Readonly<Record<string, string>>) => {
  const { needsIdempotencyKey, operationId } = operation
  const again = needsIdempotencyKey ? 200 : (await client.call(operation, request, { headers })).status
  if (again === 409) {
    await client.refuse(operationId, request, "409 CONFLICT")
  } else {
    assert.isBelow(again, 300, operationId)
    const other = { ...request.body, [requestMembers(operation.request!)[0]!.name]: "another" }
    await client.refuse(operationId, { ...request, body: other }, "409 IDEMPOTENCY_CONFLICT", { headers })
  }
}

/** Takes one step. The first call of an operation that is to succeed is refused first in every way the table knows. */
const take = async ([operationId, given, outcome = ""]: Step, isFirst: boolean): Promise<void> => {
  const operation = client.operation(operationId)
  const request = given(made)
  if (isVerdict(outcome)) {
    await client.refuse(operationId, request, outcome)
    return
  }
  if (isFirst) await client.refuseAsTheTableSays(operationId, request)
  const headers = { "idempotency-key": randomUUID() }
  const data = await client.drive(operationId, request, operation.needsIdempotencyKey ? { headers } : {})
  if (outcome !== "") made[outcome] = data
  if (isFirst && operation.request !== undefined && operation.errors.includes(409)) {
    await conflict(operation, request, headers)
  }
  if (operation.method === "POST" && operation.request === undefined) {
    // Old clients name a form that they do not send.
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "0" }
    await client.drive(operationId, request, { headers })
  }
}

const parts = { catalogue, commerce, management, runtime, rules, reports, exports, endings }
const firsts = new Set<string>()
const titled = Object.entries(parts).map(([part, steps]) =>
  [
    part,
    steps.map((step) => {
      const [operationId, , outcome = ""] = step
      const isFirst = !isVerdict(outcome) && !firsts.has(operationId)
      if (isFirst) firsts.add(operationId)
      return { title: `${operationId}${isVerdict(outcome) ? `: ${outcome}` : ""}`, step, isFirst }
    })
  ] as const
)

describe.each(titled)("%s", (_part, steps) => {
  it.each(steps)("$title", async ({ isFirst, step }) => {
    // Events are in the feed once the sequencer has come by.
    if (step[0] === "listEvents") await service.feed()
    // An export is made in the background.
    if (step[0] === "downloadReportExport" && !isVerdict(step[2] ?? "")) {
      const path = step[1](made).path!
      const ready = "SELECT 1 FROM report_exports WHERE id = $1 AND status = 'ready'"
      await eventually("it is ready", async () => (await database.query(ready, [...path])).length > 0)
      await client.drive("getReportExport", { path })
    }
    await take(step, isFirst)
  })
})

describe("what is left out", () => {
  it("has the value that the contract names", async () => {
    const path = [made["product"].id]
    const version = await client.drive("createProductVersion", { path, body: { version: "3.0" } })
    assert.approximately(Date.parse(version.released_at), Date.parse(version.created_at), 1000)
    const body = { external_system: "shop", external_id: "bare", status: "trialing" }
    const period = { current_period_start: january, current_period_end: february }
    const subscription = await client.drive("createSubscription", { path, body: { ...body, ...period } })
    assert.isFalse(subscription.cancel_at_period_end)
    const { api_key } = await client.drive("createAPIKey", { body: { name: "bare" } })
    assert.deepStrictEqual(api_key.scopes, ["admin"])
    const { secret, webhook } = await client.drive("createWebhookEndpoint", {
      body: { name: "bare", url: made["receiver"].url }
    })
    assert.match(secret, /^whsec_/)
    assert.deepStrictEqual(webhook.event_types, [])
  })

  it("a subscription comes with the order of a new license", async () => {
    const order_id = made["order paid"].id
    const { license } = await client.drive("createLicense", {
      body: { product_id: made["product"].id, policy_id: made["subscription"].id, order_id }
    })
    assert.strictEqual(license.subscription_id, made["subscription active"].id)
  })
})

describe("what no request brings at once", () => {
  it("last_delivery_at of a webhook endpoint", async () => {
    const path = [made["endpoint"].webhook.id]
    await eventually("a delivery", async () => (await client.drive("getWebhookEndpoint", { path })).last_delivery_at)
  })

  it("last_validated_at of a device", async () => {
    const path = [made["kept"].license.id]
    await eventually(
      "the sighting is written",
      async () => (await client.drive("listLicenseDevices", { path }))[0].last_validated_at
    )
  })

  it("max_container_instances of a policy, which only our own members set", async () => {
    const path = [made["subscription"].id]
    await service.data("PATCH", `/api/v1/policies/${path[0]}`, { max_container_instances: 2 })
    assert.strictEqual((await client.drive("getPolicy", { path })).max_container_instances, 2)
  })

  it("last_used_at of an API key", async () => {
    await eventually(
      "a key was used",
      async () => (await client.drive("listAPIKeys", {})).some((key: { last_used_at?: string }) => key.last_used_at)
    )
  })
})

describe("the whole table was spoken", () => {
  /** 503 of readyz needs a service without its database: test/world/machines/Server.test.ts. */
  const elsewhere = ["readyz 503"]

  it("every operation was answered with each of its success statuses", () => {
    const all = baseOperations.flatMap(({ operationId, statuses }) =>
      statuses.map((status) => `${operationId} ${status}`)
    )
    assert.lengthOf(baseOperations, 85)
    assert.deepStrictEqual(all.filter((answer) => !client.answered.has(answer)), elsewhere)
  })

  it("every operation was refused with each of its error statuses", () => {
    const all = baseOperations.flatMap(({ errors, operationId }) => errors.map((status) => `${operationId} ${status}`))
    assert.deepStrictEqual(all.filter((answer) => !client.answered.has(answer)), [])
  })

  it("every member of every request, every value of its lists and every query parameter was taken", () => {
    const members = Object.keys(requests).flatMap(requestMembers)
    const lists = new Set(members.map(({ type }) => type.replace("[]", "")))
    const all = [
      ...Object.keys(requests).flatMap((name) => requestMembers(name).map((member) => `${name}.${member.name}`)),
      ...Object.entries(enumerations).filter(([name]) => lists.has(name)).flatMap(([name, values]) =>
        values.split(" ").map((value) => `${name}=${value}`)
      ),
      ...baseOperations.flatMap(({ operationId, query }) => query.map(({ name }) => `${operationId}?${name}`))
    ]
    assert.deepStrictEqual(all.filter((item) => !client.taken.has(item)), [])
  })

  it("every member of every answer was seen", () => {
    const all = Object.keys(answers).flatMap((name) => answerMembers(name).map((member) => `${name}.${member.name}`))
    // A lease is named by its token alone, which does not say which version asks.
    const optional = ["FloatingLeaseResponseData.version_eligibility"]
    assert.deepStrictEqual(all.filter((member) => !client.seen.has(member)), optional)
  })
})

describe("the published document", () => {
  let schemas: Body
  let paths: Body

  beforeAll(async () => {
    const document = (await service.call("GET", "/openapi.json", { token: null })).body
    schemas = document.components.schemas
    paths = document.paths
  })

  const namesOf = (members: ReadonlyArray<Member>) => members.map(({ name }) => name)
  const required = (members: ReadonlyArray<Member>) => namesOf(members.filter((member) => member.required))

  it.each(Object.keys(requests))("%s takes the members of the contract and requires no other", (name) => {
    const { additionalProperties, properties, required: needed = [] } = schemas[name]
    assert.isFalse(additionalProperties)
    assert.includeMembers(Object.keys(properties), namesOf(requestMembers(name)))
    assert.sameMembers(needed, required(requestMembers(name)))
  })

  // The error object stands in the schema of each code.
  it.each(Object.keys(answers).filter((name) => name !== "ErrorObject"))(
    "%s has the members of the contract",
    (name) => {
      const members = [...answerMembers(name), ...addedMembers(name)]
      assert.sameMembers(Object.keys(schemas[name].properties), namesOf(members))
      assert.sameMembers(schemas[name].required ?? [], required(members))
    }
  )

  it.each(Object.keys(enumerations))("%s is closed", (name) => {
    assert.sameMembers(schemas[name].enum, [...valuesOf(name)!])
  })

  it.each(baseOperations)("$operationId declares its statuses", ({ errors, method, path, statuses }) => {
    assert.includeMembers(Object.keys(paths[path][method.toLowerCase()].responses).map(Number), [
      ...statuses,
      ...errors
    ])
  })

  it("declares no error status beyond the table, but for those of every operation and these", () => {
    const ofAll = new Set([408, 413, 415, 429, 500, 503])
    /**
     * What decisions of our own add to any list and any write, to whatever is sent a body that it does not know, and to a
     * change that is asked for with If-Match.
     */
    const general = new RegExp(
      `^(${
        [
          "INVALID_(QUERY|CURSOR|HEADER|JSON)",
          "UNKNOWN_FIELD",
          "VALIDATION_ERROR",
          "IDEMPOTENCY_(CONFLICT|IN_FLIGHT)",
          "PRECONDITION_FAILED"
        ].join("|")
      })$`
    )
    const beyond = baseOperations.flatMap(({ errors, method, operationId, path }) =>
      paths[path][method.toLowerCase()]["x-error-codes"]
        .filter((code: Code) => !ofAll.has(catalog[code].status) && !errors.includes(catalog[code].status))
        .filter((code: Code) => !general.test(code))
        .map((code: Code) => `${operationId} ${code}`)
    )
    assert.sameMembers(beyond, [
      // A lease that ran out, which the holder must tell from one that never was.
      "heartbeatFloatingLicense LEASE_EXPIRED",
      // A range that the file does not have.
      "downloadReportExport RANGE_NOT_SATISFIABLE",
      // A poller whose place was lost with a restored log must not go on as if nothing was.
      "listEvents CURSOR_AHEAD",
      // One whose place was archived and dropped must not lose the events between.
      "listEvents CURSOR_BEHIND",
      // The list of something that does not exist is not empty.
      "createCustomer NOT_FOUND",
      "listProductVersions NOT_FOUND",
      "listProductSubscriptions NOT_FOUND",
      "listProductOrders NOT_FOUND",
      "listProductCustomFieldDefinitions NOT_FOUND",
      "listPoliciesByProduct NOT_FOUND",
      "listFeaturesByProduct NOT_FOUND",
      "listLicenseFeatures NOT_FOUND"
    ])
  })
})
