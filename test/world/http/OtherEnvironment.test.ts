// Whatever belongs to one environment is of no use in the other: one table of things and places, and what each is told.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { memoryStore, openLicense } from "../../../src/client/app/index.ts"
import type { PublicKey } from "../../../src/client/app/index.ts"
import {
  verifyCheckpoint,
  verifyEnvelope,
  verifyExport,
  verifyOffline,
  verifyRefusal
} from "../../../src/client/verify/index.ts"
import { memoryInbox, Receiver } from "../../../src/client/webhooks/index.ts"
import type { Feed, ReceiverOptions } from "../../../src/client/webhooks/index.ts"
import type { EnvironmentName } from "../../../src/domain/ground/environments/EnvironmentName.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const service = await startService()
testDatabaseOf(service)

const tokens: Readonly<Record<EnvironmentName, string>> = { live: adminToken, test: testToken }
const prefixes: Readonly<Record<EnvironmentName, string>> = { live: "", test: "/test" }
const otherOf: Readonly<Record<EnvironmentName, EnvironmentName>> = { live: "test", test: "live" }
const device = { fingerprint: "f-1" }

/** A vendor with one of everything in an environment. */
const makeWorld = async (name: EnvironmentName) => {
  const ask = (method: string, path: string, body?: unknown): Promise<Body> =>
    service.data(method, path, body, { token: tokens[name] })
  const open = async (path: string) => (await service.call("GET", prefixes[name] + path, { token: null })).body
  const product = await ask("POST", "/api/v1/products", { name: "Acme Studio", code: `acme-${name}` })
  const policy = await ask("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    duration: "P1Y",
    offline_grace_days: 30,
    max_floating_users: 5,
    max_activations: 5
  })
  const under = { product_id: product.id, policy_id: policy.id }
  const receiver = await startReceiver()
  const webhook = await ask("POST", "/api/v1/webhooks", { name: "told", url: receiver.url, event_types: ["license.*"] })
  const issued = await ask("POST", "/api/v1/licenses", under)
  const key: string = issued.license_key
  const runtime = async (operation: string, body: object = device, on: string = key) => {
    const answer = await service.license(operation, on, body)
    assert.strictEqual(answer.status, 200, answer.text)
    return answer
  }
  const { body: { data: activated } } = await runtime("activate")
  const trial = await ask("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Trial",
    code: "trial",
    license_type: "trial",
    duration: "P14D"
  })
  const publishable = await ask("POST", `/api/v1/products/${product.id}/publishable-keys`, {
    name: "app",
    policy_id: trial.id
  })
  const { body: { data: seat } } = await runtime("floating/checkout", { fingerprint: "f-2" })
  const { file, lic } = await ask("POST", `/api/v1/licenses/${issued.license.id}/offline-files`, {
    fingerprint: "f-3",
    license_key: key
  })
  const report = await ask("POST", "/api/v1/reports/exports", { report_kind: "usage-summary", format: "json" })
  await eventually(
    "the export is ready",
    async () => (await ask("GET", `/api/v1/reports/exports/${report.id}`)).status === "ready"
  )
  const download = (part: string) =>
    service.call("GET", `/api/v1/reports/exports/${report.id}/${part}`, { token: tokens[name] })
  const checkpoint: Body = await eventually("the log has a checkpoint", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint", { token: tokens[name] })
    return status === 200 && body.data
  })
  return {
    ask,
    key,
    publishable: String(publishable.key),
    product,
    under,
    license: issued.license,
    activated,
    leaseToken: String(seat.lease_token),
    lic,
    envelope: (await runtime("offline")).body.data,
    answer: (await runtime("validate")).text,
    revocations: JSON.stringify(await open("/api/v1/license/revocations")),
    keys: (await open("/api/v1/system/public-keys")).data as ReadonlyArray<PublicKey>,
    manifest: (await download("manifest")).text,
    report: (await download("download")).text,
    checkpoint,
    secret: String(webhook.secret),
    deliveries: () => receiver.received,
    ids: {
      products: product.id,
      policies: policy.id,
      licenses: issued.license.id,
      "reports/exports": report.id,
      webhooks: webhook.id
    },
    paths: [
      `/api/v1/licenses/${issued.license.id}/devices/${activated.device_id}`,
      `/api/v1/licenses/${issued.license.id}/offline-files/${file.id}`
    ]
  }
}

