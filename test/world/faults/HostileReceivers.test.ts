import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { isLong } from "../../fixtures/FaultForm.ts"
import { hostileReceivers } from "../../fixtures/HostileReceivers.ts"
import { printLedger } from "../../fixtures/LedgerLine.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"

/** What each of them comes to; an answer is judged by its status, however it goes on. */
const outcomes: Readonly<Record<string, string>> = {
  "never accepts": "connect",
  "stalls": "timeout",
  "drips its headers": "timeout",
  "drips its body": "delivered",
  "sends 1 GiB": "500",
  "sends a gzip bomb": "500",
  "sends 10,000 headers": "protocol",
  "sends a bad status line": "protocol",
  "resets after an early 200": "delivered",
  "redirects to the metadata address": "302",
  "presents an expired certificate": "tls"
}

/** How long events are made. Receivers that give no answer need longer to be given up. */
const seconds = isLong ? 120 : 2
/** Events before the first hostile receiver is there. */
const warm = isLong ? 200 : 60
const mebibyte = 1024 * 1024

const quantile = (values: ReadonlyArray<number>, q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

describe("hostile receivers", () => {
  it("come to what they are, cost no memory, and delay nobody else", async () => {
    const service = await startService({ as: "program" })
    const database = await session(service.databaseUrl)
    const memory = async () =>
      Number(
        /^process_resident_memory_bytes\S* (\S+)/m.exec((await service.call("GET", "/metrics", { token: null })).text)
          ?.[1]
      )
    const subscribe = async (name: string, url: string, event_types: ReadonlyArray<string>) =>
      (await service.data("POST", "/api/v1/webhooks", { name, url, event_types })).webhook.id as string
    const healthy = await startReceiver()
    const latencies: Array<number> = []
    healthy.respond = (response, { body }) => {
      latencies.push(Date.now() - Date.parse(JSON.parse(body).created_at))
      response.writeHead(200).end()
    }
    await subscribe("healthy", healthy.url, ["product.created"])
    const happen = () => service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })

    // A warm service first: what it needs for itself is not the receivers' doing.
    for (let index = 0; index < warm; index++) await happen()
    await eventually("the first deliveries", () => latencies.length === warm)
    const before = await memory()
    latencies.length = 0

    const receivers = await hostileReceivers()
    const ids = new Map<string, string>()
    for (const { name, url } of receivers) ids.set(name, await subscribe(name, url, ["product.created"]))
    let peak = before
    let made = 0
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      for (let index = 0; index < 5; index++) await happen()
      made += 5
      peak = Math.max(peak, await memory())
      await delay(100)
    }
    await eventually("every receiver has shown what it is", async () => {
      await delay(isLong ? 100 : 400)
      const rows = await database.query("SELECT DISTINCT endpoint_id FROM webhook_retries")
      peak = Math.max(peak, await memory())
      return rows.length === Object.values(outcomes).filter((outcome) => outcome !== "delivered").length
    })
    for (const [name, id] of ids) {
      const rows = await database.query("SELECT DISTINCT last_outcome FROM webhook_retries WHERE endpoint_id = $1", [
        id
      ])
      const expected = outcomes[name] === "delivered" ? [] : [{ last_outcome: outcomes[name] }]
      assert.deepStrictEqual(rows, expected, name)
    }
    for (const { connections, name, sent } of receivers) {
      if (connections() === 0) continue
      // What fits into the buffers of a connection, not what the receiver would like to send.
      assert.isBelow(sent() / connections(), 16 * mebibyte, `${name}: bytes taken from it by each attempt`)
    }
    await eventually("every event arrives at the healthy one", () => latencies.length === made)
    const p95 = quantile(latencies, 0.95)
    const came = new Set(healthy.eventIds().slice(warm)).size
    printLedger(
      "hostile receivers",
      {
        events: made,
        endpoints: receivers.length + 1,
        delivered: came,
        duplicates: healthy.received.length - warm - came,
        lost: made - came
      },
      `of the healthy one; commit to 2xx p95 ${Math.round(p95)} ms, memory ${
        Math.round(before / mebibyte)
      } MiB before, ` +
        `${Math.round(peak / mebibyte)} MiB at most`
    )
    assert.strictEqual(came, made)
    if (isLong) assert.isBelow(p95, 1_000)
    assert.isBelow(peak - before, 96 * mebibyte)
  })
})
