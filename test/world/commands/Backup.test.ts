import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { verifyEnvelope, verifyEvents } from "../../../src/client/verify/index.ts"
import { backedUp, ownFunctions, passing } from "../../../src/runtime/backup/BackupTables.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { endOf, judged, keptChain } from "../../fixtures/LicenseChain.ts"
import type { KeptChain } from "../../fixtures/LicenseChain.ts"
import type { Ended } from "../../fixtures/Program.ts"
import { launch, run, temporaryDirectory } from "../../fixtures/Program.ts"
import { makeRandomHistory } from "../../fixtures/RandomHistory.ts"
import type { Receiver } from "../../fixtures/Receiver.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, masterKey, Service, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, eventually, hold, migrated, session } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()
const file = (name: string) => join(directory, name)

const settings = (databaseUrl: string, key = masterKey) => ({
  DATABASE_URL: databaseUrl,
  COUNTERSIGN_MASTER_KEY: key,
  COUNTERSIGN_ADMIN_TOKEN: adminToken
})

const command = (databaseUrl: string, ...args: ReadonlyArray<string>): Promise<Ended> =>
  runCommand(args, settings(databaseUrl))

const succeeded = (ended: Ended): string => {
  assert.strictEqual(ended.status, 0, ended.errors)
  return ended.output
}

/** The manifest that the file holds, read as anybody would who knows tar. */
const manifestIn = (path: string): Body => {
  const bytes = readFileSync(path)
  const start = bytes.indexOf("{\n  \"format\": 1")
  return JSON.parse(bytes.toString("utf8", start, bytes.indexOf("\n}\n", start) + 2))
}

/** The tables of a database. */
const tablesOf = async (databaseUrl: string): Promise<ReadonlyArray<string>> => {
  const sql = await session(databaseUrl)
  const rows = await sql.query(
    "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
  )
  await sql.close()
  return rows.map(({ name }) => name)
}

it("every table is in a backup, or is one of those that need not be", async () => {
  const known = new Set([...backedUp, ...passing])
  assert.deepStrictEqual((await tablesOf(await migrated())).filter((name) => !known.has(name)), [])
})

it("every function of the schema is one that --replace removes", async () => {
  const sql = await session(await migrated())
  const found = await sql.query(
    "SELECT proname::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"
  )
  await sql.close()
  assert.deepStrictEqual(found.map(({ name }) => name), ownFunctions.toSorted())
})