let live: Awaited<ReturnType<typeof makeWorld>>
let test: Awaited<ReturnType<typeof makeWorld>>
/** The keys of both, as somebody has them who took whatever there was: no signature is unknown to them. */
let bothKeys: ReadonlyArray<PublicKey>

beforeAll(async () => {
  live = await makeWorld("live")
  test = await makeWorld("test")
  bothKeys = [...live.keys, ...test.keys]
})

/** The words of what a promise rejects with. */
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then((taken) => assert.fail(`taken: ${JSON.stringify(taken)}`), (error: unknown) => (error as Error).message)

/** What a verdict finds fault with. */
const fault = async (promise: Promise<{ readonly ok: boolean; readonly fault?: string; readonly detail?: string }>) => {
  const verdict = await promise
  assert.isFalse(verdict.ok)
  return `${verdict.fault}: ${verdict.detail}`
}

/** An app for customers, which knows the live environment. */
const customersApp = (publicKeys = live.keys, baseUrl = service.url) =>
  openLicense({
    baseUrl,
    productCode: "acme-live",
    publicKeys,
    store: memoryStore(),
    fingerprint: "f-3",
    transport: { maxRetries: 0 }
  })

/** A receiver that notes what it handles and what it complains of. */
const noting = (options: Partial<ReceiverOptions> = {}) => {
  const handled: Array<string> = []
  const said: Array<string> = []
  const receiver = new Receiver({
    secrets: test.secret,
    handle: ({ type }) => void handled.push(type),
    onError: (error) => void said.push((error as Error).message),
    ...options
  })
  return { receiver, handled, said }
}

const delivered = () =>
  eventually(
    "an event of test is delivered",
    async () => test.deliveries().find(({ body }) => body.includes("license.created"))
  )

const feed = (name: EnvironmentName): Feed => ({
  events: {
    list: ({ cursor = 0, limit = 100 }) => ({
      withResponse: async () =>
        (await service.call("GET", `/api/v1/events?cursor=${cursor}&limit=${limit}`, { token: tokens[name] })).body
    })
  }
})

const isNamed = /of the test environment/
const likely = /is signed with a key that is not among the public keys: it says that it is of the test environment/

