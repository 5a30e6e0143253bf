import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { Webhook as SvixWebhook } from "svix"
import { verifyDelivery } from "../../../src/client/verify/index.ts"
import { addressNotAllowed } from "../../../src/domain/ground/admission/Address.ts"
import { makeCustomer, makeOrder, makeProduct } from "../../fixtures/Commerce.ts"
import type { Received, Receiver } from "../../fixtures/Receiver.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const slowNames = new URL("../../fixtures/slowNames.mjs", import.meta.url).href
const [service, slow] = await Promise.all([
  startService(),
  startService({ environment: { NODE_OPTIONS: `--import ${slowNames}` } })
])
const database = await session(service.databaseUrl)
const product = await makeProduct(service)
// An endpoint starts at the head of the feed: an event that still waits for its place would be its first.
await service.feed(`&resource_id=${product.id}`)

/** How something of each kind happens: tests that wait side by side take different ones. */
const causes = {
  "product.created": () => makeProduct(service),
  "customer.created": () => makeCustomer(service),
  "order.created": () => makeOrder(service, product),
  "feature.created": () =>
    service.data("POST", `/api/v1/products/${product.id}/features`, { name: "Use", code: randomUUID() })
}
type Cause = keyof typeof causes

/** Events of a kind that only the endpoint under test takes; answers the ids of what they are about. */
const happen = async (count = 1, kind: Cause = "product.created"): Promise<Array<string>> => {
  const ids: Array<string> = []
  for (let index = 0; index < count; index++) ids.push((await causes[kind]()).id)
  return ids
}

const subscribe = async (
  target: Receiver,
  kind: Cause = "product.created",
  more: object = {}
): Promise<{ readonly id: string; secret: string }> => {
  const { secret, webhook } = await service.data("POST", "/api/v1/webhooks", {
    name: "Billing",
    url: target.url,
    event_types: [kind],
    ...more
  })
  return { id: webhook.id, secret }
}

const endpoint = (id: string): Promise<Body> => service.data("GET", `/api/v1/webhooks/${id}`)
const change = (id: string, body: object): Promise<Body> => service.data("PATCH", `/api/v1/webhooks/${id}`, body)
const remove = (id: string) => service.call("DELETE", `/api/v1/webhooks/${id}`)
const subjectOf = ({ body }: Received): string => JSON.parse(body).data.id
const lane = async (id: string): Promise<Body> =>
  (await database.query("SELECT * FROM webhook_lanes WHERE endpoint_id = $1", [id]))[0]

/** Whether a delivery is genuine to our kit and to those of others. */
const verifiers = {
  ours: ({ body, headers }: Received, secret: string) => verifyDelivery(body, headers, [secret]),
  standardwebhooks: async ({ body, headers }: Received, secret: string) =>
    new StandardWebhook(secret).verify(body, headers as Record<string, string>),
  svix: async ({ body, headers }: Received, secret: string) =>
    new SvixWebhook(secret).verify(body, headers as Record<string, string>),
  stripe: async ({ body, headers }: Received, secret: string) =>
    Stripe.webhooks.signature!.verifyHeader(
      `${String(headers["x-service-delivery-id"])}.${body}`,
      String(headers["x-service-signature"]),
      secret,
      300
    )
}

const isGenuine = async (delivery: Received, secret: string): Promise<ReadonlyArray<string>> => {
  const outcomes = await Promise.allSettled(Object.values(verifiers).map((verify) => verify(delivery, secret)))
  return Object.keys(verifiers).filter((_, index) => outcomes[index]!.status === "fulfilled")
}

const all = Object.keys(verifiers)

it("a delivery of a service that is not traced has no trace, whoever asked for what it tells", async () => {
  const target = await startReceiver()
  const { id } = await subscribe(target)
  const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }
  const body = { name: "Traced", code: randomUUID() }
  const made = await service.call("POST", "/api/v1/products", { body, headers })
  await eventually("it arrives", () => target.received.some((each) => subjectOf(each) === made.body.data.id))
  assert.isTrue(target.received.every((each) => each.headers["traceparent"] === undefined))
  await remove(id)
})