describe("a backup of a service that is written to meanwhile", () => {
  const path = file("running.backup")
  let service: Service
  let receiver: Receiver
  let original: string
  let restored: string
  const laptop = { fingerprint: "my-laptop" }
  let issued: Body
  /** A signed answer of before. */
  let answer: string
  let manifest: Body
  let output: string
  /** The chain of the license before the backup. */
  let chain: KeptChain

  beforeAll(async () => {
    original = await database()
    restored = await database()
    receiver = await startReceiver()
    service = await startService({ databaseUrl: original })
    await service.data("POST", "/api/v1/webhooks", { name: "all", url: receiver.url, event_types: [] })
    await makeRandomHistory(service, 7, 60)
    issued = await service.issue({ policy: { max_activations: 3 } })
    assert.strictEqual((await service.license("activate", issued.key, laptop)).status, 200)
    answer = (await service.license("validate", issued.key, laptop)).text
    chain = await eventually("a checkpoint covers the license", async () => {
      const { status } = await service.call("GET", `/api/v1/events/chain?license_id=${issued.license.id}`)
      if (status !== 200) return undefined
      const kept = await keptChain(service, issued.license.id)
      return kept.events.some(({ event }) => event["event_type"] === "license.activated") ? kept : undefined
    })

    const writing = { goes: true }
    const write = async () => {
      while (writing.goes) await service.data("POST", "/api/v1/products", { name: "meanwhile", code: randomUUID() })
    }
    const writers = [write(), write(), write()]
    output = succeeded(await run(["src/runtime/cli.ts", "backup", path], settings(original)))
    writing.goes = false
    await Promise.all(writers)
    manifest = manifestIn(path)
    await service.stop()
  })

  it("says what is in it, is for its owner only, and holds no master key", () => {
    assert.include(output, `up to event ${manifest.log.last_sequence.toLocaleString("en-US")} of epoch 1`)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(directory).filter((name) => name.endsWith(".part")), [])
    const bytes = readFileSync(path)
    assert.isFalse(bytes.includes(Buffer.alloc(32, 7)))
    assert.isFalse(bytes.includes(masterKey))
    assert.strictEqual(manifest.tables.length, backedUp.length)
  })

  it("replaces no file", async () => {
    const again = await command(original, "backup", path)
    assert.strictEqual(again.status, 2)
    assert.include(again.errors, "backups never overwrite")
  })

  it("that is killed while it copies leaves no file of its name, and what it left is no backup", async () => {
    const killed = file("killed.backup")
    // The last table to be copied.
    const held = await hold(original, "LOCK TABLE webhook_secrets IN ACCESS EXCLUSIVE MODE")
    const backingUp = launch(["src/runtime/cli.ts", "backup", killed], settings(original))
    await held.blocked(1)
    assert.strictEqual(await backingUp.kill(), "SIGKILL")
    await held.release()
    assert.isFalse(existsSync(killed))
    assert.isTrue(readFileSync(`${killed}.part`).includes("tables/licenses.copy.zst"))
    const refused = await command(restored, "restore", `${killed}.part`)
    assert.strictEqual(refused.status, 1)
    assert.include(refused.errors, "cannot be restored")
    assert.deepStrictEqual(await tablesOf(restored), [])
    succeeded(await command(original, "backup", killed))
    assert.isFalse(existsSync(`${killed}.part`))
  })

  it.each<readonly [string, (copy: string) => void, string]>([
    ["is torn", (copy) => truncateSync(copy, Math.floor(statSync(copy).size / 2)), "in the middle"],
    ["lacks its end", (copy) => truncateSync(copy, statSync(copy).size - 1100), "cannot be restored"],
    ["was altered in a table", (copy) => {
      const bytes = readFileSync(copy)
      const at = bytes.indexOf("tables/licenses.copy.zst") + 512 + 200
      bytes[at] = bytes[at]! ^ 1
      writeFileSync(copy, bytes)
    }, "the rows of licenses"],
    ["was altered in its manifest", (copy) => {
      const bytes = readFileSync(copy)
      bytes.write("\"epoch\": 9", bytes.indexOf("\"epoch\": 1"))
      writeFileSync(copy, bytes)
    }, "its seal does not fit the master key"],
    ["is something else", (copy) => writeFileSync(copy, randomBytes(5000)), "it is no backup"]
  ])("is refused when it %s, before anything is written", async (name, alter, part) => {
    const copy = file(`${name}.backup`)
    copyFileSync(path, copy)
    alter(copy)
    const ended = await command(restored, "restore", copy)
    assert.strictEqual(ended.status, 1, ended.errors)
    assert.include(ended.errors, part)
    assert.deepStrictEqual(await tablesOf(restored), [])
  })

  it("is refused under another master key, before anything is written", async () => {
    const ended = await runCommand(["restore", path], settings(restored, Buffer.alloc(32, 8).toString("base64")))
    assert.strictEqual(ended.status, 1)
    assert.include(ended.errors, "its seal does not fit the master key")
    assert.deepStrictEqual(await tablesOf(restored), [])
  })

  it("leaves the database as it was when it is killed in the middle", async () => {
    const sql = await session(restored)
    await sql.query("CREATE TABLE held (id int)")
    // A name that a late migration of the restore waits for, with everything before it done.
    await sql.query("BEGIN")
    await sql.query("CREATE TABLE offline_files (id int)")
    const restoring = launch(["src/runtime/cli.ts", "restore", path], settings(restored))
    const waiting = await session(restored)
    await eventually("the restore is in the middle", async () =>
      (await waiting.query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'countersign restore' AND wait_event_type = 'Lock' " +
          "AND backend_xid IS NOT NULL AND datname = current_database()"
      )).length > 0)
    await restoring.kill()
    await sql.query("ROLLBACK")
    await eventually("its session ends", async () =>
      (await waiting.query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'countersign restore' AND datname = current_database()"
      )).length === 0)
    assert.deepStrictEqual(await tablesOf(restored), ["held"])
    await waiting.close()
    await sql.close()
  })

  it("is loaded row by row as it was, in a new epoch, beside a table that is not ours", async () => {
    const ended = await run(["src/runtime/cli.ts", "restore", path, "--reason", "disk lost"], settings(restored))
    succeeded(ended)
    assert.include(ended.output, `Epoch 2 begins with event ${manifest.log.last_sequence + 1}.`)
    assert.match(ended.output, /chain, tree and signature of [\d,]+ events verify/)
    assert.include(await tablesOf(restored), "held")
    // A backup of what was restored has the same tables, but for what the new epoch has added.
    const again = await command(restored, "backup", file("again.backup"))
    assert.strictEqual(again.status, 1)
    assert.include(again.errors, "the service was not started since")
    const { found } = await examine(restored)
    assert.deepStrictEqual(found, [])
  })

  it("is served: the feed verifies, old answers and keys are valid, webhooks go on", async () => {
    const before = receiver.received.length
    service = await startService({ databaseUrl: restored })
    const epochs = await service.data("GET", "/api/v1/events/epochs")
    assert.deepInclude(epochs.at(-1), { epoch: 2, restored_sequence: manifest.log.last_sequence, reason: "disk lost" })
    assert.strictEqual((await service.license("validate", issued.key, laptop)).status, 200)
    const keys = await service.data("GET", "/api/v1/system/public-keys")
    const { data } = await verifyEnvelope({ body: answer, publicKeys: keys })
    assert.strictEqual(data["license_id"], issued.license.id)
    const made = await service.data("POST", "/api/v1/products", { name: "after", code: randomUUID() })
    await eventually(
      "the delivery arrives",
      () => receiver.received.slice(before).some(({ body }) => body.includes(made.id))
    )
    const events = await service.feed()
    const checkpoint = await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
      return status === 200 && body.data.tree_size >= events.length ? body.data : undefined
    })
    const verdict = await verifyEvents({
      lines: [...(await service.feed()).slice(0, checkpoint.tree_size), { checkpoint }],
      publicKeys: keys,
      notes: [manifest.log.checkpoint.note]
    })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    const now = await keptChain(service, issued.license.id)
    assert.deepInclude(await judged(now), { ok: true, last: endOf(now) })
    assert.deepInclude(await judged(now, endOf(chain)), { ok: true, after: endOf(chain) }, "the chain goes on")
  })

  it("is not loaded beside a service, nor over what is there unless that is said", async () => {
    const beside = await command(restored, "restore", path, "--replace", "--yes")
    assert.strictEqual(beside.status, 1)
    assert.include(beside.errors, "Stop all of its nodes first")
    await service.stop()
    const over = await command(restored, "restore", path)
    assert.strictEqual(over.status, 2)
    assert.include(over.errors, "is not empty")
    const idle = await command(restored, "restore", path, "--replace")
    assert.strictEqual(idle.status, 2)
    assert.include(idle.errors, "Add --yes")
    const contradicting = await command(restored, "restore", path, "--new-epoch", "--same-epoch")
    assert.strictEqual(contradicting.status, 2)
  })

  it("takes the place of what is there, and with --same-epoch is exactly what it was", async () => {
    const ended = await command(restored, "restore", path, "--replace", "--yes", "--same-epoch", "--json")
    assert.deepInclude(JSON.parse(succeeded(ended)), { epoch: 1, verified: true })
    const again = succeeded(await command(restored, "backup", file("again.backup"), "--json"))
    assert.deepStrictEqual(JSON.parse(again).manifest.tables, manifest.tables)
    assert.deepStrictEqual(JSON.parse(again).manifest.sequences, manifest.sequences)
  })

  it("does not start before its epoch is decided", async () => {
    const sql = await session(restored)
    await sql.query(
      "INSERT INTO service_state (key, value) VALUES ('unfinished_restore', convert_to($1, 'UTF8'))",
      [String(manifest.log.last_sequence)]
    )
    const refusing = new Service(restored, {})
    refusing.launch()
    assert.strictEqual(await refusing.ended(), 1)
    assert.include(refusing.logs(), "A restore of this database did not come to its end")
    const begun = await command(restored, "restore", "--new-epoch")
    assert.include(succeeded(begun), `Epoch 2 begins with event ${manifest.log.last_sequence + 1}.`)
    assert.deepStrictEqual(await sql.query("SELECT 1 FROM service_state WHERE key = 'unfinished_restore'"), [])
  })
})