/** The thing, the place where it is of no use, what is tried, and the words that it is refused with. */
const misplaced: ReadonlyArray<readonly [thing: string, place: string, attempt: () => Promise<string>, words: RegExp]> =
  [
    [
      "a license key of test",
      "an app for customers",
      async () => refusal((await customersApp()).activate(test.key)),
      isNamed
    ],
    [
      "a publishable key of test",
      "an app for customers",
      async () => refusal((await customersApp()).startTrial(test.publishable)),
      isNamed
    ],
    [
      "a license key of live",
      "an app at the address of test",
      async () => refusal((await customersApp(bothKeys, `${service.url}/test`)).activate(live.key)),
      isNamed
    ],
    [
      "a signed answer of test",
      "a verifier with the keys of both",
      () => refusal(verifyEnvelope({ body: test.answer, publicKeys: bothKeys })),
      isNamed
    ],
    [
      "a signed answer of test",
      "a verifier with the keys of live",
      () => refusal(verifyEnvelope({ body: test.answer, publicKeys: live.keys })),
      likely
    ],
    [
      "the list of revocations of test",
      "a verifier with the keys of live",
      () => refusal(verifyEnvelope({ body: test.revocations, publicKeys: live.keys })),
      likely
    ],
    [
      "a signed refusal of test",
      "a verifier with the keys of both",
      async () => {
        const question = {
          nonce: "nonce-0123456789",
          licenseKey: test.key,
          method: "POST",
          path: "/api/v1/license/validate"
        }
        const body = JSON.stringify({ fingerprint: "unknown" })
        const { text } = await service.call(question.method, question.path, {
          licenseKey: question.licenseKey,
          raw: body,
          headers: { "content-type": "application/json", "x-nonce": question.nonce }
        })
        return refusal(verifyRefusal({ body: text, publicKeys: bothKeys, question: { ...question, body } }))
      },
      isNamed
    ],
    [
      "an offline envelope of test",
      "a verifier with the keys of both",
      () =>
        refusal(verifyOffline({
          envelope: test.envelope,
          licenseKey: test.key,
          deviceId: test.activated.device_id,
          publicKeys: bothKeys
        })),
      isNamed
    ],
    [
      "an offline envelope of test",
      "a verifier with the keys of live",
      () =>
        refusal(verifyOffline({
          envelope: test.envelope,
          licenseKey: test.key,
          deviceId: test.activated.device_id,
          publicKeys: live.keys
        })),
      likely
    ],
    [
      "a .lic file of test",
      "an app for customers with the keys of both",
      async () => refusal((await customersApp(bothKeys)).keepOffline(JSON.stringify(test.lic), test.key)),
      isNamed
    ],
    [
      "a webhook of test",
      "a receiver that is not for tests",
      async () => {
        const { handled, receiver, said } = noting()
        const { body, headers } = await delivered()
        const { "content-length": _length, ...others } = headers
        assert.deepStrictEqual(await receiver.receive(body, others as Record<string, string>), {
          status: 400,
          body: "environment_mismatch"
        })
        assert.deepStrictEqual(handled, [])
        return said.join()
      },
      isNamed
    ],
    [
      "the feed of test",
      "a receiver that is not for tests",
      async () => {
        const inbox = memoryInbox()
        const { handled, receiver } = noting({ feed: feed("test"), inbox, startAfter: 0 })
        const words = await refusal(receiver.heal())
        assert.deepStrictEqual([handled, await inbox.readPlace()], [[], undefined])
        return words
      },
      isNamed
    ],
    [
      "a checkpoint of test",
      "an auditor with the keys of live",
      () => fault(verifyCheckpoint({ note: test.checkpoint.note, publicKeys: live.keys })),
      /unknown_key: .* of [^ ]+\/test\/events\/[^ ]+ is signed with none of the public keys/
    ],
    [
      "a checkpoint of test",
      "an auditor who kept one of live",
      () =>
        fault(verifyCheckpoint({
          note: test.checkpoint.note,
          publicKeys: bothKeys,
          since: { note: live.checkpoint.note, prove: () => assert.fail("no proof can help") }
        })),
      /other_log: .* is of [^ ]+\/test\/events\/[^ ]+, the one that was kept is of [^ ]+\/events\//
    ],
    [
      "a report of test",
      "a verifier with the keys of live",
      () => refusal(verifyExport({ file: [Buffer.from(test.report)], manifest: test.manifest, publicKeys: live.keys })),
      likely
    ],
    [
      "a license key of live",
      "a license that is created in test",
      async () => (await created("test", live.key)).join(),
      /license_key other_environment must not be a key of the live environment.*this is the test environment/
    ],
    [
      "a license key of test",
      "a license that is created in live",
      async () => (await created("live", test.key)).join(),
      /license_key other_environment must not be a key of the test environment.*this is the live environment/
    ],
    [
      "a license key of test",
      "a search for its license in live",
      async () =>
        (await service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: test.key } })).body.error.message,
      /it is of the test environment, and the live environment was asked/
    ]
  ]

/** Tries to create a license with a key, alone and among others; answers what is said of it. */
const created = async (name: EnvironmentName, license_key: string): Promise<ReadonlyArray<string>> => {
  const { under } = name === "live" ? live : test
  const post = (path: string, body: object) => service.call("POST", path, { token: tokens[name], body })
  const one = await post("/api/v1/licenses", { ...under, license_key })
  const many = await post("/api/v1/licenses/bulk", {
    defaults: under,
    licenses: [{}, { license_key }],
    mode: "per_row"
  })
  assert.strictEqual(one.status, 422, one.text)
  assert.deepStrictEqual([many.body.data.created, many.body.data.refused], [1, 1], many.text)
  const found = [one.body.error.fields, many.body.data.results[1].error.fields].flat().map(
    ({ code, message, path }: Body) => `${path} ${code} ${message}`
  )
  assert.lengthOf(found, 2)
  assert.strictEqual(found[0], found[1])
  assert.notInclude(found.join(), license_key)
  return found
}

