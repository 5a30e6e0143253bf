// Statements that prove themselves, judged by the command: what is proven, and what is found where events are left out.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { gunzipSync, gzipSync } from "node:zlib"
import { attachmentIn } from "../../../src/client/files/pdfAttachment.ts"
import { multiProofRanges } from "../../../src/domain/evidence/transparency/MultiProof.ts"
import { servedLeafHash } from "../../../src/domain/log/EventLeaf.ts"
import type { ServedEvent } from "../../../src/domain/log/EventLeaf.ts"
import { naiveRoot, sha256 } from "../../fixtures/NaiveTree.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { verifierOver, witness } from "../../fixtures/Verifier.ts"

const service = await startService()
const first = witness("witness.example.com/first", 7)
const second = witness("witness.example.com/second", 8)

const served = async (path: string): Promise<string> =>
  (await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).text()

const files = new Map<string, Uint8Array>()
const keys = ["--keys", "keys.json"]
const run = verifierOver(files)
const put = (name: string, text: string) => void files.set(name, new TextEncoder().encode(text))

/** A license whose events do not name the ones before them. */
let older = ""

beforeAll(async () => {
  put("keys.json", await served("/api/v1/system/public-keys"))
  await service.feed()
  // As where a node of an earlier release was there a moment ago.
  const database = await session(service.databaseUrl)
  await database.query("UPDATE event_chain SET linked_from = NULL, link_after = now() + interval '1 day'")
  const sold = await soldUnder(service, [{ max_consumptions: 9 }])
  await sold.consume(2)
  await service.feed()
  await database.query("UPDATE event_chain SET link_after = now()")
  older = sold.license.id
  await eventually("a checkpoint before all statements", async () => {
    return JSON.parse(await served("/api/v1/events/checkpoint")).data?.tree_size > 0
  })
})

/** Freezes a statement, and reads its file. */
const stated = async (filters: object): Promise<Snapshot> =>
  JSON.parse((await exportedFile(service, { report_kind: "statement", format: "json", filters })).text)

/** An instant after everything that was recorded so far. */
const instant = async (): Promise<string> => {
  const now = new Date(Date.now() + 1)
  await eventually("the instant is over", async () => Date.now() > now.getTime())
  return now.toISOString()
}

/** A snapshot as its reader takes it apart. */
type Snapshot = Body & {
  readonly evidence: {
    readonly chain: string
    readonly note: string
    readonly events: string
    readonly hashes: string
  }
}

const leavesIn = ({ evidence }: Snapshot): Array<string> =>
  gunzipSync(Buffer.from(evidence.events, "base64")).toString().split("\n")

const withEvidence = (snapshot: Snapshot, changed: object): string =>
  JSON.stringify({ ...snapshot, evidence: { ...snapshot.evidence, ...changed } })

const packed = (leaves: ReadonlyArray<string>) => ({ events: gzipSync(leaves.join("\n")).toString("base64") })

/** The statement as a service would freeze it that has these events alone in its evidence, with a proof that holds. */
const proving = (snapshot: Snapshot, feed: ReadonlyArray<Body>, leaves: ReadonlyArray<string>): string => {
  const size = Number(snapshot.evidence.note.split("\n")[1])
  const hashes = feed.slice(0, size).map((event) => servedLeafHash(event as ServedEvent, sha256))
  const ranges = multiProofRanges({ indexes: leaves.map((leaf) => JSON.parse(leaf).sequence - 1), size })
  const path = ranges.map(([from, to]) => naiveRoot(hashes.slice(from, to)))
  return withEvidence(snapshot, { ...packed(leaves), hashes: Buffer.concat(path).toString("base64") })
}

