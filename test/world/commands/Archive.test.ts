import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { archiveFileName, manifestName } from "../../../src/domain/evidence/transparency/LogArchive.ts"
import { lastTileLevel, tilesBefore } from "../../../src/domain/evidence/transparency/MerkleTiles.ts"
import { verifyConsistency, verifyInclusion } from "../../../src/domain/evidence/transparency/MerkleTree.ts"
import { archivedLines, bare, filesOf } from "../../fixtures/ArchivedLog.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { launch, run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()
const file = (name: string) => join(directory, name)
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

let service: Service
let database: Session
let made: Awaited<ReturnType<typeof makeHistory>>
/** The first checkpoint of everything, and the feed, before anything was dropped. */
let early: Body
let feed: ReadonlyArray<Body>

const environment = (days?: number) => ({
  DATABASE_URL: service.databaseUrl,
  COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  ...(days === undefined ? {} : { COUNTERSIGN_RETAIN_EVENT_DAYS: String(days) })
})

const archive = (args: ReadonlyArray<string>, days?: number) => runCommand(["archive", ...args], environment(days))

const succeeded = async (args: ReadonlyArray<string>, days?: number): Promise<Body> => {
  const { errors, output, status } = await archive([...args, "--json"], days)
  assert.strictEqual(status, 0, errors)
  return JSON.parse(output)
}

const failed = async (args: ReadonlyArray<string>, says: string, days?: number): Promise<void> => {
  const { errors, output, status } = await archive(args, days)
  assert.strictEqual(status, 1, output)
  assert.include(errors + output, says)
}

/** The latest checkpoint, once it covers everything that has happened. */
const checkpointed = (): Promise<Body> =>
  eventually("a checkpoint covers the feed", async () => {
    // In one snapshot: an event leaves the outbox as it gets its place in the chain.
    const [feed] = await database.query(
      "SELECT last_sequence::int AS last, (SELECT count(*)::int FROM event_outbox) AS waiting FROM event_chain"
    )
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && feed.waiting === 0 && body.data.tree_size >= feed.last ? body.data : undefined
  })

const products = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index++) {
    await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() })
  }
}

const keysFile = async () => {
  const { text } = await service.call("GET", "/api/v1/system/public-keys", { token: null })
  writeFileSync(file("keys.json"), text)
  return file("keys.json")
}

const healthy = async () => assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

const rowsBefore = async (sequence: number) => {
  const [row] = await database.query("SELECT count(*)::int AS n FROM event_places WHERE sequence <= $1", [sequence])
  return row.n
}

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  made = await makeHistory(service)
  early = await checkpointed()
  feed = await service.feed()
})