describe("a backup for an embedded database", () => {
  it("needs the master key, and is loaded into a directory that has nothing else", async () => {
    const source = await migrated()
    const service = await startService({ databaseUrl: source })
    const product = await service.data("POST", "/api/v1/products", { name: "moved", code: randomUUID() })
    await eventually("it is in the feed", async () => (await service.feed()).some(({ data }) => data.id === product.id))
    const path = file("moved.backup")
    succeeded(await command(source, "backup", path))
    const place = file("embedded")
    mkdirSync(place)
    const without = await runCommand(["restore", path], { COUNTERSIGN_DATA_DIR: place })
    assert.strictEqual(without.status, 2)
    assert.include(without.errors, "COUNTERSIGN_MASTER_KEY is not set")
    assert.deepStrictEqual(readdirSync(place), [])
    writeFileSync(join(place, "master.key"), `${masterKey}\n`, { mode: 0o600 })
    const ended = await run(["src/runtime/cli.ts", "restore", path], { COUNTERSIGN_DATA_DIR: place })
    assert.include(succeeded(ended), "A new admin token is in")
    assert.isTrue(existsSync(join(place, "postgres", "PG_VERSION")))
    const checked = await run(["src/runtime/cli.ts", "doctor"], { COUNTERSIGN_DATA_DIR: place })
    assert.include(succeeded(checked), "0 differences")
    const back = await run(["src/runtime/cli.ts", "backup", file("nothing/x")], { COUNTERSIGN_DATA_DIR: place })
    assert.strictEqual(back.status, 2)
  })
})