describe("a statement with its evidence", () => {
  let snapshot: Snapshot
  let feed: ReadonlyArray<Body>

  beforeAll(async () => {
    const license = await soldUnder(service, [{ max_consumptions: 30, overage: "allow" }])
    const give = (body: object) => service.data("POST", `${license.path}/grants`, { feature_code: "render", ...body })
    await give({ amount: 4 })
    for (const amount of [9, 30, 2, 5]) assert.strictEqual((await license.consume(amount)).status, 200)
    await give({ amount: 10, source: "gift" })
    const { id } = license.license
    const to = new Date(Date.now() + 1).toISOString()
    await eventually(
      "the period is over",
      async () => (await license.consume(1)).status === 200 && Date.now() > Date.parse(to)
    )
    // Another license uses the feature, too, which is no part of the statement.
    await (await soldUnder(service, [{ max_consumptions: 3 }])).consume(2)
    const { text } = await exportedFile(service, {
      report_kind: "statement",
      format: "json",
      filters: { license_id: id, to }
    })
    put("evident.json", text)
    snapshot = JSON.parse(text)
    feed = await service.feed()
  })

  /** The command about a changed statement. */
  const judged = (text: string, ...args: ReadonlyArray<string>) =>
    run(["evident.json", ...keys, ...args], { "evident.json": text })

  const fails = async (says: string, text: string, ...args: ReadonlyArray<string>) => {
    const { err, out, status } = await judged(text, ...args)
    assert.strictEqual(status, 1, `${says}\n${out}${err}`)
    assert.include(out, says)
  }

  it("proves its events, their completeness and its figures, without a manifest", async () => {
    const { out, status } = await run(["evident.json", ...keys])
    assert.strictEqual(status, 3, out)
    assert.include(out, "All figures of 1 row follow from these events.")
    assert.include(out, "No usage event is missing between the first and the last")
    assert.include(out, "no witness was named")
    assert.notInclude(out, "no later usage event shows")
    const compressed = { "evident.json.gz": gzipSync(files.get("evident.json")!) }
    assert.strictEqual((await run(["evident.json.gz", ...keys], compressed)).out, out)
    const cut = { "evident.json.gz": compressed["evident.json.gz"].subarray(0, 200) }
    const unread = await run(["evident.json.gz", ...keys], cut)
    assert.strictEqual(unread.status, 3, unread.out)
    assert.include(unread.out, "The archive is not compressed by gzip. Unpack it, and choose its files.")
    const cosigned = withEvidence(snapshot, { note: first.cosigned(snapshot.evidence.note) })
    assert.include(
      (await judged(cosigned, "--witness", first.key)).out,
      "witness.example.com/first signed the checkpoint"
    )
  })

  it("is refused where an event was left out, moved, changed or doubled", async () => {
    const leaves = leavesIn(snapshot)
    const notTheLog = "one was changed, moved, omitted or added"
    const use = leaves.findIndex((leaf) => leaf.includes("\"license.usage_recorded\"")) + 1
    await fails(notTheLog, withEvidence(snapshot, packed(leaves.toSpliced(use, 1))))
    await fails(notTheLog, withEvidence(snapshot, packed(leaves.toSpliced(use, 0, leaves[use]!))))
    await fails(notTheLog, withEvidence(snapshot, packed([leaves[1]!, leaves[0]!, ...leaves.slice(2)])))
    const changed = leaves.with(use, leaves[use]!.replace("\"amount\":30", "\"amount\":31"))
    assert.notDeepEqual(changed, leaves)
    await fails(notTheLog, withEvidence(snapshot, packed(changed)))
    await fails("not compressed by gzip", withEvidence(snapshot, { events: "AAAA" }))
  })

  it("is refused where the service itself leaves a use out, with a proof that holds and figures that add up", async () => {
    const leaves = leavesIn(snapshot)
    const kept = leaves.filter((leaf) => !/"amount":30,.*usage_recorded/.test(leaf))
    assert.strictEqual(kept.length, leaves.length - 1)
    const { out, status } = await judged(proving(snapshot, feed, kept))
    assert.strictEqual(status, 1, out)
    assert.include(out, "each with its proof")
    assert.include(out, "the running total does not continue")
  })

  it("is refused where a figure is another, or the log is another or too old", async () => {
    const { table } = snapshot
    const [row] = table.rows
    const changed = { ...snapshot, table: { ...table, rows: [{ ...row, amount: row.amount + 1 }] } }
    await fails(`The statement says amount ${row.amount + 1}`, JSON.stringify(changed))
    const { features } = snapshot.summary
    const summary = { ...snapshot.summary, features: [{ ...features[0], closing: 0 }] }
    await fails("The statement says closing 0", JSON.stringify({ ...snapshot, summary }))
    await fails("The statement says closing 0", JSON.stringify({ ...snapshot, table: { ...table, rows: [] }, summary }))
    const old = JSON.parse(await served("/api/v1/events/checkpoint?size=1")).data.note
    await fails("it is too old", withEvidence(snapshot, { note: old }))
    // A log of the same name that somebody else signed, and one that no witness has seen.
    const note = snapshot.evidence.note.replace(/(\u2014 \S+ [^=\n]{30})../, "$1AA")
    await fails("is not what", withEvidence(snapshot, { note }))
    await fails("Only 0 of the 1 witness", JSON.stringify(snapshot), "--witness", second.key)
  })
})