describe("an archive of the log", () => {
  it("has every event but its personal values, and verifies offline", async () => {
    const { errors, output, status } = await run(
      ["src/runtime/cli.ts", "archive", "write", file("log"), "--events-in-file", "20"],
      environment()
    )
    assert.strictEqual(status, 0, errors)
    const lines = archivedLines(file("log"))
    assert.include(output, `events 1 to ${lines.length} in ${Math.ceil(lines.length / 20)} files`)
    assert.deepStrictEqual(lines.map(bare), feed.slice(0, lines.length).map(bare))
    assert.notInclude(JSON.stringify(lines), "koeln.example")
    assert.isFalse(lines.some((line) => "salts" in line || "ip_address" in line))

    const keys = await keysFile()
    const verified = await runCommand(["archive", "verify", file("log"), "--keys", keys])
    assert.strictEqual(verified.status, 0, verified.errors + verified.output)
    assert.include(verified.output, `verified: ${lines.length} events`)
  })

  it("goes on where it ended, and leaves the files that are there", async () => {
    const before = filesOf(file("log")).map((name) => [name, readFileSync(join(file("log"), name)).toString("hex")])
    await products(3)
    const { tree_size } = await checkpointed()
    const { archived } = await succeeded(["write", file("log")])
    assert.isAtLeast(archived, tree_size)
    for (const [name, content] of before) {
      assert.strictEqual(readFileSync(join(file("log"), name!)).toString("hex"), content)
    }
    assert.deepStrictEqual(
      archivedLines(file("log")).map(({ sequence }) => sequence),
      Array.from({ length: archived }, (_, index) => index + 1)
    )
  })

  it("of which a file was changed does not verify, even where the manifest was made to fit", async () => {
    await succeeded(["write", file("altered"), "--events-in-file", "50"])
    const [, name = ""] = filesOf(file("altered"))
    const path = join(file("altered"), name)
    const text = gunzipSync(readFileSync(path)).toString()
    const changed = text.replace("\"actor_id\":\"", "\"actor_id\":\"x")
    writeFileSync(path, gzipSync(changed))
    const verify = ["verify", file("altered"), "--keys", await keysFile()]
    await failed(verify, `${name} is not the file that was written`)
    await failed(["drop", file("altered")], "is not the file that was written", 0)

    const manifest = JSON.parse(readFileSync(join(file("altered"), "archive.json"), "utf8"))
    const packed = readFileSync(path)
    manifest.files[1].size = packed.length
    manifest.files[1].digest = `sha256:${Buffer.from(sha256(packed)).toString("hex")}`
    writeFileSync(join(file("altered"), "archive.json"), JSON.stringify(manifest))
    await failed(verify, "not verified: event 51 altered")
    await failed(["drop", file("altered")], "does not verify: event 51 altered", 0)
    assert.strictEqual(await rowsBefore(50), 50)
  })

  it("is written to the end after a kill -9 in the middle", async () => {
    const path = file("killed")
    // Whoever writes to a pipe that nobody reads waits: there it is killed.
    const pipe = join(path, `${archiveFileName(10, 10)}.part`)
    mkdirSync(path)
    execFileSync("mkfifo", [pipe])
    const writing = launch(["src/runtime/cli.ts", "archive", "write", path, "--events-in-file", "1"], environment())
    // A file counts once the manifest names it.
    const named = () => JSON.parse(readFileSync(join(path, manifestName), "utf8")).files.length
    await eventually("some files are written", () => filesOf(path).length === 9 && named() === 9)
    await writing.kill()
    rmSync(pipe)
    await failed(["verify", path, "--keys", await keysFile()], "is not finished: its files go up to event 9")
    await failed(["drop", path], "is not finished", 0)
    const { errors, status } = await archive(["write", path])
    assert.strictEqual(status, 0, errors)
    assert.include(errors, "Continuing after event 9")
    const sequences = archivedLines(path).map(({ sequence }) => sequence)
    assert.deepStrictEqual(sequences, Array.from({ length: sequences.length }, (_, index) => index + 1))
    assert.isAtLeast(sequences.length, feed.length)
  })
})

