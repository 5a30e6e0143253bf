import { assert, describe, it } from "@effect/vitest"
import { makeCustomer, makeProduct } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Received, Receiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const database = await session(service.databaseUrl)

const create = async ({ url }: Receiver, more: object = {}): Promise<string> =>
  (await service.data("POST", "/api/v1/webhooks", { name: "Ledger", url, event_types: ["product.created"], ...more }))
    .webhook.id
const change = (id: string, body: object): Promise<Body> => service.data("PATCH", `/api/v1/webhooks/${id}`, body)
const remove = (id: string) => service.call("DELETE", `/api/v1/webhooks/${id}`)
/** Answers once the feed has all of them. */
const happen = async (count: number): Promise<void> => {
  let last = ""
  for (let index = 0; index < count; index++) last = (await makeProduct(service)).id
  await service.feed(`&resource_id=${last}`)
}
const sequenceOf = ({ body }: Received): number => JSON.parse(body).sequence
const rowsOf = (id: string) => database.query("SELECT seq, attempt FROM webhook_retries WHERE endpoint_id = $1", [id])
/** What waits for its next attempt is due now. */
const dueNow = (id: string) => database.query("UPDATE webhook_retries SET due_at = now() WHERE endpoint_id = $1", [id])

describe("an ordered endpoint", () => {
  it("is sent one delivery at a time, and none before the one before it was accepted", async () => {
    const target = await startReceiver()
    const other = await startReceiver()
    let underWay = 0
    let most = 0
    const refused = new Map<number, number>()
    const accepted: Array<number> = []
    target.respond = (response, delivery) => {
      underWay += 1
      most = Math.max(most, underWay)
      setImmediate(() => {
        underWay -= 1
        const sequence = sequenceOf(delivery)
        const times = refused.get(sequence) ?? 0
        // Each third one is refused twice, once for its pace.
        const isRefused = accepted.length % 3 === 2 && times < 2
        if (isRefused) refused.set(sequence, times + 1)
        else accepted.push(sequence)
        response.writeHead(isRefused ? (times === 0 ? 500 : 429) : 204).end()
      })
    }
    const id = await create(target, { ordered: true })
    const beside = await create(other)
    assert.isTrue((await service.data("GET", `/api/v1/webhooks/${id}`)).ordered)
    await happen(12)
    // A failing one holds up its own endpoint alone.
    await eventually("others arrive", () => other.received.length === 12)
    let changes = 0
    await eventually("all are accepted", async () => {
      // What waits is tried at once after a change.
      await change(id, { name: `Ledger ${changes++}` })
      return accepted.length === 12
    })
    assert.deepStrictEqual(accepted, accepted.toSorted((a, b) => a - b))
    assert.strictEqual(new Set(accepted).size, 12)
    assert.strictEqual(most, 1)
    for (const each of [id, beside]) await remove(each)
  })

  it("becomes one and none again, with what waits in order", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(500).end()
    const id = await create(target)
    await happen(6)
    await eventually("all have failed", async () => (await rowsOf(id)).length === 6)
    const before = target.received.length
    const accepted: Array<number> = []
    target.respond = (response, delivery) => {
      accepted.push(sequenceOf(delivery))
      response.writeHead(204).end()
    }
    // The last ones are due first.
    await database.query(
      "UPDATE webhook_retries SET due_at = now() + (100000 - seq) * interval '1 second' WHERE endpoint_id = $1",
      [id]
    )
    assert.isTrue((await change(id, { ordered: true }))["ordered"])
    await happen(3)
    await eventually("all are accepted", () => accepted.length === 9)
    assert.deepStrictEqual(accepted, accepted.toSorted((a, b) => a - b))
    assert.isAtLeast(before, 6)
    assert.notProperty(await change(id, { ordered: false }), "ordered")
    const kinds = (await service.feed(`&resource_id=${id}`)).map(({ data }) => data["ordered"])
    assert.deepStrictEqual(kinds, [undefined, true, undefined])
    await remove(id)
  })

  it("holds a delivery that fails at least every five minutes, and counts no other as late", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(503).end()
    const id = await create(target, { ordered: true })
    await happen(3)
    await eventually("the first has failed", async () => (await rowsOf(id)).length === 1)
    await database.query("UPDATE webhook_retries SET attempt = 40, due_at = now() WHERE endpoint_id = $1", [id])
    await eventually("it failed again", async () => Number((await rowsOf(id))[0]!["attempt"]) === 41)
    const [row] = await database.query(
      "SELECT extract(epoch FROM due_at - now())::int AS wait FROM webhook_retries WHERE endpoint_id = $1",
      [id]
    )
    assert.isAtMost(Number(row!["wait"]), 375)
    assert.strictEqual(new Set(target.received.map(sequenceOf)).size, 1)
    // The figures may be two seconds old, from when the retry was due.
    await eventually(
      "nothing is late",
      async () => !("oldest_overdue_retry_seconds" in await service.data("GET", "/api/v1/ops/webhook-health"))
    )
    // A change is a reason to try at once.
    target.respond = (response) => response.writeHead(200).end()
    await change(id, { name: "Ledger, mended" })
    await eventually("all arrive", () => new Set(target.received.map(sequenceOf)).size === 3)
    await remove(id)
  })
})