describe("the chain of each license in a statement", () => {
  let snapshot: Snapshot
  let feed: ReadonlyArray<Body>
  let leaves: Array<string>
  let sold: Awaited<ReturnType<typeof soldUnder>>
  let late: Body
  /** The statement as it was when nothing had happened after the period. */
  let early: Snapshot

  const report = (uses: ReadonlyArray<object>) => service.data("POST", "/api/v1/usage", { uses })
  const judged = (text: string) => run(["evident.json", ...keys], { "evident.json": text })
  const at = (index: number): Body => JSON.parse(leaves[index]!)
  const placeOf = (found: (leaf: Body) => boolean): number => leaves.findIndex((leaf) => found(JSON.parse(leaf)))
  const findsWithout = async (index: number) => {
    const { out, status } = await judged(proving(snapshot, feed, leaves.toSpliced(index, 1)))
    assert.strictEqual(status, 1, out)
    assert.include(out, "each with its proof")
    assert.include(out, `wrong: Event ${at(index).sequence} of the license ${sold.license.id} was omitted`)
  }

  beforeAll(async () => {
    sold = await soldUnder(service, [{ max_consumptions: 30, overage: "allow" }])
    for (const amount of [1, 2]) assert.strictEqual((await sold.consume(amount)).status, 200)
    const from = await instant()
    for (const amount of [3, 4]) assert.strictEqual((await sold.consume(amount)).status, 200)
    await service.data("POST", `${sold.path}/suspend`, { reason: "unpaid" })
    await service.data("POST", `${sold.path}/reinstate`, {})
    const used_at = new Date().toISOString()
    const to = await instant()
    early = await stated({ license_id: sold.license.id, from, to })
    assert.strictEqual((await sold.consume(5)).status, 200)
    // It was in the period, and is reported after a use that was not.
    const { id: license_id } = sold.license
    await report([{ license_id, feature_code: "render", event_id: "late", amount: 6, used_at }])
    await sold.consume(7)
    snapshot = await stated({ license_id, from, to })
    feed = await service.feed()
    leaves = leavesIn(snapshot)
    late = feed.find(({ data }) => data.event_id === "late")!
  })

  it("is closed at both ends, with all events between them and what was reported late", async () => {
    const { out, status } = await judged(JSON.stringify(snapshot))
    assert.strictEqual(status, 3, out)
    const [row] = snapshot.table.rows
    assert.deepInclude(row, { uses: 3, amount: 13 })
    assert.include(out, "No event of 1 license is missing, from before the period to after it")
    assert.include(out, "Whether usage of the period was reported late for the license")
    assert.notInclude(out, "at the end of the period")
    const kinds = leaves.map((leaf) => JSON.parse(leaf).event_type)
    for (const kind of ["license.suspended", "license.reinstated"]) assert.include(kinds, kind)
    assert.strictEqual(snapshot.evidence.chain, "complete")
    assert.isAbove(at(leaves.length - 1).sequence, late["sequence"])
  })

  it("is attached to the PDF, which is judged by it", async () => {
    const { bytes, id } = await exportedFile(service, {
      report_kind: "statement",
      format: "pdf",
      filters: snapshot.filters
    })
    const { out, status } = await run(["statement.pdf", ...keys], { "statement.pdf": bytes })
    assert.strictEqual(status, 3, out)
    assert.include(out, "an export as PDF: a statement with its evidence")
    assert.include(out, "No event of 1 license is missing, from before the period to after it")
    assert.include(out, "compare the totals with those of the attachment. render: uses 3, amount 13, within_quota 13.")
    const attached = await served(`/api/v1/reports/exports/${id}/snapshot`)
    assert.strictEqual(new TextDecoder().decode(await attachmentIn(bytes)), attached)
    // With its manifest the whole file is signed, and the service renders it again to the byte.
    const signed = await run(["statement.pdf", "manifest.json", ...keys], {
      "statement.pdf": bytes,
      "manifest.json": await served(`/api/v1/reports/exports/${id}/manifest`)
    })
    assert.include(signed.out, "Not a byte of it has changed since.")
    // The attachment of another statement, and a second one, are found or not taken.
    const at = Buffer.from(bytes).indexOf("/Type/EmbeddedFile")
    const twice = new Uint8Array([...bytes, ...bytes.subarray(at, at + 200)])
    const doubled = await run(["statement.pdf", ...keys], { "statement.pdf": twice })
    assert.strictEqual(doubled.status, 3, doubled.out)
    const damaged = bytes.slice()
    damaged[at + 400]! ^= 1
    assert.notInclude((await run(["statement.pdf", ...keys], { "statement.pdf": damaged })).out, "All figures of")
  })

  it("shows each event that the service leaves out, at either end and inside, whatever its kind", async () => {
    const before = placeOf(({ created_at }) => created_at >= snapshot.filters.from) - 1
    assert.isAbove(before, 0)
    for (let index = before; index < leaves.length - 1; index++) await findsWithout(index)
    assert.isAbove(leaves.length - before, 7)
    // All of the license before the period is here too, as the log is young.
    const fromFirst = await judged(proving(snapshot, feed, leaves.slice(before + 1)))
    assert.include(fromFirst.out, `wrong: Event ${at(before).sequence} of the license`)
    const begun = await judged(proving(snapshot, feed, leaves.slice(before)))
    assert.strictEqual(begun.status, 3, begun.out)
    assert.include(begun.out, "Whether grants from before the period are missing")
  })

  it("says where it is not closed: nothing after the period shows that it is over", async () => {
    const { out, status } = await judged(JSON.stringify(early))
    assert.strictEqual(status, 3, out)
    const last = JSON.parse(leavesIn(early).at(-1)!)
    assert.include(
      out,
      `No event of the license ${sold.license.id} is missing up to the last one here, event ${last.sequence}.`
    )
    assert.include(out, `had more events before the period ended: nothing later than event ${last.sequence} shows it`)
    const less = await judged(proving(early, feed, leavesIn(early).slice(0, -1)))
    assert.include(less.out, `nothing later than event ${last.previous_of_license.sequence} shows it`)
  })

  it("is refused with an event of another license, or one that was moved, changed or doubled", async () => {
    const other = feed.find(({ license_id }) => license_id !== undefined && license_id !== sold.license.id)!
    const { hash: _hash, previous_hash: _previous, salts: _salts, ip_address: _ip, ...leaf } = other
    const notTheLog = "one was changed, moved, omitted or added"
    const inside = placeOf(({ event_type }) => event_type === "license.suspended")
    for (
      const changed of [
        [...leaves, JSON.stringify(leaf)],
        leaves.with(inside, leaves[inside - 1]!),
        leaves.toSpliced(inside, 0, leaves[inside]!),
        leaves.with(inside, leaves[inside]!.replace("license.suspended", "license.reinstated"))
      ]
    ) {
      const { out, status } = await judged(withEvidence(snapshot, packed(changed)))
      assert.strictEqual(status, 1)
      assert.include(out, notTheLog)
    }
  })

  it("is that of each license of a customer", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { code: "two", name: "Two licenses" })
    const from = await instant()
    const [one, two] = [
      await soldUnder(service, [{ max_consumptions: 9 }], { customer_id: customer.id }),
      await soldUnder(service, [{ max_consumptions: 9 }], { customer_id: customer.id })
    ]
    for (const license of [one, two]) await license.consume(2)
    const to = await instant()
    await one.consume(1)
    const owned = await stated({ customer_id: customer.id, from, to })
    const { out, status } = await judged(JSON.stringify(owned))
    assert.strictEqual(status, 3, out)
    assert.include(out, "No event of 1 license is missing, from before the period to after it")
    assert.include(out, `Whether the license ${two.license.id} had more events before the period ended`)
    assert.notInclude(out, "Whether grants")
    const all = leavesIn(owned)
    const bound = all.findIndex((leaf) =>
      leaf.includes("license.activated") && JSON.parse(leaf).license_id === two.license.id
    )
    const less = await judged(proving(owned, await service.feed(), all.toSpliced(bound, 1)))
    assert.strictEqual(less.status, 1, less.out)
    assert.include(less.out, `of the license ${two.license.id} was omitted`)
  })

  it("is absent, and said to be, from a statement of one feature and of events that name none before them", async () => {
    const lacks = async (filters: object, chain: string, why: string) => {
      const found = await stated(filters)
      assert.strictEqual(found.evidence.chain, chain)
      const { out, status } = await judged(JSON.stringify(found))
      assert.strictEqual(status, 3, out)
      assert.include(out, why)
    }
    const { id: license_id } = sold.license
    await lacks({ license_id, feature_code: "render" }, "filtered", "it is of one feature")
    await lacks(
      { license_id: older },
      "unlinked",
      "from a release in which none named the previous event of its license"
    )
  })

  it("has all of 20,000 events, and says of more that they are too many for one file", async () => {
    const many = await soldUnder(service, [{ max_consumptions: 9 }])
    const { id: license_id } = many.license
    const database = await session(service.databaseUrl)
    const record = (count: number) =>
      database.query(
        `WITH pending AS (
           INSERT INTO event_pending (xid) SELECT pg_current_xact_id() FROM generate_series(1, $1::int) RETURNING ordinal
         )
         INSERT INTO event_records (ordinal, id, event_type, actor_type, actor_id, resource_id, metadata, data)
         SELECT ordinal, 'evt_' || substr(md5(ordinal::text), 1, 26), 'license.quota_threshold', 'system', 'test', $2, '{}', '{}'
         FROM pending`,
        [count, license_id]
      )
    const places = async () => {
      await eventually(
        "each event has its place",
        async () => (await database.query("SELECT FROM event_pending LIMIT 1")).length === 0
      )
      const [{ count }] = await database.query("SELECT count(*)::int FROM event_places WHERE resource_id = $1", [
        license_id
      ])
      return Number(count)
    }
    await many.consume(2)
    await record(20_000 - await places())
    assert.strictEqual(await places(), 20_000)
    const whole = await stated({ license_id })
    assert.strictEqual(whole.evidence.chain, "complete")
    assert.strictEqual(leavesIn(whole).length, 20_000)
    const { out, status } = await judged(JSON.stringify(whole))
    assert.strictEqual(status, 3, out)
    assert.include(out, `Whether the license ${license_id} had more events before the period ended`)
    await record(1)
    assert.strictEqual(await places(), 20_001)
    const larger = await stated({ license_id })
    assert.strictEqual(larger.evidence.chain, "too_large")
    assert.isBelow(leavesIn(larger).length, 5)
    const more = await judged(JSON.stringify(larger))
    assert.strictEqual(more.status, 3, more.out)
    assert.include(more.out, "the licenses have too many events for one file")
  })
})
