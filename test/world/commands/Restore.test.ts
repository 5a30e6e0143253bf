import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PublicKey } from "../../../src/client/verify/index.ts"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { endOf, judged, keptChain } from "../../fixtures/LicenseChain.ts"
import type { KeptChain } from "../../fixtures/LicenseChain.ts"
import type { Ended } from "../../fixtures/Program.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Receiver } from "../../fixtures/Receiver.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, refused, Service, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { copyDatabase, database, eventually, session } from "../../fixtures/Session.ts"

const masterKey = Buffer.alloc(32, 7).toString("base64")
const directory = temporaryDirectory()
const file = (name: string) => join(directory, name)

const settings = (databaseUrl: string, witness: string) => ({
  DATABASE_URL: databaseUrl,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  COUNTERSIGN_WITNESS: witness
})

const command = (databaseUrl: string, witness: string, ...args: ReadonlyArray<string>): Promise<Ended> =>
  runCommand(args, settings(databaseUrl, witness))

const products = async (service: Service, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) {
    await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() })
  }
}

/** The latest checkpoint, once it covers everything that has happened. */
const checkpointed = async (service: Service): Promise<Body> => {
  const { sequence } = (await service.feed()).at(-1)
  return eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= sequence ? body.data : undefined
  })
}

const page = (service: Service, query: string) => service.call("GET", `/api/v1/events?${query}`)

const kept = (witness: string, note: string) =>
  eventually("the witness keeps the checkpoint", () => existsSync(witness) && readFileSync(witness, "utf8") === note)

/** The exit code of a service that is to refuse to start. */
const startRefused = async (databaseUrl: string, witness: string) => {
  const service = new Service(databaseUrl, { COUNTERSIGN_WITNESS: witness })
  service.launch()
  return { status: await service.ended(), logs: service.logs() }
}