describe("webhooks", () => {
  it("are genuine to every kit, with each live secret of a rotation and with no other", async () => {
    const target = await startReceiver()
    const { id, secret } = await subscribe(target)
    await happen()
    await eventually("a delivery", () => target.received.length === 1)
    assert.deepStrictEqual(await isGenuine(target.received[0]!, secret), all)

    const rotated = await change(id, { rotate_secret: true })
    await happen()
    await eventually("a delivery after the rotation", () => target.received.length === 2)
    assert.deepStrictEqual(await isGenuine(target.received[1]!, secret), all, "the old one still signs")
    assert.deepStrictEqual(await isGenuine(target.received[1]!, rotated.secret), all)

    const last = await change(id, { rotate_secret: true, secret_overlap_seconds: 0 })
    await happen()
    await eventually("a delivery after the compromise", () => target.received.length === 3)
    assert.deepStrictEqual(await isGenuine(target.received[2]!, last.secret), all)
    for (const old of [secret, rotated.secret]) assert.deepStrictEqual(await isGenuine(target.received[2]!, old), [])
    const kinds = (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)
    assert.deepStrictEqual(kinds, ["webhook.created", "webhook.secret_rotated", "webhook.secret_rotated"])
    await remove(id)
  })

  it("are signed with the secret that a caller brings, whose bytes are the key of both headers", async () => {
    const target = await startReceiver()
    const secret = "correct horse, battery staple"
    const made = await subscribe(target, "product.created", { secret })
    assert.strictEqual(made.secret, secret)
    await happen()
    const delivery = await eventually("a delivery", () => target.received[0])
    await verifyDelivery(delivery.body, delivery.headers, secret)
    const kit = new StandardWebhook(secret, { format: "raw" })
    const event = kit.verify(delivery.body, delivery.headers as Record<string, string>) as Record<string, unknown>
    // What the feed calls it, and what deliveries have always called it.
    assert.strictEqual(event["type"], delivery.headers["x-service-event-type"])
    // What is sent is read as it is, and not unpacked.
    assert.strictEqual(delivery.headers["accept-encoding"], "identity")
    assert.match(String(delivery.headers["user-agent"]), /^Countersign\//)
    assert.strictEqual(event["event_type"], event["type"])
    const [fed] = await service.feed(`&resource_id=${(event["data"] as { id: string }).id}`)
    assert.strictEqual(fed.event_type, event["event_type"])

    const { webhook } = await change(made.id, { secret: "another of my own" })
    assert.strictEqual(webhook.secret_prefix, "anot", "no more of a short secret is shown")
    await remove(made.id)
    for (const wrong of ["fifteen letters", "x".repeat(129), "sixteen or more\u0007"]) {
      const answer = await service.call("POST", "/api/v1/webhooks", {
        body: { name: "w", url: target.url, secret: wrong }
      })
      assert.strictEqual(refused(answer, 422, "VALIDATION_ERROR").fields[0].path, "secret")
    }
  })

  it("drop one message when the receiver asks for it", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(422, { "webhook-delivery": "abort-message" }).end()
    const { id } = await subscribe(target)
    await happen(2)
    await eventually("both are dropped", async () => Number((await lane(id)).dropped_total) === 2)
    assert.lengthOf(target.received, 2)
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_retries WHERE endpoint_id = $1", [id]), 0)
    assert.strictEqual((await endpoint(id)).status, "active")
    await remove(id)
  })

  it.concurrent("are tried again with the same id and bytes, signed afresh, and not before the receiver asked", async () => {
    const target = await startReceiver()
    target.respond = (response) =>
      target.received.length === 1
        ? response.writeHead(502, { "retry-after": "7" }).end()
        : response.writeHead(200).end()
    const { id, secret } = await subscribe(target, "customer.created")
    await happen(1, "customer.created")
    const [row] = await eventually("the first attempt is written down", async () => {
      const rows = await database.query("SELECT attempt, last_outcome FROM webhook_retries WHERE endpoint_id = $1", [
        id
      ])
      return rows.length > 0 && rows
    })
    assert.deepStrictEqual(row, { attempt: 1, last_outcome: "502" })
    // Without a wish it would be tried again after 6.25 seconds at most.
    const [first, second] = await eventually("a retry", () => target.received[1] && target.received) as [
      Received,
      Received
    ]
    assert.isAtLeast(second.at - first.at, 7_000)
    assert.strictEqual(second.body, first.body)
    assert.strictEqual(second.headers["x-service-delivery-id"], first.headers["x-service-delivery-id"])
    const timestamp = ({ headers }: Received) => Number(headers["webhook-timestamp"])
    assert.isAtLeast(timestamp(second) - timestamp(first), 6)
    assert.deepStrictEqual(await isGenuine(second, secret), all)
    await eventually("it is settled", async () => Number((await lane(id)).delivered_total) === 1)
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_retries WHERE endpoint_id = $1", [id]), 0)
    await remove(id)
  })

  it.concurrent("stop when the receiver is gone or asks for it, with the reason, and go on at the cursor", async () => {
    const refusals = await Promise.all(
      ([[410, {}, "gone"], [500, { "webhook-delivery": "disable" }, "requested_by_receiver"]] as const).map(
        async ([status, headers, reason]) => {
          const target = await startReceiver()
          target.respond = (response) => response.writeHead(status, headers).end()
          const { id } = await subscribe(target, "feature.created")
          return { id, target, reason }
        }
      )
    )
    const features = await happen(3, "feature.created")
    for (const { id, reason } of refusals) {
      await eventually("it is disabled", async () => (await endpoint(id)).status === "disabled")
      assert.deepInclude(await endpoint(id), { is_active: false, disabled_reason: reason })
      assert.isDefined((await endpoint(id)).disabled_at)
      const feed = await service.feed(`&resource_id=${id}&event_type=webhook.disabled`)
      assert.deepStrictEqual(feed.map(({ actor_type, data }) => [actor_type, data.disabled_reason]), [[
        "system",
        reason
      ]])
    }
    features.push(...await happen(2, "feature.created"))
    await Promise.all(refusals.map(async ({ id, target }) => {
      const before = target.received.length
      target.respond = (response) => response.writeHead(200).end()
      await change(id, { is_active: true })
      assert.notProperty(await endpoint(id), "disabled_reason")
      const arrived = () => new Set(target.received.slice(before).map(subjectOf))
      await eventually("what was refused and what came since", () => arrived().size === 5)
      assert.sameMembers([...arrived()], features)
      await remove(id)
    }))
  })

  it.concurrent("start no POST more than a second after a pause or a delete, and go on where they stood", async () => {
    const target = await startReceiver()
    target.respond = (response) => setTimeout(() => response.writeHead(200).end(), 20)
    const { id } = await subscribe(target)
    const late = (since: number) => target.received.filter(({ at }) => at > since + 1_000)
    // What happens when a second is over must not be posted, nor what was left by then.
    const afterwards = async (since: number): Promise<Array<string>> => {
      await eventually("more than a second", () => performance.now() - since > 1_100)
      const ids = await happen(5)
      await eventually("time for a POST", () => performance.now() - since > 3_000)
      assert.lengthOf(late(since), 0)
      return ids
    }
    const producing = happen(60)
    await eventually("some arrive", () => target.received.length > 10)
    await change(id, { is_active: false })
    const paused = performance.now()
    const products = [...await producing, ...await afterwards(paused)]
    assert.deepInclude(await endpoint(id), { status: "paused" })
    // What happened before may all have arrived, where a pause takes long.
    assert.isBelow(target.received.length, products.length)
    await change(id, { is_active: true })
    await eventually("the rest", () => new Set(target.received.map(subjectOf)).size === 65)
    assert.sameMembers(target.received.map(subjectOf), products, "each once")
    const more = happen(40)
    await eventually("some more arrive", () => target.received.length > 70)
    assert.strictEqual((await remove(id)).status, 204)
    const removed = performance.now()
    await more
    await afterwards(removed)
  })

  it.concurrent("are given up after 13 attempts: counted, fed and visible in health", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(500).end()
    const { id } = await subscribe(target, "order.created", { name: "Never there", is_active: false })
    const almost = await subscribe(target, "order.created", { is_active: false })
    const [order] = await happen(1, "order.created")
    const [event] = await service.feed(`&resource_id=${order}`)
    // The attempts before take days. This is what a node has left that made them, and ended.
    for (const [endpoint, attempts] of [[id, 12], [almost.id, 11]] as const) {
      await database.query(
        `INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome) VALUES ($1, $2, $3, now(), '500')`,
        [endpoint, event.sequence, attempts]
      )
      await database.query("UPDATE webhook_lanes SET cursor_seq = $2 WHERE endpoint_id = $1", [
        endpoint,
        event.sequence
      ])
      await change(endpoint, { is_active: true })
    }
    await eventually("both failed again", async () => {
      const lanes = await Promise.all([lane(id), lane(almost.id)])
      return lanes.every(({ failed_total }) => Number(failed_total) === 1)
    })
    const rows = await database.query(
      `SELECT endpoint_id, attempt, due_at > now() + interval '20 hours' AS is_far FROM webhook_retries
       WHERE endpoint_id = ANY($1)`,
      [[id, almost.id]]
    )
    assert.deepStrictEqual(rows, [{ endpoint_id: almost.id, attempt: 12, is_far: true }])
    await remove(almost.id)
    assert.lengthOf(target.received, 2)
    assert.strictEqual(Number((await lane(id)).exhausted_total), 1)
    const [exhausted] = await service.feed(`&resource_id=${id}&event_type=webhook.delivery_exhausted`)
    assert.deepInclude(exhausted.data, { webhook_id: id, attempts: 13, last_outcome: "500" })
    const health = await eventually("health shows it", async () => {
      const health = await service.data("GET", "/api/v1/ops/webhook-health")
      return health.exhausted > 0 && health
    })
    assert.strictEqual(health.status, "degraded")
    assert.isNotEmpty(health.reasons)
    assert.deepInclude(health.worst.find(({ webhook_id }: Body) => webhook_id === id), {
      name: "Never there",
      state: "failing",
      exhausted: 1
    })
    await remove(id)
  })

  it.concurrent("go to no address that is not allowed, our own ports included, and say no more than that", async () => {
    const [runner] = await database.query("SELECT address FROM node_runners")
    const port = /\d+$/.exec(String(runner.address))?.[0]
    for (
      const url of [
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::ffff:192.168.1.1]/",
        "https://0x0a000001/",
        "https://[64:ff9b::a00:1]/",
        `${service.url}/api/v1/webhooks`,
        `http://127.0.0.1:${port}/`
      ]
    ) {
      const answer = await service.call("POST", "/api/v1/webhooks", { body: { name: "Inside", url } })
      const error = refused(answer, 422, "VALIDATION_ERROR")
      assert.deepStrictEqual(
        error.fields,
        [{ path: "url", code: "ADDRESS_NOT_ALLOWED", message: addressNotAllowed }],
        url
      )
    }
  })

  it.concurrent("are created and changed while name servers are slow, and hold nothing of the database", async () => {
    const count = 20
    const inspect = await session(slow.databaseUrl)
    const { webhook } = await slow.data("POST", "/api/v1/webhooks", { name: "w", url: "http://127.0.0.1:9/" })
    let answered = 0
    const write = async (index: number) => {
      const options = {
        body: { name: "w", url: `https://${index}.slow.example/` },
        headers: { "idempotency-key": `slow-${index}` }
      }
      const answer = index === 0
        ? await slow.call("PATCH", `/api/v1/webhooks/${webhook.id}`, options)
        : await slow.call("POST", "/api/v1/webhooks", options)
      answered++
      return answer
    }
    const writes = Array.from({ length: count }, (_, index) => write(index))
    const asked = () => new Set(slow.logs().match(/asked for \d+\.slow\.example/g)).size
    await eventually("every name is asked for, and nobody was answered yet", () => {
      if (answered > 0) throw new Error(`one was answered before the other ${count - asked()} were looked at`)
      return asked() === count
    })
    // What waits for the name server holds no transaction, and so no connection of the pool.
    const open = await inspect.query(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'countersign%' AND state = 'idle in transaction'
         AND clock_timestamp() - state_change > interval '500 milliseconds'`
    )
    if (answered === 0) assert.deepStrictEqual(open, [])
    assert.strictEqual((await slow.call("GET", "/api/v1/products")).status, 200)
    for (const [index, answer] of (await Promise.all(writes)).entries()) {
      assert.strictEqual(answer.status, index === 0 ? 200 : 201, answer.text)
      const again = await write(index)
      assert.strictEqual(again.text, answer.text)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
    }
  })

  it("are measured: every series of the list, none with an endpoint", async () => {
    const metrics = await eventually("the gauges are sampled", async () => {
      const { text } = await service.call("GET", "/metrics", { token: null })
      return /^countersign_delivery_lanes\{/m.test(text) && text
    })
    const kinds = [...metrics.matchAll(/^# TYPE (countersign_(?:delivery|feed|sequencer)_\S+) (\S+)$/gm)].map(
      ([, name, kind]) => `${name} ${kind}`
    )
    assert.includeMembers(kinds, [
      "countersign_delivery_attempts_total counter",
      "countersign_delivery_exhausted_total counter",
      "countersign_delivery_attempt_duration_seconds histogram",
      "countersign_delivery_latency_seconds histogram",
      "countersign_delivery_backlog gauge",
      "countersign_delivery_oldest_undelivered_seconds gauge",
      "countersign_delivery_oldest_overdue_retry_seconds gauge",
      "countersign_delivery_lanes gauge",
      "countersign_delivery_in_flight gauge",
      "countersign_delivery_disabled_endpoints gauge",
      "countersign_feed_lag_seconds histogram",
      "countersign_sequencer_batch_size histogram"
    ])
    assert.match(metrics, /^countersign_delivery_attempts_total\{outcome="delivered"[^}]*\} [1-9]/m)
    assert.match(metrics, /^countersign_delivery_attempts_total\{outcome="failed"[^}]*\} [1-9]/m)
    for (const state of ["active", "failing", "breaker_open", "paused", "disabled"]) {
      assert.match(metrics, new RegExp(`^countersign_delivery_lanes\\{state="${state}"`, "m"))
    }
    for (const reason of ["gone", "requested_by_receiver", "failing"]) {
      assert.match(metrics, new RegExp(`^countersign_delivery_disabled_endpoints\\{reason="${reason}"`, "m"))
    }
    assert.notInclude(metrics, "whk_")
  })
})
