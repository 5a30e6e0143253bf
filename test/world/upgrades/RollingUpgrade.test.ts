import { assert, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { newerMigration, newerOnlineMigration, newerRelease } from "../../fixtures/NewerRelease.ts"
import { serve, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Serving } from "../../fixtures/Program.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { caller, lastReleased, released, releasedService } from "../../fixtures/Released.ts"
import type { Body } from "../../fixtures/Session.ts"
import { atEnd, database, eventually, hold, session } from "../../fixtures/Session.ts"

/** How many callers there are, each with a license of its own. */
const callers = 4

/** What a caller was answered 2xx. */
interface Written {
  readonly licenses: Array<string>
  readonly fingerprints: Set<string>
  uses: number
}

/**
 * Callers that write and read through every node that is up, as through a load balancer: a node that drains (503) or is
 * gone is left for another one, with the same Idempotency-Key. Every other answer than 2xx is kept as a refusal.
 */
const startLoad = async (nodes: () => ReadonlyArray<string>, url: string) => {
  const { data } = caller(url)
  const product = await data("POST", "products", { name: "Studio", code: randomUUID() })
  const policy = await data("POST", `products/${product.id}/policies`, {
    name: "P",
    code: "p",
    license_type: "perpetual",
    max_activations: 10_000,
    max_floating_users: 1000
  })
  const feature = await data("POST", `products/${product.id}/features`, { code: "render", name: "Render" })
  const refusals: Array<string> = []
  const answered = new Map<string, number>()
  const ending = new AbortController()
  let turn = 0

  const send = async (method: string, path: string, body?: unknown, key?: string): Promise<Body> => {
    const idempotencyKey = randomUUID()
    for (;;) {
      const up = nodes()
      const node = up[turn++ % up.length]!
      const answer = await fetch(`${node}/api/v1/${path}`, {
        method,
        headers: {
          authorization: key === undefined ? `Bearer ${released.adminToken}` : `License ${key}`,
          "idempotency-key": idempotencyKey,
          "content-type": "application/json"
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).then(async (response) => ({ status: response.status, text: await response.text() }), (cause: unknown) => cause)
      if (answer instanceof Error) {
        // Whoever was told to stop may be gone; the others may not.
        if (nodes().includes(node)) refusals.push(`${method} ${path} at ${node}: ${answer.message}`)
        continue
      }
      const { status, text } = answer as { readonly status: number; readonly text: string }
      if (status < 300) {
        answered.set(node, (answered.get(node) ?? 0) + 1)
        return text === "" ? undefined : JSON.parse(text).data
      }
      if (status === 503 && !nodes().includes(node)) continue
      refusals.push(`${method} ${path} at ${node}: ${status} ${text}`)
      return undefined
    }
  }

  const call = async (): Promise<Written & { readonly id: string }> => {
    const written: Written = { licenses: [], fingerprints: new Set(), uses: 0 }
    const issue = async () => {
      const issued = await send("POST", "licenses", { product_id: product.id, policy_id: policy.id })
      if (issued !== undefined) written.licenses.push(issued.license.id)
      return issued
    }
    const { license, license_key: key } = await issue()
    await send("POST", `licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 1_000_000 })
    for (let round = 0; !ending.signal.aborted; round++) {
      const fingerprint = `machine-${round}`
      if (await send("POST", "license/activate", { fingerprint }, key) !== undefined) {
        written.fingerprints.add(fingerprint)
      }
      await send("POST", "license/validate", { fingerprint }, key)
      const use = { fingerprint, feature_code: "render", event_id: `use-${round}`, amount: 1 }
      if (await send("POST", "license/consume", use, key) !== undefined) written.uses += 1
      const seat = await send("POST", "license/floating/checkout", { fingerprint }, key)
      if (seat !== undefined) {
        await send("POST", "license/floating/heartbeat", { lease_token: seat.lease_token }, key)
        await send("POST", "license/floating/checkin", { lease_token: seat.lease_token }, key)
      }
      await issue()
      await send("GET", `licenses/${license.id}`)
      await send("PATCH", `licenses/${license.id}`, { metadata: { round } })
    }
    return { ...written, id: license.id }
  }

  const working = Promise.all(Array.from({ length: callers }, call))
  const stop = () => {
    ending.abort()
    return working
  }
  atEnd(() => stop().catch(() => undefined))
  return {
    refusals,
    /** Waits until a node has answered so many more requests. */
    more: (node: string, count: number) => {
      const before = answered.get(node) ?? 0
      return eventually(`${node} answers ${count} more`, () => {
        assert.deepStrictEqual(refusals, [])
        return (answered.get(node) ?? 0) >= before + count
      })
    },
    stop
  }
}

it(
  "loses and refuses nothing while nodes of the version before and of this one, with migrations, work on one database",
  async () => {
    const databaseUrl = await database()
    const environment = { ...released.environment, DATABASE_URL: databaseUrl, COUNTERSIGN_LIMIT_DELAY_MS: "10000" }
    const before = releasedService(lastReleased, temporaryDirectory())
    const startOld = () => serve([before], environment)
    // This one has a migration of each kind, whatever it brings by itself.
    const after = await newerRelease(temporaryDirectory())
    const startNew = () => serve([after], environment)

    let old = await startOld()
    let up: ReadonlyArray<Serving> = [old]
    const load = await startLoad(() => up.map(({ url }) => url), old.url)
    const { data } = caller(old.url)
    const receiver = await startReceiver()
    await data("POST", "webhooks", { name: "All", url: receiver.url, event_types: ["license.created"] })
    const since = await session(databaseUrl)
    const [{ sequence: delivered }] = await since.query("SELECT max(sequence)::int AS sequence FROM events")
    await load.more(old.url, 50)

    // A report reads for as long as the migration asks for its locks.
    const reading = await hold(databaseUrl, "SELECT count(*) FROM licenses")
    const starting = startNew()
    await load.more(old.url, 60)
    await reading.release()
    const recent = await starting
    for (const name of [newerOnlineMigration, newerMigration]) assert.include(recent.printed(), `Migrated ${name}`)
    up = [old, recent]
    await Promise.all([load.more(old.url, 60), load.more(recent.url, 60)])

    // The old one goes, and the new one is alone.
    up = [recent]
    assert.strictEqual(await old.stop(), 0, old.printed())
    await load.more(recent.url, 60)

    // Back: the old one continues the log that the new one has written.
    old = await startOld()
    up = [old]
    assert.strictEqual(await recent.stop(), 0, recent.printed())
    await load.more(old.url, 60)
    const again = await startNew()
    up = [old, again]
    await Promise.all([load.more(old.url, 30), load.more(again.url, 30)])
    up = [again]
    assert.strictEqual(await old.stop(), 0, old.printed())
    await load.more(again.url, 30)

    const written = await load.stop()
    assert.deepStrictEqual(load.refusals, [])
    const asked = caller(again.url)
    for (const { fingerprints, id, uses } of written) {
      assert.isAbove(uses, 10)
      const license = await asked.data("GET", `licenses/${id}`)
      const [feature] = await asked.data("GET", `licenses/${id}/features`)
      assert.strictEqual(feature.total_consumptions, uses, license.id)
      const devices = await since.query(
        "SELECT fingerprint FROM devices WHERE license_id = $1 AND fingerprint = ANY($2::text[])",
        [id, [...fingerprints]]
      )
      assert.strictEqual(devices.length, fingerprints.size)
    }
    const licenses = written.flatMap((of) => of.licenses)
    const there = await since.query("SELECT id FROM licenses WHERE id = ANY($1::text[])", [licenses])
    assert.strictEqual(there.length, licenses.length)

    await eventually(
      "everything has its place",
      async () => (await since.query("SELECT FROM event_pending")).length === 0
    )
    const events: Array<Body> = []
    for (let cursor = "";;) {
      const { body } = await asked.call("GET", `events?limit=200${cursor}`)
      events.push(...body.data)
      if (!body.page_info.has_more) break
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    const created = events.filter(({ event_type }) => event_type === "license.created")
    assert.includeMembers(created.map(({ resource_id }) => resource_id), licenses)
    const checkpoint = await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await asked.call("GET", "events/checkpoint")
      return status === 200 && body.data.tree_size >= events.length ? body.data : undefined
    })
    const publicKeys = await asked.data("GET", "system/public-keys")
    const lines = [...events.filter(({ sequence }) => sequence <= checkpoint.tree_size), { checkpoint }]
    const verdict = await verifyEvents({ lines, publicKeys })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))

    const due = created.filter(({ sequence }) => sequence > delivered).map(({ id }) => id)
    await eventually("every event was delivered", () => {
      const arrived = new Set(receiver.eventIds())
      return due.every((id) => arrived.has(id))
    })
    assert.strictEqual(await again.stop(), 0, again.printed())
    await expectHealthy(databaseUrl, [])
  },
  300_000
)