describe("a database that was restored from an older backup", () => {
  const witness = file("witness.note")
  /** What the log had at the backup, and what it had when it was lost. */
  let early: Body
  let lost: Body
  /** The cursor of a follower that had read everything. */
  let cursor: string
  let events: ReadonlyArray<Body>
  let keys: ReadonlyArray<PublicKey>
  let restored: string
  let service: Service
  /** The chain of a license at the backup, and when the log was lost. */
  let earlyChain: KeptChain
  let lostChain: KeptChain
  let receiver: Receiver

  beforeAll(async () => {
    const original = await database()
    restored = await database()
    receiver = await startReceiver()
    const first = await startService({ databaseUrl: original, environment: { COUNTERSIGN_WITNESS: witness } })
    await first.data("POST", "/api/v1/webhooks", { name: "all", url: receiver.url, event_types: [] })
    await products(first, 5)
    const { license } = await first.issue()
    early = await checkpointed(first)
    earlyChain = await keptChain(first, license.id)
    await first.stop()
    await copyDatabase(original, restored)

    const second = await startService({ databaseUrl: original, environment: { COUNTERSIGN_WITNESS: witness } })
    await products(second, 15)
    await second.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    lost = await checkpointed(second)
    lostChain = await keptChain(second, license.id)
    await kept(witness, lost.note)
    const { body } = await page(second, `limit=200&cursor=${early.tree_size}`)
    cursor = body.page_info.next_cursor
    events = body.data
    keys = await second.data("GET", "/api/v1/system/public-keys")
    await second.stop()
  })

  it("is refused at the start, with what was found and what to do", async () => {
    assert.lengthOf(events, lost.tree_size - early.tree_size)
    assert.isAtLeast(events.length, 15)
    const { logs, status } = await startRefused(restored, witness)
    assert.strictEqual(status, 1, logs)
    for (
      const part of [
        "The log does not continue what its witness keeps",
        `${witness}: epoch 1, ${lost.tree_size} events, root ${lost.root_hash}`,
        `this database: epoch 1, ${early.tree_size} events`,
        `the events from ${early.tree_size + 1} to ${lost.tree_size} are not in it`,
        "countersign restore --new-epoch"
      ]
    ) assert.include(logs, part)
    assert.notInclude(logs, "is ready at")
    assert.strictEqual(readFileSync(witness, "utf8"), lost.note)
  })

  it("is examined by the command line, which changes nothing by itself", async () => {
    const examined = await command(restored, witness, "restore")
    assert.strictEqual(examined.status, 1)
    assert.include(examined.errors, "The log does not continue what its witness keeps")
  })

  it("goes on in a new epoch, once", async () => {
    const begun = await run(
      ["src/runtime/cli.ts", "restore", "--new-epoch", "--reason", "disk lost"],
      settings(restored, witness)
    )
    assert.strictEqual(begun.status, 0, begun.errors)
    assert.include(begun.output, `Epoch 2 begins with event ${early.tree_size + 1}.`)
    assert.include(begun.output, `Lost: the events ${early.tree_size + 1} to ${lost.tree_size} of ${lost.origin}`)
    const again = await command(restored, witness, "restore", "--new-epoch")
    assert.strictEqual(again.status, 0, again.errors)
    assert.include(again.output, "No action needed. Epoch 2 has begun")
    service = await startService({ databaseUrl: restored, environment: { COUNTERSIGN_WITNESS: witness } })
    // While a node runs, no epoch begins.
    const running = await command(restored, witness, "restore", "--new-epoch")
    assert.strictEqual(running.status, 1)
    assert.include(running.errors, "Stop all of its nodes first")
  })

  it("says so in its feed, in its list of epochs and in what it signs", async () => {
    const started = {
      epoch: 2,
      origin: `${early.origin}/epoch/2`,
      first_sequence: early.tree_size + 1,
      previous_origin: early.origin,
      restored_sequence: early.tree_size,
      restored_hash: (await service.feed()).at(early.tree_size - 1).hash,
      reason: "disk lost",
      witness: { origin: lost.origin, tree_size: lost.tree_size, root_hash: lost.root_hash }
    }
    const event = (await service.feed())[early.tree_size]
    assert.deepInclude(event, {
      event_type: "log.epoch_started",
      resource_type: "log",
      resource_id: started.origin,
      actor_type: "system",
      actor_id: "cli",
      data: started
    })
    const epochs = await service.data("GET", "/api/v1/events/epochs")
    assert.deepStrictEqual(epochs, [
      { epoch: 1, origin: early.origin, first_sequence: 1 },
      { ...started, started_at: epochs[1].started_at }
    ])
    assert.deepStrictEqual((await service.feed("&event_type=log.epoch_started")).length, 1)
    const checkpoint = await checkpointed(service)
    assert.strictEqual(checkpoint.origin, started.origin)
    assert.isTrue(checkpoint.note.startsWith(`${started.origin}\n`))
    await kept(witness, checkpoint.note)
    const before = await service.data("GET", `/api/v1/events/checkpoint?size=${early.tree_size}`)
    assert.strictEqual(before.note, early.note)
  })

  it("has chains of licenses that go on from the backup, and do not know what was lost", async () => {
    const { licenseId } = earlyChain
    await service.data("PATCH", `/api/v1/licenses/${licenseId}`, { metadata: { restored: true } })
    await checkpointed(service)
    const now = await keptChain(service, licenseId)
    const [atBackup, atLoss] = [endOf(earlyChain), endOf(lostChain)]
    assert.isAbove(endOf(now).sequence, early.tree_size, "it has an event of the new epoch")
    assert.deepInclude(await judged(now), { ok: true, last: endOf(now) })
    assert.deepInclude(
      await judged(now, atBackup),
      { ok: true, after: atBackup },
      "who has the chain of the backup goes on"
    )
    // Who had more is told so, wherever the events of the new epoch stand.
    const { sequence } = endOf(now)
    const [event] = now.events.slice(-1)
    const onLost = await judged({ ...now, events: [event!] }, {
      ...atLoss,
      sequence: Math.min(atLoss.sequence, sequence - 1)
    })
    assert.include(["altered", "inserted"], onLost.ok ? "verified" : onLost.fault)
    // The lost part stays proven by the checkpoint that was signed over it, and by no other.
    assert.deepInclude(await judged(lostChain), { ok: true, last: atLoss })
    const elsewhere = await judged({ ...lostChain, note: now.note })
    assert.deepInclude(elsewhere, { ok: false, fault: "not_in_log" })
    assert.deepInclude(await judged({ ...now, note: lost.note }), { ok: false, fault: "not_in_log" })
  })

  it("follows cursors on up to where the epochs part, and answers those after it with where to go on", async () => {
    const ahead = async () => {
      const { detail } = refused(await page(service, `cursor=${cursor}`), 409, "CURSOR_AHEAD")
      assert.include(detail, "This log is in epoch 2 and its head is event ")
      assert.include(
        detail,
        `event ${lost.tree_size} of epoch 1, of which the events after ${early.tree_size} are lost`
      )
      return /continue with cursor=(\d+)\.$/.exec(detail)![1]!
    }
    const goOn = await ahead()
    refused(await page(service, `cursor=${early.tree_size + 1}&order=desc`), 409, "CURSOR_AHEAD")
    // Long past it, when the lost sequences have been given again: nothing is skipped in silence.
    await products(service, 25)
    assert.strictEqual(await ahead(), goOn)
    const feed = await service.feed()
    assert.isAbove(feed.length, lost.tree_size)
    for (const from of [goOn, String(early.tree_size)]) {
      const next = await page(service, `limit=200&cursor=${from}`)
      assert.deepStrictEqual(next.body.data, feed.slice(early.tree_size))
      const last = await page(service, `cursor=${next.body.page_info.next_cursor}`)
      assert.deepInclude(last.body, { data: [], page_info: next.body.page_info })
    }
    // Beyond the head of this epoch, and of an epoch that the log was never in.
    for (const beyond of [String(10 ** 13 + feed.length + 1), String(2 * 10 ** 13 + 3)]) {
      const { detail } = refused(await page(service, `cursor=${beyond}`), 409, "CURSOR_AHEAD")
      assert.include(detail, `This log is in epoch 2 and its head is event ${feed.length}`)
    }
    refused(await page(service, `cursor=${"9".repeat(16)}`), 400, "INVALID_QUERY")
  })

  it("delivers to receivers what it has, with its epoch", async () => {
    const feed = await service.feed()
    const after = feed.slice(early.tree_size)
    const came = (events: ReadonlyArray<Body>) =>
      eventually("all of them are delivered", () => {
        const ids = new Set(receiver.eventIds())
        return events.every(({ id }) => ids.has(id))
      })
    await came([...events, ...after])
    const epochOf = (events: ReadonlyArray<Body>) => {
      const ids = new Set(events.map(({ id }) => id))
      const found = receiver.received.filter(({ body }) => ids.has(JSON.parse(body).id))
      return [...new Set(found.map(({ headers }) => headers["x-service-event-epoch"]))]
    }
    assert.deepStrictEqual(epochOf(events), ["1"])
    assert.deepStrictEqual(epochOf(after), ["2"])
    // The same sequences, and no delivery twice that is another one.
    const deliveries = new Map<unknown, string>()
    for (const { body, headers } of receiver.received) {
      const id = headers["x-service-delivery-id"]
      assert.strictEqual(deliveries.get(id) ?? body, body)
      deliveries.set(id, body)
    }
  })

  it("is found in order by the doctor, who knows of epochs", async () => {
    const sql = await session(restored)
    assert.deepStrictEqual((await examine(restored)).found, [])
    await sql.query("UPDATE log_epochs SET restored_sequence = 3")
    assert.deepStrictEqual((await examine(restored)).found, [{
      resource: "log_epoch",
      id: `${early.origin}/epoch/2`,
      member: "restored_sequence",
      in_table: "3",
      by_log: String(early.tree_size)
    }])
    await sql.query("UPDATE log_epochs SET restored_sequence = $1", [early.tree_size])
    await sql.close()
  })

  it("is exported by a follower, who is told what became of what it had", async () => {
    const out = file("follower.ndjson")
    writeFileSync(`${out}.part`, events.map((event) => `${JSON.stringify(event)}\n`).join(""))
    await checkpointed(service)
    const exported = await runCommand(["events", "export", "--base", service.url, "--out", out], {
      COUNTERSIGN_TOKEN: adminToken
    })
    assert.strictEqual(exported.status, 0, exported.errors)
    assert.include(exported.errors, "to a range that was lost when the log was restored. Starting over")
    const lines = readFileSync(out, "utf8").trimEnd().split("\n")
    const publicKeys: ReadonlyArray<PublicKey> = await service.data("GET", "/api/v1/system/public-keys")
    assert.deepStrictEqual(publicKeys.map(({ kid }) => kid), keys.map(({ kid }) => kid))
    const whole = await verifyEvents({ lines, publicKeys, notes: [early.note] })
    assert.deepInclude(whole, {
      ok: true,
      events: lines.length - 1,
      epochs: [{ epoch: 2, first_sequence: early.tree_size + 1, restored_sequence: early.tree_size }]
    })
    assert.deepInclude(await verifyEvents({ lines, publicKeys, notes: [early.note, lost.note] }), {
      ok: false,
      fault: "lost_part",
      sequence: early.tree_size + 1
    })
    writeFileSync(file("keys.json"), JSON.stringify({ data: publicKeys }))
    writeFileSync(file("lost.note"), lost.note)
    const verify = ["verify", "events", out, "--keys", file("keys.json")]
    const verified = await runCommand(verify)
    assert.include(verified.output, `restored to an earlier state 1 time (epoch 2 from event ${early.tree_size + 1})`)
    const told = await runCommand([...verify, "--checkpoint", file("lost.note")])
    assert.strictEqual(told.status, 1)
    assert.include(told.output, `not verified: event ${early.tree_size + 1} lost_part: the log was restored`)
  })
})