describe("dropping what was archived", () => {
  /** The last event that is dropped first: in the middle of the history. */
  const middle = 64
  let explained: Body

  const explain = (at?: string) =>
    service.call("POST", `/api/v1/licenses/${made.license.id}/explain`, {
      body: {
        operation: "consume",
        binding: { fingerprint: "a" },
        feature_code: "render",
        amount: 1,
        ...(at === undefined ? {} : { at })
      }
    })

  it("is refused while nothing says for how long events are kept, or somebody needs them", async () => {
    await failed(["drop", file("log")], "COUNTERSIGN_RETAIN_EVENT_DAYS is not set")
    const young = await succeeded(["drop", file("log")], 1)
    assert.deepInclude(young, { dropped: 0, deleted: 0 })
    assert.include(young.holds[0].by, "which keeps 1 days")

    const waiting = await succeeded(["drop", file("log"), "--dry-run"], 0)
    assert.include(waiting.holds[0].by, `the webhook ${made.webhook.id}`)
    const cursor =
      feed.find(({ event_type, resource_id }) => event_type === "webhook.created" && resource_id === made.webhook.id)
        .sequence
    assert.isAtMost(waiting.dropped, cursor)
    assert.strictEqual(await rowsBefore(middle), middle)
    await service.data("DELETE", `/api/v1/webhooks/${made.webhook.id}`)

    const witnessed = await runCommand(["archive", "drop", file("log"), "--json"], {
      ...environment(0),
      COUNTERSIGN_WITNESS: file("witness")
    })
    const { dropped, holds } = JSON.parse(witnessed.output)
    assert.strictEqual(dropped, 0, "a witness that keeps nothing yet vouches for nothing")
    assert.include(holds[0].by, `the witness ${file("witness")}`)
  })

  it("takes turns with every other command of the archive", async () => {
    await database.query("SELECT pg_advisory_lock(hashtext('countersign archive'))")
    await failed(["drop", file("log")], "Another command is archiving or dropping", 0)
    await failed(["write", file("log")], "Another command is archiving or dropping")
    await database.query("SELECT pg_advisory_unlock(hashtext('countersign archive'))")
  })

  it("changes nothing when it is killed before it is declared", async () => {
    explained = (await explain()).body.data
    await database.query("BEGIN")
    await database.query("SELECT 1 FROM event_archive FOR UPDATE")
    const dropping = launch(["src/runtime/cli.ts", "archive", "drop", file("log"), "--to", "48"], environment(0))
    await eventually("it waits to declare it", async () => {
      const [blocked] = await (await session(service.databaseUrl)).query(
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%UPDATE event_archive%' AND wait_event_type = 'Lock'"
      )
      return blocked !== undefined
    })
    await dropping.kill()
    await database.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE '%UPDATE event_archive%' AND wait_event_type = 'Lock' AND datname = current_database()`)
    await database.query("COMMIT")
    assert.strictEqual((await succeeded(["drop", file("log"), "--dry-run"], 0)).before, 0)
    assert.deepStrictEqual((await explain()).body.data.findings, explained.findings)
    await healthy()
  })

  it("is finished by the next one when it is killed while it deletes", async () => {
    const holding = await session(service.databaseUrl)
    await holding.query("BEGIN")
    await holding.query("SELECT 1 FROM event_places WHERE sequence = 5 FOR UPDATE")
    const dropping = launch(
      ["src/runtime/cli.ts", "archive", "drop", file("log"), "--to", String(middle)],
      environment(0)
    )
    const deleting =
      "query LIKE '%DELETE FROM event_places%' AND wait_event_type = 'Lock' AND datname = current_database()"
    await eventually(
      "it waits to delete",
      async () => (await database.query(`SELECT 1 FROM pg_stat_activity WHERE ${deleting}`)).length > 0
    )
    await dropping.kill()
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${deleting}`)
    await holding.query("COMMIT")

    assert.strictEqual(await rowsBefore(middle), middle, "the rows are still there")
    refused(await service.call("GET", "/api/v1/events?cursor=0"), 410, "CURSOR_BEHIND")
    refused(await service.call("GET", `/api/v1/events/${feed[3].id}/proof`), 404, "NOT_FOUND")
    const newestFirst = await service.call("GET", "/api/v1/events?order=desc&limit=200")
    assert.strictEqual(newestFirst.body.data.at(-1).sequence, middle + 1)
    assert.isNull(newestFirst.body.page_info.next_cursor)
    await healthy()

    const { before, deleted } = await succeeded(["drop", file("log"), "--to", String(middle)], 0)
    assert.deepStrictEqual({ before, deleted }, { before: middle, deleted: middle })
    assert.strictEqual(await rowsBefore(middle), 0)
    await healthy()
  })

  it("leaves a feed that begins with the next event and says so", async () => {
    const { detail } = refused(
      await service.call("GET", `/api/v1/events?cursor=${middle - 1}`),
      410,
      "CURSOR_BEHIND"
    )
    assert.include(detail, `begins with event ${middle + 1}`)
    assert.include(detail, `cursor=${middle}`)
    const { body } = await service.call("GET", "/api/v1/events?limit=1")
    assert.strictEqual(body.data[0].sequence, middle + 1)
    assert.strictEqual(body.data[0].hash, feed[middle].hash)
    const kept = await service.feed()
    assert.deepStrictEqual(kept.slice(0, feed.length - middle).map(bare), feed.slice(middle).map(bare))
    const dropped = kept.find(({ event_type }) => event_type === "log.dropped")
    assert.deepInclude(dropped.data, { dropped_sequence: middle, dropped_hash: feed[middle - 1].hash })
  })

  it("leaves every proof of what is left, and of what comes after", async () => {
    const { root_hash, tree_size } = await checkpointed()
    const root = bytes(root_hash)
    for (const event of (await service.feed()).slice(0, tree_size - middle)) {
      const proof = await service.data("GET", `/api/v1/events/${event.id}/proof?size=${tree_size}`)
      assert.isTrue(
        verifyInclusion({
          leafHash: bytes(proof.leaf_hash),
          index: event.sequence - 1,
          size: tree_size,
          root,
          hashes: proof.hashes.map(bytes)
        }, sha256),
        `event ${event.sequence}`
      )
    }
    for (let from = middle; from <= tree_size; from++) {
      const proof = await service.data("GET", `/api/v1/events/consistency?from=${from}&to=${tree_size}`)
      assert.isTrue(
        verifyConsistency({
          first: from,
          firstRoot: bytes(proof.from_root_hash),
          second: tree_size,
          secondRoot: root,
          hashes: proof.hashes.map(bytes)
        }, sha256),
        `from ${from}`
      )
    }
    const { detail } = refused(
      await service.call("GET", `/api/v1/events/consistency?from=${middle - 1}&to=${tree_size}`),
      404,
      "NOT_FOUND"
    )
    assert.include(detail, "archive")
    const tiles = await database.query("SELECT level::int, index::int FROM event_tiles")
    assert.isTrue(tiles.every(({ index, level }) => index >= tilesBefore(level, middle)))
    assert.isAtLeast(lastTileLevel(middle), 0)
  })

  it("leaves an export that verifies behind the archive", async () => {
    const out = file("rest.ndjson")
    const exported = ["events", "export", "--base", service.url, "--token", adminToken, "--out", out]
    assert.strictEqual((await runCommand(exported)).status, 0)
    const verify = ["verify", "events", out, "--keys", await keysFile()]
    const whole = await runCommand([...verify, "--archive", file("log")])
    assert.strictEqual(whole.status, 0, whole.output + whole.errors)
    assert.match(whole.output, /^verified: /)
    assert.include((await runCommand(verify)).output, "not verified: event 1 missing")
  })

  it("leaves what a license was explainable, since then", async () => {
    const { findings, is_allowed } = (await explain()).body.data
    assert.deepStrictEqual({ findings, is_allowed }, {
      findings: explained.findings,
      is_allowed: explained.is_allowed
    })
    const [{ until }] = await database.query("SELECT dropped_until AS until FROM event_archive")
    const before = (sequence: number) => new Date(Date.parse(feed[sequence - 1].created_at)).toISOString()
    invalid(await explain(before(20)), "at", "archived")
    const since = await explain(until.toISOString())
    assert.strictEqual(since.status, 200, since.text)
  })

  it("leaves the erasure of a customer whole", async () => {
    await service.data("POST", `/api/v1/customers/${made.customer.id}/erase`)
    const left = await database.query(
      `
      SELECT e.sequence FROM events e WHERE e.resource_id = $1 AND (e.personal - '/ip_address') <> '{}'`,
      [
        made.license.id
      ]
    )
    assert.deepStrictEqual(left, [])
    const anchors = await database.query("SELECT data, metadata FROM event_anchors")
    const states = await database.query("SELECT state FROM event_baselines")
    assert.notInclude(JSON.stringify([anchors, states]), "koeln.example")
    await healthy()
  })

  it("goes on: archived further, dropped further, and begun anew elsewhere", async () => {
    await service.license("activate", made.key, { fingerprint: "a" })
    await products(20)
    const { tree_size } = await checkpointed()
    await succeeded(["write", file("log")])
    const { dropped } = await succeeded(["drop", file("log")], 0)
    assert.isAtLeast(dropped, Math.floor(tree_size / 16) * 16)
    assert.strictEqual(await rowsBefore(dropped), 0)
    await healthy()
    const [superseded] = await database.query(`
      SELECT count(*)::int AS n FROM (SELECT root FROM event_baselines GROUP BY root HAVING count(*) > 1) b`)
    assert.strictEqual(superseded.n, 0)

    await products(20)
    await checkpointed()
    const elsewhere = await succeeded(["write", file("elsewhere")])
    assert.strictEqual(elsewhere.first, dropped + 1)
    const verified = await runCommand(["archive", "verify", file("elsewhere"), "--keys", await keysFile()])
    assert.strictEqual(verified.status, 0, verified.output + verified.errors)
    const manifest = JSON.parse(readFileSync(join(file("elsewhere"), "archive.json"), "utf8"))
    manifest.start.subtrees[0] = manifest.start.subtrees[0].replaceAll(/[0-7]/g, "8")
    writeFileSync(join(file("elsewhere"), "archive.json"), JSON.stringify(manifest))
    await failed(["verify", file("elsewhere"), "--keys", await keysFile()], "rewritten")
    assert.deepStrictEqual((await succeeded(["write", file("log")])).first, 1)
  })

  it("is something the doctor tells", async () => {
    const { output, status } = await runCommand(["doctor"], environment())
    assert.strictEqual(status, 0, output)
    assert.match(
      output,
      /, 0 differences; from event \d+ on, and the state that the dropped events before it replayed to/
    )
  })

  it("is told from a loss, and a new epoch goes on from the last dropped event at the earliest", async () => {
    await checkpointed()
    await succeeded(["write", file("log")])
    await products(3)
    await checkpointed()
    const [{ dropped, last }] = await database.query(`
      SELECT a.dropped_sequence::int AS dropped, c.last_sequence::int AS last FROM event_archive a, event_chain c`)
    const keys = await keysFile()
    await service.stop()

    writeFileSync(file("early.note"), early.note)
    const found = await runCommand(["restore"], { ...environment(), COUNTERSIGN_WITNESS: file("early.note") })
    assert.strictEqual(found.status, 1)
    assert.include(found.errors, `${early.tree_size} events, which were archived and dropped since`)
    const compared = await runCommand(
      ["archive", "verify", file("log"), "--keys", keys, "--checkpoint", file("early.note")]
    )
    assert.strictEqual(compared.status, 0, compared.output + compared.errors)

    const begin = (after: number) =>
      runCommand(["restore", "--new-epoch", "--after", String(after), "--reason", "disk lost"], environment())
    const before = await begin(dropped - 1)
    assert.strictEqual(before.status, 1, before.output)
    assert.include(
      before.errors,
      `--after ${dropped - 1} is no event of epoch 1, which goes from ${dropped} to ${last}`
    )
    const begun = await begin(dropped)
    assert.strictEqual(begun.status, 0, begun.errors)
    assert.include(begun.output, `Epoch 2 begins with event ${last + 1}.`)

    service = await startService({ databaseUrl: service.databaseUrl })
    const { body } = await service.call("GET", "/api/v1/events/epochs")
    const { hash } = archivedLines(file("log")).find(({ sequence }) => sequence === dropped)!
    assert.deepInclude(body.data.at(-1), { epoch: 2, restored_sequence: dropped, restored_hash: hash })
    await products(20)
    await checkpointed()
    const rest = await runCommand(
      ["events", "export", "--base", service.url, "--out", file("later.ndjson")],
      { COUNTERSIGN_TOKEN: adminToken }
    )
    assert.strictEqual(rest.status, 0, rest.output + rest.errors)
    const verified = await runCommand(
      ["verify", "events", file("later.ndjson"), "--keys", await keysFile(), "--archive", file("log")]
    )
    assert.strictEqual(verified.status, 0, verified.output + verified.errors)
    await succeeded(["write", file("log")])
    assert.isAbove((await succeeded(["drop", file("log")], 0)).dropped, last)
    await healthy()
  })
})