describe("of another environment", () => {
  it.each(misplaced)("%s is refused by %s", async (_thing, _place, attempt, words) => {
    assert.match(await attempt(), words)
  })

  it("a receiver for tests takes what is of test, from deliveries and from the feed", async () => {
    const { handled, receiver } = noting({
      feed: feed("test"),
      startAfter: 0,
      allowTest: true,
      types: ["license.created"]
    })
    const { body, headers } = await delivered()
    assert.strictEqual((await receiver.receive(body, headers as Record<string, string>)).status, 204)
    const environments: Array<unknown> = []
    const healing = noting({
      feed: feed("test"),
      startAfter: 0,
      allowTest: true,
      handle: (event) => void environments.push((event as { readonly environment?: unknown }).environment)
    })
    await healing.receiver.heal()
    assert.deepStrictEqual(handled, ["license.created"])
    assert.isAbove(environments.length, 5)
    assert.deepStrictEqual([...new Set(environments)], ["test"])
  })

  it.each(["live", "test"] as const)("nothing of %s is found by its ID", async (name) => {
    const { ids, paths } = name === "live" ? live : test
    const all = [...Object.entries(ids).map(([resource, id]) => `/api/v1/${resource}/${id}`), ...paths]
    for (const path of all) {
      const answer = await service.call("GET", path, { token: tokens[otherOf[name]] })
      assert.include([404, 405], answer.status, `${path}: ${answer.text}`)
    }
    for (const part of ["download", "manifest", "snapshot"]) {
      const path = `/api/v1/reports/exports/${ids["reports/exports"]}/${part}`
      assert.strictEqual((await service.call("GET", path, { token: tokens[otherOf[name]] })).status, 404, path)
    }
  })

  it.each(["live", "test"] as const)("a lease token of %s moves no lease with a key of the other one", async (name) => {
    const [own, other] = name === "live" ? [live, test] : [test, live]
    for (const operation of ["floating/heartbeat", "floating/checkin"]) {
      const answer = await service.license(operation, other.key, { lease_token: own.leaseToken })
      assert.strictEqual(answer.body.error?.code, "LEASE_NOT_FOUND", answer.text)
    }
    assert.strictEqual(
      (await service.license("floating/heartbeat", own.key, { lease_token: own.leaseToken })).status,
      200
    )
  })

  it("an Idempotency-Key, a cursor and an ETag say nothing", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const body = { name: "Once", code: randomUUID() }
    const made = await Promise.all(
      (["live", "test"] as const).map((name) =>
        service.call("POST", "/api/v1/products", { token: tokens[name], body, headers })
      )
    )
    assert.deepStrictEqual(made.map(({ status }) => status), [201, 201])
    assert.notStrictEqual(made[0]!.body.data.id, made[1]!.body.data.id)
    assert.deepStrictEqual(made.map(({ headers }) => headers["idempotency-replayed"]), [undefined, undefined])

    const page = await service.call("GET", "/api/v1/products?limit=1", { token: testToken })
    const cursor = encodeURIComponent(page.body.page_info.next_cursor)
    const next = await service.call("GET", `/api/v1/products?limit=200&cursor=${cursor}`)
    const there = new Set((await test.ask("GET", "/api/v1/products")).map(({ id }: Body) => id))
    for (const { id } of next.status === 200 ? next.body.data : []) assert.isFalse(there.has(id), id)

    const [ofLive, ofTest] = await Promise.all(
      ["", "/test"].map((prefix) => service.call("GET", `${prefix}/api/v1/system/public-keys`, { token: null }))
    )
    const again = await service.call("GET", "/api/v1/system/public-keys", {
      token: null,
      headers: { "if-none-match": String(ofTest!.headers["etag"]) }
    })
    assert.strictEqual(again.status, 200)
    assert.deepStrictEqual(again.body.data, ofLive!.body.data)
  })
})