describe("going on from now", () => {
  const resume = (id: string, options = {}) =>
    service.call("POST", `/api/v1/webhooks/${id}/resume-from-now`, { body: { reason: "a flood" }, ...options })

  it("sends nothing of what waited, says how much that was, and tells it", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(500).end()
    const id = await create(target)
    await happen(2)
    await eventually("both have failed", async () => (await rowsOf(id)).length === 2)
    await change(id, { is_active: false })
    await happen(3)
    await makeCustomer(service)
    // The feed has all of them.
    const { sequence: last } = (await service.feed()).at(-1)
    target.respond = (response) => response.writeHead(200).end()
    const before = target.received.length
    const answer = await resume(id)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepInclude(answer.body.data, { skipped_events: 5 })
    assert.deepInclude(answer.body.data.webhook, { id, status: "active", is_active: true })
    await happen(1)
    await eventually("what comes later arrives", () => target.received.length > before)
    const sequences = target.received.slice(before).map(sequenceOf)
    assert.lengthOf(sequences, 1)
    assert.isAbove(sequences[0]!, Number(last))
    assert.isEmpty(await rowsOf(id))
    const [told] = await service.feed(`&event_type=webhook.skipped&resource_id=${id}`)
    assert.deepInclude(told.data, { webhook_id: id, skipped_events: 5 })
    assert.strictEqual(told.metadata.reason_given, "a flood")
    assert.isAtLeast(told.data.up_to_sequence, Number(last))
    await remove(id)
  })

  it("forgets what is in memory too, however soon after a pause", async () => {
    const target = await startReceiver()
    const held: Array<() => void> = []
    target.respond = (response) => held.push(() => response.writeHead(500).end())
    // Paused until all has happened: an attempt without an answer fails after 10 seconds, and makes room for another one.
    const id = await create(target, { is_active: false })
    await happen(14)
    await change(id, { is_active: true })
    await eventually("as many as may be are under way", () => held.length === 10)
    await change(id, { is_active: false })
    const answer = await resume(id)
    assert.strictEqual(answer.body.data.skipped_events, 14)
    target.respond = (response) => response.writeHead(200).end()
    for (const answerNow of held) answerNow()
    await happen(1)
    await eventually("what comes later arrives", () => target.received.length > 10)
    await dueNow(id)
    await eventually("no retry is left", async () => (await rowsOf(id)).length === 0)
    assert.lengthOf(target.received, 11)
    await remove(id)
  })

  it("is for endpoints that are not active, and is answered once", async () => {
    const target = await startReceiver()
    const id = await create(target)
    assert.strictEqual((await resume(id)).body.error.code, "STATE_CONFLICT")
    await change(id, { is_active: false })
    const headers = { "idempotency-key": "resume-once-and-for-all" }
    const first = await resume(id, { headers })
    assert.strictEqual(first.status, 200, first.text)
    assert.strictEqual((await resume(id, { headers })).text, first.text)
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "Reader", scopes: ["event:read"] })
    assert.strictEqual((await resume(id, { token })).status, 403)
    assert.strictEqual((await resume("whk_06eqpx1trxz3h94vqjm3a6kz7c")).status, 404)
    await remove(id)
  })
})
