import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let other: Service
let database: Session

beforeAll(async () => {
  service = await startService()
  other = await startService({ databaseUrl: service.databaseUrl, as: "host" })
  database = await session(service.databaseUrl)
})

type Metered = Issued & { readonly feature: Body }

/** A license with an activated device and one metered feature, called `render`. */
const metered = async (feature: object = {}, policy: object = {}): Promise<Metered> => {
  const issued = await service.issue({ policy })
  const made = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
    name: "Rendering",
    code: "render"
  })
  await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: made.id, ...feature })
  await activate(issued.key, "a")
  return { ...issued, feature: made }
}

const activate = async (key: string, fingerprint: string): Promise<void> => {
  const answer = await service.license("activate", key, { fingerprint })
  assert.strictEqual(answer.status, 200, answer.text)
}

const consume = (
  key: string,
  body: object = {},
  headers: Record<string, string> = {},
  node: Service = service
): Promise<Answer> =>
  node.license("consume", key, { fingerprint: "a", feature_code: "render", event_id: randomUUID(), ...body }, headers)

const assigned = async ({ license }: Issued): Promise<Body> =>
  (await service.data("GET", `/api/v1/licenses/${license.id}/features`))[0]

const records = async ({ license }: Issued): Promise<ReadonlyArray<Body>> =>
  database.query("SELECT event_id, amount::int FROM usage_records WHERE license_id = $1", [license.id])

const eventsOf = async ({ license }: Issued, kind: string): Promise<Array<Body>> =>
  service.feed(`&event_type=${kind}&resource_id=${license.id}`)

const consumed = (answers: ReadonlyArray<Answer>): Array<number> =>
  answers.filter(({ status }) => status === 200).map(({ body }) => body.data.features[0].consumed)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const sorted = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

