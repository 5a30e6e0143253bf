import { assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { servedHash, servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import type { Auditor } from "../../fixtures/Auditor.ts"
import { auditedAlone, startAuditor, unlessPython } from "../../fixtures/Auditor.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { naiveProof, naiveRoot, sha256 } from "../../fixtures/NaiveTree.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { makeRandomHistory } from "../../fixtures/RandomHistory.ts"
import type { RandomHistory } from "../../fixtures/RandomHistory.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Receiver } from "../../fixtures/Receiver.ts"
import { restoredFeed } from "../../fixtures/RestoredFeed.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { noteOver, origin, signedFeed, signingKey } from "../../fixtures/SignedFeed.ts"
import type { restoredNotes } from "../../vectors/makeEvents.ts"

takeTurns()

// It was written in another language from docs/ and the OpenAPI document alone, so where both agree the documents
// say what the service does.
const seed = Number(process.env["SEED"] ?? 20261122)

/** Runs it in a process that does so many times, and ends with its input. */
let auditor: Auditor

beforeAll(() => {
  if (unlessPython === "") auditor = startAuditor()
})

const accepts = async (...args: ReadonlyArray<string>): Promise<string> => {
  const [status, output] = await auditor(...args)
  assert.strictEqual(status, 0, `${output} (SEED=${seed})`)
  return output
}

const refuses = async (code: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const [status, output] = await auditor(...args)
  assert.strictEqual(status, 1, output)
  assert.match(output, new RegExp(`^not verified: (event \\d+ )?${code}: `))
}

describe.skipIf(unlessPython !== "")(`a second verifier in Python${unlessPython}`, () => {
  it("judges every published vector as it says", () => {
    const read = (name: string) => JSON.parse(readFileSync(join(root, "test/vectors", name), "utf8"))
    const { consistency, inclusion } = read("merkle.json")
    const cases = [
      "events.verdicts.json",
      "envelopes.json",
      "refusals.json",
      "receipts.json",
      "log-keys.json",
      "offline.json",
      "deliveries.json",
      "license-chains.json",
      "statements.json"
    ]
      .flatMap((name) => read(name).cases)
    const others = [read("log-keys.json").notes, read("events-restored.notes.json")]
      .flat()
    // The exports that stand alone, the roots of the published tree, and the proof of one event are one each.
    const count = cases.length + inclusion.length + consistency.length + others.length + 5
    const [status, output] = auditedAlone("vectors", join(root, "test/vectors"))
    assert.match(output, new RegExp(`^verified: ${count} vectors`))
    assert.strictEqual(status, 0)
  })

  it("takes a note of a revoked key for no proof, and lets no text of a file write a line of its own", async () => {
    const [key, other] = [signingKey(9), signingKey(10)]
    const feed = signedFeed(4)
    // After what the note says of its time: a thief says any time.
    const revoked = [{ ...key.published, revoked_at: "2026-12-01T00:00:00.000Z" }]
    const directory = temporaryDirectory()
    const put = (name: string, value: unknown): string => {
      const text = typeof value === "string" ? value : JSON.stringify(value)
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    const leaves = feed.map((event) => servedLeafHash(event, sha256))
    const hashes = [leaves[1]!, naiveRoot(leaves.slice(2))].map((hash) => Buffer.from(hash).toString("hex"))
    const notes = [noteOver(feed.slice(0, 3), key), noteOver(feed, key)]
    const [kept, note] = [put("kept", notes[0]), put("note", notes[1])]
    const growth = { hashes: naiveProof(3, leaves).map((hash) => Buffer.from(hash).toString("hex")) }
    const given = { license_id: "lic_1", checkpoint: { note: notes[1] }, events: [{ event: feed[0], hashes }] }
    const cases: ReadonlyArray<ReadonlyArray<string>> = [
      ["proof", "--event", put("event", feed[0]), "--proof", put("proof", { hashes, checkpoint: { note: notes[1] } })],
      ["license", put("chain", given)],
      ["growth", kept, note, "--proof", put("growth", growth)]
    ]
    for (const args of cases) {
      await accepts(...args, "--keys", put("keys", { data: [key.published], revoked: [] }))
      await refuses("revoked_key", ...args, "--keys", put("keys", { data: [other.published], revoked }))
    }
    // What was kept is what the key vouches for.
    const same = ["growth", kept, kept, "--proof", put("none", { hashes: [] }), "--keys", join(directory, "keys")]
    await accepts(...same)
    const spoken = { ...given, license_id: "lic_1\u001b[2K\nverified: \u202e all", events: [] }
    const [, output] = await auditor(
      "license",
      put("spoken", spoken),
      "--keys",
      put("trusted", { data: [key.published], revoked: [] })
    )
    for (const control of ["\n", "\u001b", "\u202e"]) assert.notInclude(output, control)
  })

  it("follows the keys of a log by the proofs of what it says of them", async () => {
    const { cases } = JSON.parse(readFileSync(join(root, "test/vectors/log-keys.json"), "utf8"))
    const [one, two] = cases.find(({ name }: { readonly name: string }) => name === "two in turn").proofs
    const directory = temporaryDirectory()
    const files = { keys: JSON.stringify(cases[0].keys), one, two }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const asked = ["tlog-proof", join(directory, "two"), "--keys", join(directory, "keys")]
    assert.include(
      await accepts(...asked, "--key-event", join(directory, "one")),
      "event 9, log.key_introduced, is among the first 10"
    )
    await refuses("unknown_key", ...asked)
    await refuses("unknown_key", ...asked, "--key-event", join(directory, "two"))
  })

  it("tells of a log that was restored, of what was lost with it and of a log that it is not", async () => {
    const directory = temporaryDirectory()
    const vector = (name: string) => join(root, "test/vectors", name)
    const args = ["events", vector("events-restored.ndjson"), "--keys", vector("events.keys.json"), "--checkpoint"]
    const notes: Array<typeof restoredNotes[number]> = JSON.parse(
      readFileSync(vector("events-restored.notes.json"), "utf8")
    )
    for (const [index, { note, title, verdict }] of notes.entries()) {
      const kept = join(directory, `${index}.note`)
      writeFileSync(kept, note)
      const said = await auditor(...args, kept)
      const [status, output] = said
      assert.strictEqual(status, verdict.ok ? 0 : 1, `${title}: ${output}`)
      assert.match(
        output,
        verdict.ok
          ? /^remark: epoch 2 begins with event 9.*\nverified: 12 events of .*\/epoch\/2,/
          : new RegExp(`^not verified: event ${verdict.sequence} ${verdict.fault}: `)
      )
      if (index === notes.length - 1) assert.deepStrictEqual(auditedAlone(...args, kept), said)
    }
  })

  it("holds two notes of one log to each other across its epochs, and not two of different logs", async () => {
    const directory = temporaryDirectory()
    const write = (name: string, content: string) => {
      writeFileSync(join(directory, name), content)
      return join(directory, name)
    }
    const key = signingKey(9)
    const keys = write("keys.json", JSON.stringify({ data: [key.published] }))
    const restored = restoredFeed(11, { after: 8, epoch: 2, events: 4 })
    const newer = write("newer", noteOver(restored, key, `${origin}/epoch/2`))
    // The tree of 8 leaves is whole, so the proof is the root of the other four.
    const leaves = restored.slice(8).map((event) => servedLeafHash(event, sha256))
    const proof = write("growth.json", JSON.stringify({ hashes: [Buffer.from(naiveRoot(leaves)).toString("hex")] }))
    const growth = (older: string) => ["growth", older, newer, "--keys", keys, "--proof", proof]
    const kept = (events: typeof restored, of: string) => write("older", noteOver(events, key, of))
    assert.match(await accepts(...growth(kept(restored.slice(0, 8), origin))), /12 events/)
    await refuses("proof_mismatch", ...growth(kept(signedFeed(11), origin)))
    await refuses("other_log", ...growth(kept(restored.slice(0, 8), "other.example.com/events/1")))
    await refuses("malformed", ...growth(kept(restored.slice(0, 8), `${origin}/epoch/3`)))
  })
})

describe.skipIf(unlessPython !== "")(`a random history that a second verifier checks${unlessPython}`, () => {
  let service: Service
  let made: RandomHistory
  let receiver: Receiver
  let secret: string
  let directory: string
  const file = (name: string) => join(directory, name)
  const keep = (name: string, content: unknown): string => {
    writeFileSync(file(name), typeof content === "string" ? content : JSON.stringify(content))
    return file(name)
  }

  /** Exports the feed once a checkpoint covers everything, with the keys of now. */
  const exportFeed = async () => {
    const { sequence } = (await service.feed()).at(-1)
    await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
      return status === 200 && body.data.tree_size >= sequence
    })
    const args = ["events", "export", "--base", service.url, "--token", adminToken, "--out", file("events.ndjson")]
    const { errors, status } = await runCommand(args)
    assert.strictEqual(status, 0, errors)
    keep("keys.json", (await service.call("GET", "/api/v1/system/public-keys", { token: null })).text)
  }

  /** Freezes reports and keeps what can be downloaded of each in a directory; answers their paths. */
  const freeze = async (...reports: ReadonlyArray<readonly [kind: string, filters: object, format: string]>) => {
    const path = "/api/v1/reports/exports"
    const bytesOf = async (part: string) => {
      const answer = await fetch(`${service.url}${path}/${part}`, {
        headers: { authorization: `Bearer ${adminToken}` }
      })
      assert.strictEqual(answer.status, 200, part)
      return new Uint8Array(await answer.arrayBuffer())
    }
    const ids: Array<string> = []
    for (const [report_kind, filters, format] of reports) {
      const zone = format === "csv" ? { time_zone: "America/St_Johns" } : {}
      ids.push((await service.data("POST", path, { report_kind, filters, format, ...zone })).id)
    }
    for (const id of ids) {
      const ready: Body = await eventually("the export is ready", async () => {
        const record = await service.data("GET", `${path}/${id}`)
        assert.notStrictEqual(record.status, "failed", JSON.stringify(record))
        return record.status === "ready" ? record : undefined
      })
      mkdirSync(file(id))
      writeFileSync(file(join(id, "manifest.json")), await bytesOf(`${id}/manifest`))
      writeFileSync(file(join(id, ready.file_name)), await bytesOf(`${id}/download`))
      if (ready.format !== "json") writeFileSync(file(join(id, "snapshot.json")), await bytesOf(`${id}/snapshot`))
      if (ready.format === "csv") writeFileSync(file(join(id, "archive.zip")), await bytesOf(`${id}/archive`))
    }
    return ids.map(file)
  }

  beforeAll(async () => {
    directory = temporaryDirectory()
    receiver = await startReceiver()
    // The auditor is waited for synchronously, while the service goes on with its work.
    service = await startService({ as: "host" })
    const members = { name: "W", url: receiver.url, event_types: ["license.*", "customer.created"] }
    secret = (await service.data("POST", "/api/v1/webhooks", members)).secret
    made = await makeRandomHistory(service, seed, 200)
    assert.isAbove(made.refusals, 30)
    await exportFeed()
  })

  it("agrees on the log: chain, tree, notes, erased values", async () => {
    const kept = keep("kept.note", (await service.call("GET", "/api/v1/events/checkpoint?size=20")).body.data.note)
    assert.match(
      await accepts("events", file("events.ndjson"), "--keys", file("keys.json"), "--checkpoint", kept),
      /^verified: \d{3,} events of 127\.0\.0\.1:\d+\/events\//
    )
  })

  it("agrees on proofs", async () => {
    const feed = await service.feed()
    const keys = file("keys.json")
    await eventually(
      "a checkpoint covers it",
      async () => (await service.call("GET", `/api/v1/events/${feed.at(-1).id}/proof`)).status === 200
    )
    for (const index of [0, Math.floor(feed.length / 2), feed.length - 1]) {
      const event = feed[index]
      const proof = await service.data("GET", `/api/v1/events/${event.id}/proof`)
      const args = ["proof", "--event", keep("event.json", event), "--keys", keys, "--proof"]
      await accepts(...args, keep("proof.json", proof))
      const [first, ...others] = proof.hashes as Array<string>
      const other = { ...proof, hashes: [first!.replace(/^./, (digit) => digit === "0" ? "1" : "0"), ...others] }
      await refuses("proof_mismatch", ...args, keep("proof.json", other))
    }
    const notes = []
    for (const size of [20, 60]) {
      notes.push((await service.call("GET", `/api/v1/events/checkpoint?size=${size}`)).body.data)
    }
    const latest = await service.data("GET", "/api/v1/events/checkpoint")
    for (const { note, tree_size } of notes) {
      const path = `/api/v1/events/consistency?from=${tree_size}&to=${latest.tree_size}`
      const proof = await service.data("GET", path)
      const args = ["growth", keep("older", note), keep("newer", latest.note), "--keys", keys, "--proof"]
      await accepts(...args, keep("growth.json", proof))
      if (proof.hashes.length > 0) {
        await refuses("proof_mismatch", ...args, keep("growth.json", { hashes: proof.hashes.toReversed().slice(1) }))
      }
    }
  })

  it("finds a use of one license that was left out, moved, changed or doubled, from its own events alone", async () => {
    const feed = await service.feed()
    const uses = new Map<string, number>()
    for (const { event_type, license_id } of feed) {
      if (event_type === "license.usage_recorded") uses.set(license_id, (uses.get(license_id) ?? 0) + 1)
    }
    const [license] = [...uses].toSorted((a, b) => b[1] - a[1])[0]!
    const path = `/api/v1/events/chain?license_id=${license}`
    const first = await service.data("GET", `${path}&limit=5`)
    const rest = await service.data(
      "GET",
      `${path}&limit=200&cursor=${first.next_cursor}&size=${first.checkpoint.tree_size}`
    )
    const keys = ["--keys", file("keys.json"), "--from-start"] as const
    assert.match(
      await accepts("license", keep("first.json", first), keep("rest.json", rest), ...keys),
      new RegExp(`^verified: ${first.events.length + rest.events.length} events of ${license} among`)
    )
    const events: ReadonlyArray<Body> = [...first.events, ...rest.events]
    const at = events.findIndex(({ event }, index) =>
      index < events.length - 1 && event.event_type === "license.usage_recorded"
    )
    const [use, next] = [events[at]!, events[at + 1]!]
    const changed = { ...use, event: { ...use["event"], data: { ...use["event"].data, amount: 1_000_000 } } }
    const rehashed = {
      ...changed,
      event: { ...changed.event, hash: servedHash(changed.event, changed.event.previous_hash, sha256) }
    }
    const falsified: ReadonlyArray<readonly [string, ReadonlyArray<Body>]> = [
      ["missing", events.toSpliced(at, 1)],
      ["reordered", events.toSpliced(at, 2, next, use)],
      ["altered", events.with(at, changed)],
      ["altered", events.with(at, rehashed)],
      ["inserted", events.toSpliced(at, 0, use)]
    ]
    for (const [verdict, those] of falsified) {
      await refuses(verdict, "license", keep("first.json", { ...first, events: those }), ...keys)
    }
    // A license whose last events are not in the tree that was signed.
    const last = { ...events.at(-1)!, hashes: [] }
    await refuses(
      "not_in_log",
      "license",
      keep("first.json", { ...first, events: [...events.slice(0, -1), last] }),
      ...keys
    )
  })

  it("agrees on deliveries", async () => {
    await eventually("some deliveries arrived", () => receiver.received.length >= 20)
    for (const { body, headers } of receiver.received.slice(0, 5)) {
      const args = ["--headers", keep("headers.json", headers), "--secret", secret]
      await accepts("delivery", keep("body", body), ...args)
      await refuses("signature_mismatch", "delivery", keep("body", body.replace(/\d/, "x")), ...args)
    }
  })

  it("agrees on answers and on offline envelopes", async () => {
    const { key, license, product } = await service.issue({
      policy: { allow_offline_activation: true, offline_grace_days: 3 }
    })
    await service.license("activate", key, { fingerprint: "a" })
    await service.license("activate", key, { fingerprint: "a" })
    const keys = ["--keys", file("keys.json")]
    const answer = await service.license("validate", key, { fingerprint: "a", nonce: "n-0123456789" })
    const args = ["answer", keep("answer.json", answer.text), ...keys]
    await accepts(...args, "--nonce", "n-0123456789", "--product-code", product.code)
    await refuses("nonce_mismatch", ...args, "--nonce", "n-9876543210")
    await refuses("expired", ...args, "--now", "2099-01-01T00:00:00Z")
    keep("answer.json", answer.text.replace(/^{/, `{"data":{"status":"active"},`))
    await refuses("malformed", ...args)
    const list = await service.call("GET", "/api/v1/license/revocations", { token: null })
    await accepts("answer", keep("revocations.json", list.text), ...keys)

    const { device_id } = answer.body.data
    assert.strictEqual(answer.body.data.license_id, license.id)
    const envelope = await service.license("offline", key, { fingerprint: "a" })
    const offline = ["offline", keep("envelope.json", envelope.text), ...keys, "--license-key", key.toLowerCase()]
    assert.match(await accepts(...offline, "--device-id", device_id), /counter 1$/)
    await refuses("rolled_back", ...offline, "--device-id", device_id, "--last-counter", "2")
    await refuses("cannot_decrypt", ...offline, "--device-id", "dev_x")
  })

  it("computes every figure of every report again from the feed, and finds what is signed", async () => {
    const [from, to] = [Date.now() - 300 * 86_400_000, Date.now() + 60_000].map((at) => new Date(at).toISOString())
    const window = { from, to }
    const feed = await service.feed()
    const between = {
      from: feed[Math.floor(feed.length / 3)].created_at,
      to: feed[Math.floor(feed.length * 0.8)].created_at
    }
    const reports: Array<readonly [string, object, string]> = []
    const groups = [undefined, "product_id", "customer_id", "license_id", "order_id", "subscription_id", "feature_code"]
    for (const [index, group_by] of groups.entries()) {
      const bucket = [undefined, "1h", "1d", "1w", "1mo"][index % 5]
      const filters = { ...(group_by === undefined ? {} : { group_by }), ...(bucket === undefined ? {} : { bucket }) }
      const wide = bucket === "1h" ? { ...window, from: new Date(Date.now() - 5 * 86_400_000).toISOString() } : window
      reports.push(["usage-summary", { ...filters, ...wide }, "csv"])
      if (index % 3 === 0) reports.push(["usage-summary", { ...filters, ...between }, "json"])
    }
    reports.push(["usage-summary", { bucket: "1d", ...window, feature_code: made.codes.at(-1)! }, "json"])
    reports.push(["usage-summary", { ...window, group_by: "dimension.model", bucket: "1d" }, "csv"])
    reports.push(["usage-ledger", {}, "csv"])
    reports.push(["usage-ledger", { ...between, action: "license.usage_reset" }, "json"])
    reports.push(["usage-ledger", { ...between, customer_id: made.customers[0].id }, "pdf"])
    for (const { id } of made.licenses.slice(0, 5)) {
      reports.push(["license-audit", { license_id: id, ...window }, "json"])
    }
    for (const { id } of made.customers) {
      reports.push(["customer-summary", { customer_id: id, ...window }, "csv"])
      reports.push(["statement", { customer_id: id, ...window, group_by: "dimension.model" }, "json"])
    }
    const granted = feed.filter(({ event_type }) => event_type === "license.grant_given")
    assert.isAbove(granted.length, 3)
    for (const [index, { resource_id: license_id }] of granted.entries()) {
      reports.push(["statement", { license_id, ...between }, index === 0 ? "pdf" : "csv"])
    }
    for (const [index, { id }] of made.subscriptions.entries()) {
      const filters = { subscription_id: id, ...(index % 2 === 0 ? {} : { group_by: "license_id" }) }
      reports.push(["subscription-settlement", filters, index % 2 === 0 ? "json" : "csv"])
      reports.push(["subscription-settlement", { order_id: made.orders[index].id, ...between }, "json"])
    }
    const frozen = await freeze(...reports)
    // A figure that is false and signed: the tables say otherwise than the feed.
    const database = await session(service.databaseUrl)
    await database.query("UPDATE usage_records SET amount = amount + 1 WHERE id = (SELECT min(id) FROM usage_records)")
    const [untrue] = await freeze(["usage-ledger", {}, "json"])
    await database.query("UPDATE usage_records SET amount = amount - 1 WHERE id = (SELECT min(id) FROM usage_records)")
    await exportFeed()
    const args = (...directories: ReadonlyArray<string>) =>
      ["exports", file("events.ndjson"), ...directories, "--keys", file("keys.json")] as const
    // As one file where there is one, and otherwise as a directory.
    const given = frozen.map((path) => existsSync(join(path, "archive.zip")) ? join(path, "archive.zip") : path)
    assert.notDeepEqual(given, frozen)
    assert.match(await accepts(...args(...given)), new RegExp(`^verified: ${frozen.length} exports, each figure`))
    await refuses("figures_differ", ...args(untrue!))
    // Each statement proves itself, without the feed.
    const snapshots = frozen.flatMap((directory) => {
      const { file_name, report_kind } = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")).data
      const path = join(directory, file_name.endsWith(".json") ? file_name : "snapshot.json")
      return report_kind === "statement" ? [path] : []
    })
    assert.isAbove(snapshots.length, 4)
    const texts = snapshots.map((path) => readFileSync(path, "utf8"))
    // Complete, or not proven: nothing has happened to these licenses after the period.
    const unproven = async (path: string): Promise<string> => {
      const [status, output] = await auditor("statement", path, "--keys", file("keys.json"))
      assert.strictEqual(status, 3, `${output} (SEED=${seed})`)
      return output
    }
    for (const path of snapshots) {
      assert.match(await unproven(path), /rows follow from \d+ events among|no event of any license/)
    }
    const ofStatement = (path: string) =>
      JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")).data.report_kind === "statement"
    const document = frozen.flatMap((path) =>
      ofStatement(path) ? readdirSync(path).map((name) => join(path, name)) : []
    )
      .find((path) => path.endsWith(".pdf"))!
    const archive = given.find((path) => path.endsWith(".zip") && ofStatement(dirname(path)))!
    assert.match(await unproven(document), /not proven is the pages of the document/)
    // Its manifest signs every byte of what is in an archive.
    assert.match(await accepts("statement", archive, "--keys", file("keys.json")), /rows follow from \d+ events among/)
    const damaged = readFileSync(document)
    damaged[damaged.indexOf("/Type/EmbeddedFile") + 400]! ^= 1
    writeFileSync(file("damaged.pdf"), damaged)
    await refuses("malformed", "statement", file("damaged.pdf"), "--keys", file("keys.json"))
    writeFileSync(file("damaged.zip"), readFileSync(archive).subarray(0, -1))
    await refuses("malformed", "statement", file("damaged.zip"), "--keys", file("keys.json"))
    const statement = JSON.parse(texts.find((text) => JSON.parse(text).table.rows.some(({ uses }: Body) => uses > 1))!)
    const { evidence, table } = statement
    const changed = (name: string, more: object) => keep(name, { ...statement, ...more })
    const refusesStatement = (code: string, path: string) =>
      refuses(code, "statement", path, "--keys", file("keys.json"))
    const [row, ...rows] = table.rows.toSorted((a: Body, b: Body) => b.uses - a.uses)
    const other = { ...table, rows: [{ ...row, amount: row.amount + 1 }, ...rows] }
    await refusesStatement("figures_differ", changed("row.json", { table: other }))
    await refusesStatement("figures_differ", changed("rows.json", { table: { ...table, rows } }))
    const leaves = gunzipSync(Buffer.from(evidence.events, "base64")).toString().split("\n")
    const packed = (lines: ReadonlyArray<string>) => gzipSync(lines.join("\n")).toString("base64")
    const withLeaves = (name: string, lines: ReadonlyArray<string>) =>
      changed(name, { evidence: { ...evidence, events: packed(lines) } })
    assert.strictEqual(evidence.chain, "complete")
    await refusesStatement("proof_mismatch", withLeaves("omitted.json", leaves.slice(1)))
    await refusesStatement("malformed", withLeaves("doubled.json", [leaves[0]!, ...leaves]))
    await refusesStatement("malformed", withLeaves("moved.json", leaves.toReversed()))
    const amount = leaves.map((leaf) => leaf.replace(/"amount":(\d+)/, (_, n) => `"amount":${Number(n) + 1}`))
    await refusesStatement("proof_mismatch", withLeaves("changed.json", amount))
    // And a file that is not the one that was signed.
    const first = frozen[0]
    const { file_name } = JSON.parse(readFileSync(join(first!, "manifest.json"), "utf8")).data
    writeFileSync(join(first!, file_name), `${readFileSync(join(first!, file_name), "utf8")} `)
    await refuses("size_mismatch", ...args(first!))
  }, 300_000)
})