describe("consume (trap 3: honest concurrent callers are refused)", () => {
  it("lands 30 parallel uses, once each and none refused, each answered its own sum", async () => {
    const issued = await metered({ max_consumptions: 1000 })
    const answers = await Promise.all(
      upTo(30).map((index) => consume(issued.key, {}, {}, index % 2 ? service : other))
    )
    assert.isTrue(answers.every(({ status }) => status === 200), answers.find(({ status }) => status !== 200)?.text)
    assert.deepStrictEqual(sorted(consumed(answers)), upTo(30))
    assert.strictEqual((await records(issued)).length, 30)
    const { remaining, total_consumptions } = await assigned(issued)
    assert.deepStrictEqual({ remaining, total_consumptions }, { remaining: 970, total_consumptions: 30 })
    const license = await service.data("GET", `/api/v1/licenses/${issued.license.id}`)
    assert.strictEqual(license.total_consumptions, 30)
    const events = await eventsOf(issued, "license.usage_recorded")
    assert.deepStrictEqual(sorted(events.map(({ data }) => data.total_consumptions)), upTo(30))
    assert.sameMembers(events.map(({ request_id }) => request_id), answers.map(({ body }) => body.meta.request_id))
    assert.isTrue(events.every((event) => event.actor_type === "license" && event.actor_id === issued.license.id))
    assert.isTrue(events.every(({ ip_address }) => ip_address === "127.0.0.1"))
  })

  it("admits exactly its quota, and says once that it was reached", async () => {
    const issued = await metered({ max_consumptions: 17 })
    const race = (callers: number) =>
      Promise.all(upTo(callers).map((index) => consume(issued.key, {}, {}, index % 2 ? service : other)))
    const answers = await race(30)
    assert.deepStrictEqual(sorted(consumed(answers)), upTo(17))
    for (const { body, status } of answers) {
      if (status === 200) assert.strictEqual(body.data.features[0].remaining, 17 - body.data.features[0].consumed)
    }
    assert.deepInclude(await assigned(issued), { total_consumptions: 17, remaining: 0 })
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual((await eventsOf(issued, "license.quota_reached")).length, 1)
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/usage/reset`, {
      feature_code: "render",
      add_credits: 3
    })
    assert.deepStrictEqual(sorted(consumed(await race(12))), [18, 19, 20])
    const reached = await eventsOf(issued, "license.quota_reached")
    assert.deepStrictEqual(reached.map(({ data }) => data.total_consumptions), [17, 20])
  })

  it("takes the amounts that fit and refuses those that do not, in one race", async () => {
    const issued = await metered({ max_consumptions: 100 })
    const answers = await Promise.all(upTo(30).map((index) => consume(issued.key, { amount: (index % 7) + 1 })))
    const landed = answers.filter(({ status }) => status === 200).length
    const sum = (await records(issued)).reduce((total, { amount }) => total + amount, 0)
    assert.strictEqual((await records(issued)).length, landed)
    assert.strictEqual((await assigned(issued)).total_consumptions, sum)
    assert.isAtMost(sum, 100)
    const over = refused(await consume(issued.key, { amount: 101 }), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(over.detail, `${100 - sum} left, 101 asked for`)
  })

  it("counts an event_id once for ever, whatever the Idempotency-Key and however many at once", async () => {
    const issued = await metered()
    const event_id = randomUUID()
    const answers = await Promise.all(
      upTo(20).map((index) => consume(issued.key, { event_id, amount: 5 }, {}, index % 2 ? service : other))
    )
    assert.isTrue(answers.every(({ status }) => status === 200))
    assert.strictEqual((await assigned(issued)).total_consumptions, 5)
    assert.lengthOf(await eventsOf(issued, "license.usage_recorded"), 1)
    const conflict = refused(await consume(issued.key, { event_id, amount: 6 }), 409, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual(conflict.detail, "amount 5")
    // Two amounts for one event at once: one of them counts, those with the other are told.
    const contested = randomUUID()
    const mixed = await Promise.all(
      upTo(12).map((index) => consume(issued.key, { event_id: contested, amount: 1 + (index % 2) }))
    )
    const record = (await records(issued)).find(({ event_id }) => event_id === contested)
    const statuses = mixed.map(({ status }, index) => [1 + ((index + 1) % 2), status])
    assert.isTrue(statuses.every(([amount, status]) => status === (amount === record.amount ? 200 : 409)))
    // It stays counted after a reset, and on a quota that is used up.
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/usage/reset`, {
      feature_code: "render",
      max_consumptions: 0,
      reset_consumed: true
    })
    assert.strictEqual((await consume(issued.key, { event_id, amount: 5 })).status, 200)
    assert.strictEqual((await assigned(issued)).total_consumptions, 0)
  })

  it("replays an answer for its Idempotency-Key, refuses another request with it, and needs one", async () => {
    const issued = await metered()
    const headers = { "idempotency-key": randomUUID() }
    const body = { event_id: randomUUID() }
    const first = await consume(issued.key, body, headers)
    const again = await consume(issued.key, body, headers, other)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.isUndefined(first.headers["idempotency-replayed"])
    refused(await consume(issued.key, {}, headers), 409, "IDEMPOTENCY_CONFLICT")
    refused(await service.license("activate", issued.key, { fingerprint: "a" }, headers), 409, "IDEMPOTENCY_CONFLICT")
    refused(await consume(issued.key, {}, { "idempotency-key": "" }), 400, "IDEMPOTENCY_KEY_REQUIRED")
    refused(await consume(issued.key, {}, { "idempotency-key": "a b" }), 400, "INVALID_HEADER")
    // Another license's key of the same name is another key.
    assert.strictEqual((await consume((await metered()).key, body, headers)).status, 200)
    // A refusal is not an answer to keep.
    const later = { "idempotency-key": randomUUID() }
    const late = { fingerprint: "b", event_id: randomUUID() }
    refused(await consume(issued.key, late, later), 404, "DEVICE_NOT_ACTIVATED")
    await service.call("PATCH", `/api/v1/policies/${issued.policy.id}`, { body: { max_activations: 2 } })
    await activate(issued.key, "b")
    assert.strictEqual((await consume(issued.key, late, later)).status, 200)
  })

  it("counts equal requests at once one time, and tells the others to come back or repeats itself", async () => {
    const issued = await metered()
    const headers = { "idempotency-key": randomUUID() }
    const body = { event_id: randomUUID() }
    const answers = await Promise.all(
      upTo(12).map((index) => consume(issued.key, body, headers, index % 2 ? service : other))
    )
    const landed = answers.filter(({ status }) => status === 200)
    assert.strictEqual(landed.filter(({ headers }) => headers["idempotency-replayed"] === undefined).length, 1)
    assert.strictEqual(new Set(landed.map(({ text }) => text)).size, 1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, "IDEMPOTENCY_IN_FLIGHT")
    assert.strictEqual((await assigned(issued)).total_consumptions, 1)
  })

  it("refuses one of those that arrive together without harm to the others", async () => {
    const issued = await metered({ max_consumptions: 50 })
    const second = await metered({ enabled: false })
    const [good, unknown, device, wrongFeature, wrongKey, off] = await Promise.all([
      Promise.all(upTo(10).map(() => consume(issued.key))),
      consume(issued.key, { feature_code: "nothing" }),
      consume(issued.key, { fingerprint: "elsewhere" }),
      consume(issued.key, { product_code: "other" }),
      consume("CS-00000-00000-00000-00000-00000"),
      consume(second.key)
    ])
    assert.isTrue(good.every(({ status }) => status === 200))
    refused(unknown, 403, "FEATURE_NOT_ENTITLED")
    refused(device, 404, "DEVICE_NOT_ACTIVATED")
    refused(wrongFeature, 403, "PRODUCT_MISMATCH")
    refused(wrongKey, 401, "LICENSE_KEY_INVALID")
    refused(off, 403, "FEATURE_NOT_ENTITLED")
    assert.strictEqual((await assigned(issued)).total_consumptions, 10)
  })

  it("keeps sums that every JSON library can read", async () => {
    const issued = await metered()
    const amount = Number.MAX_SAFE_INTEGER
    assert.strictEqual((await consume(issued.key, { amount })).status, 200)
    refused(await consume(issued.key), 403, "FEATURE_QUOTA_EXCEEDED")
    refused(await consume(issued.key, { amount: 0 }), 422, "VALIDATION_ERROR")
    assert.strictEqual((await assigned(issued)).total_consumptions, amount)
    assert.strictEqual((await service.call("GET", `/api/v1/licenses/${issued.license.id}`)).status, 200)
    assert.strictEqual((await service.license("validate", issued.key, { fingerprint: "a" })).status, 200)
  })

  it("counts once what is asked again after the process was killed", async () => {
    const issued = await metered()
    const uses = upTo(24).map(() => [{ event_id: randomUUID() }, { "idempotency-key": randomUUID() }] as const)
    const asked = uses.map(([body, headers]) => consume(issued.key, body, headers, other).catch(() => undefined))
    await Promise.any(asked)
    await other.kill("SIGKILL")
    await Promise.all(asked)
    const answers: Array<Answer> = []
    await other.start()
    for (const [body, headers] of uses) answers.push(await consume(issued.key, body, headers, other))
    assert.isTrue(answers.every(({ status }) => status === 200))
    assert.strictEqual((await assigned(issued)).total_consumptions, 24)
    assert.strictEqual((await eventsOf(issued, "license.usage_recorded")).length, 24)
  })
})
