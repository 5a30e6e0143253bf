// Evidence of every kind that a service signs, verified by people: with the command of the package, and in verify.html from
// disk without a network.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gunzipSync, gzipSync } from "node:zlib"
import type { FileReport } from "../../../src/client/evidence/FileReport.ts"
import { runVerifier } from "../../../src/client/verifier/command.ts"
import { servedLeafHash } from "../../../src/domain/events/EventLeaf.ts"
import type { ServedEvent } from "../../../src/domain/events/EventLeaf.ts"
import { multiProofRanges } from "../../../src/domain/transparency/MultiProof.ts"
import { ed25519, readNote, timestampedLine, timestampedText } from "../../../src/domain/transparency/SignedNote.ts"
import { writeVerifierKey } from "../../../src/domain/transparency/VerifierKey.ts"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { looks } from "../../fixtures/Console.ts"
import { naiveRoot, sha256 } from "../../fixtures/NaiveTree.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { signingKey } from "../../fixtures/SignedFeed.ts"

const service = await startService()

/** The files that a reader has, by name. */
const files = new Map<string, Uint8Array>()

const put = (name: string, content: string | Uint8Array) =>
  void files.set(name, typeof content === "string" ? new TextEncoder().encode(content) : content)

const textOf = (name: string): string => new TextDecoder().decode(files.get(name))

const served = async (path: string): Promise<string> =>
  (await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).text()

/** A witness by its name, and how it signs a note. */
const witness = (name: string, byte: number) => {
  const { privateKey, published } = signingKey(byte)
  const publicKey = Uint8Array.from(Buffer.from(published.public_key, "base64"))
  return {
    key: writeVerifierKey({ name, type: ed25519, publicKey }, sha256),
    cosigned: (note: string): string => {
      const time = 1_790_000_000
      const signature = sign(null, Buffer.from(timestampedText(readNote(note)!.text, time)), privateKey)
      return note + timestampedLine({ name, publicKey, time, signature: Uint8Array.from(signature) }, sha256)
    }
  }
}

const first = witness("witness.example.com/first", 7)
const second = witness("witness.example.com/second", 8)

let licenseKey = ""

beforeAll(async () => {
  const { key, license } = await service.issue()
  licenseKey = key
  put("answer.json", (await service.license("activate", key, { fingerprint: "air-gapped" })).text)
  const { lic } = await service.data("POST", `/api/v1/licenses/${license.id}/offline-files`, {
    fingerprint: "air-gapped",
    license_key: key
  })
  put("license.lic", JSON.stringify(lic))
  for (const format of ["json", "csv", "pdf"]) {
    const { bytes, id } = await exportedFile(service, {
      report_kind: "statement",
      format,
      filters: { license_id: license.id }
    })
    put(`statement.${format}`, bytes)
    put(`${format}.manifest.json`, await served(`/api/v1/reports/exports/${id}/manifest`))
    put(`${format}.snapshot.json`, await served(`/api/v1/reports/exports/${id}/snapshot`))
  }
  const used = await soldUnder(service, [{ max_consumptions: 9 }])
  await used.consume(2, service, "use-1")
  put(
    "receipt.json",
    await eventually("a receipt", async () => {
      const answer = await service.call("GET", "/api/v1/license/receipt?event_id=use-1", { licenseKey: used.key })
      return answer.status === 200 ? answer.text : undefined
    })
  )
  put("keys.json", await served("/api/v1/system/public-keys"))
  const log = join(temporaryDirectory(), "events.ndjson")
  const ended = await runCommand(["events", "export", "--base", service.url, "--token", adminToken, "--out", log])
  assert.strictEqual(ended.status, 0, ended.errors)
  put("events.ndjson", readFileSync(log))
  const checkpoint = await eventually("a checkpoint", async () => {
    const { data } = JSON.parse(await served("/api/v1/events/checkpoint"))
    return data.tree_size > 0 ? data : undefined
  })
  put("checkpoint.txt", first.cosigned(checkpoint.note))
})

/** Runs the command; files that were changed stand in for those of the same name. */
const run = async (args: ReadonlyArray<string>, changed: Readonly<Record<string, string | Uint8Array>> = {}) => {
  let out = ""
  let err = ""
  const status = await runVerifier(["verify", ...args], {
    read: async (path) => {
      const own = changed[path]
      const bytes = typeof own === "string" ? new TextEncoder().encode(own) : own ?? files.get(path)
      return bytes ?? Promise.reject(new Error("no such file"))
    },
    out: (text) => void (out += text),
    err: (text) => void (err += text)
  })
  return { status, out, err }
}

const keys = ["--keys", "keys.json"]
const proves = async (says: string, ...args: ReadonlyArray<string>) => {
  const { err, out, status } = await run([...args, ...keys])
  assert.strictEqual(status, 0, out + err)
  assert.include(out, says)
}

describe("the command verify", () => {
  it("says what each kind of file proves", async () => {
    for (const format of ["json", "csv", "pdf"]) {
      await proves("Not a byte of it has changed since.", `statement.${format}`, `${format}.manifest.json`)
    }
    await proves("signed this snapshot of statement-", "pdf.manifest.json", "statement.pdf", "pdf.snapshot.json")
    await proves("signed this response", "answer.json")
    await proves("used 2 of render at", "receipt.json")
    await proves("none was changed, omitted, moved or added", "events.ndjson")
    await proves("signed that the log", "checkpoint.txt")
    const sealed = { key: licenseKey }
    const opened = await run(["license.lic", ...keys, "--license-key", "key", "--fingerprint", "air-gapped"], sealed)
    assert.strictEqual(opened.status, 0, opened.out + opened.err)
    assert.include(opened.out, "The fingerprint is that of the machine")
  })

  it("exits 1 and says what is wrong with a file that was changed, or is another's", async () => {
    const fails = async (says: string, args: ReadonlyArray<string>, changed: Readonly<Record<string, string>> = {}) => {
      const { err, out, status } = await run([...args, ...keys], changed)
      assert.strictEqual(status, 1, out + err)
      assert.include(out, says)
    }
    const statement = textOf("statement.json")
    const changed = statement.replace("\"row_count\":", "\"row_count\":1")
    assert.notStrictEqual(changed, statement)
    await fails("were signed", ["statement.json", "json.manifest.json"], { "statement.json": changed })
    await fails("bytes, and", ["statement.csv", "pdf.manifest.json"])
    const answer = textOf("answer.json")
    await fails("does not cover", ["answer.json"], {
      "answer.json": answer.replace("\"status\":\"active\"", "\"status\":\"expired\"")
    })
    const receipt = textOf("receipt.json")
    await fails("does not cover", ["receipt.json"], {
      "receipt.json": receipt.replace("\\\"amount\\\":2", "\\\"amount\\\":1")
    })
    await fails("twice", ["answer.json"], { "answer.json": answer.replace("{", "{\"data\":{},") })
    const lines = textOf("events.ndjson").split("\n")
    await fails("Event 2 is not as it was signed (missing)", ["events.ndjson"], {
      "events.ndjson": lines.toSpliced(1, 1).join("\n")
    })
    await fails("is for a device with another fingerprint", [
      "license.lic",
      "--license-key",
      "key",
      "--fingerprint",
      "other"
    ], {
      key: licenseKey
    })
    const others = textOf("keys.json").replaceAll(/"kid":"[^"]*/g, "\"kid\":\"sig_another")
    await fails("not among the public keys", ["answer.json"], { "keys.json": others })
  })

  it("asks for as many witnesses as it is told to", async () => {
    const both = ["--witness", first.key, "--witness", second.key]
    await proves("witness.example.com/first signed the checkpoint", "checkpoint.txt", ...both, "--quorum", "1")
    const lacking = await run(["checkpoint.txt", ...keys, ...both])
    assert.strictEqual(lacking.status, 1)
    assert.include(lacking.out, "Only 1 of the 2 witnesses that are required")
    // Somebody else signs under the name and the key ID of a witness.
    const note = textOf("checkpoint.txt").replace(/(first [^=\n]{30})../, "$1AA")
    const forged = await run(["checkpoint.txt", ...keys, "--witness", first.key], { "checkpoint.txt": note })
    assert.strictEqual(forged.status, 1)
    assert.include(forged.out, "their signatures are not theirs")
  })

  it("exits 3 where nothing is proven: without keys, without the manifest, without the license key", async () => {
    const open = async (says: string, ...args: ReadonlyArray<string>) => {
      const { err, out, status } = await run(args)
      assert.strictEqual(status, 3, out + err)
      assert.include(out, says)
    }
    await open("no public key of the vendor was given", "answer.json")
    await open("unknown without its manifest", "statement.pdf", ...keys)
    await open("Enter the key to open it", "license.lic", ...keys)
    const unknown = await run(["key.txt", ...keys, "--json"], { "key.txt": "anything \u001b[31m" })
    assert.strictEqual(unknown.status, 3)
    const [report]: ReadonlyArray<FileReport> = JSON.parse(unknown.out)
    assert.strictEqual(report?.verdict, "open")
  })

  it("exits 2 and explains itself where it is used wrongly", async () => {
    for (
      const args of [[], ["none.json"], ["answer.json", "--kyes", "keys.json"], ["answer.json", "--witness", "a+b+c"]]
    ) {
      const { err, status } = await run(args)
      assert.strictEqual(status, 2, args.join(" "))
      assert.include(err, "Usage: npx @countersign/client verify")
    }
  })
})

/** A snapshot as its reader takes it apart. */
type Snapshot = Body & {
  readonly evidence: { readonly note: string; readonly events: string; readonly hashes: string }
}

const leavesIn = ({ evidence }: Snapshot): Array<string> =>
  gunzipSync(Buffer.from(evidence.events, "base64")).toString().split("\n")

const withEvidence = (snapshot: Snapshot, changed: object): string =>
  JSON.stringify({ ...snapshot, evidence: { ...snapshot.evidence, ...changed } })

const packed = (leaves: ReadonlyArray<string>) => ({ events: gzipSync(leaves.join("\n")).toString("base64") })

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
    assert.strictEqual(status, 0, out)
    assert.include(out, "All figures of 1 row follow from these events.")
    assert.include(out, "No usage event is missing between the first and the last")
    assert.include(out, "no witness was named")
    assert.notInclude(out, "no later usage event shows")
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
    const kept = leaves.filter((leaf) => !leaf.includes("\"amount\":30,"))
    assert.strictEqual(kept.length, leaves.length - 1)
    const { note } = snapshot.evidence
    const size = Number(note.split("\n")[1])
    const hashes = feed.slice(0, size).map((event) => servedLeafHash(event as ServedEvent, sha256))
    const ranges = multiProofRanges({ indexes: kept.map((leaf) => JSON.parse(leaf).sequence - 1), size })
    const path = ranges.map(([from, to]) => naiveRoot(hashes.slice(from, to)))
    const omitted = JSON.parse(
      withEvidence(snapshot, { ...packed(kept), hashes: Buffer.concat(path).toString("base64") })
    )
    const { out, status } = await judged(JSON.stringify(omitted))
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

describe("verify.html", () => {
  const page = join(temporaryDirectory(), "verify.html")
  execFileSync(process.execPath, [join(root, "build/verifier.mjs"), page])

  it("is one file below 100,000 bytes, allows its own script and nothing else, and is served at /verify", async () => {
    const html = readFileSync(page, "utf8")
    assert.isBelow(html.length, 100_000)
    assert.match(
      html,
      /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/
    )
    assert.notMatch(html, /\b(?:src|href)=|@import|url\(/)
    const answer = await fetch(`${service.url}/verify`)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-security-policy"), "frame-ancestors 'none'")
    assert.include(await answer.text(), "<h1>Verify evidence</h1>")
  })

  it("verifies from disk without a network, on a desk and a phone, by day and by night", async () => {
    const browser = await openBrowser()
    const chosen = (...names: ReadonlyArray<string>) =>
      names.map((name) => ({ name, mimeType: "", buffer: Buffer.from(files.get(name)!) }))
    const context = await browser.newContext(looks.desk)
    await context.setOffline(true)
    const tab = await context.newPage()
    const wrong: Array<string> = []
    tab.on("console", (message) => void wrong.push(message.text()))
    tab.on("pageerror", (error) => void wrong.push(error.message))
    tab.on("request", (request) => void (request.url().startsWith("file:") || wrong.push(request.url())))
    await tab.goto(pathToFileURL(page).href)
    const shows = (text: string) => tab.locator("#reports").getByText(text).first().waitFor()
    await tab.locator("#files").setInputFiles(
      chosen("statement.json", "json.manifest.json", "license.lic", "events.ndjson", "checkpoint.txt")
    )
    await shows("no public key of the vendor was given")
    await tab.locator("#files").setInputFiles(chosen("keys.json"))
    await shows("Not a byte of it has changed since.")
    await shows("follow from these events")
    await tab.getByLabel("License key").fill(licenseKey)
    await tab.getByLabel("Fingerprint of the machine (optional)").fill("air-gapped")
    await shows("The fingerprint is that of the machine")
    await tab.getByLabel("Witnesses (optional)").fill(first.key)
    await shows("witness.example.com/first signed the checkpoint")
    // The log that the service exported, and the statement, have no signature of a witness.
    await shows("Only 0 of the 1 witness that is required")
    assert.strictEqual(await tab.locator("article.proven").count(), 2)
    assert.strictEqual(await tab.locator("article.wrong").count(), 2)
    for (const [name, { colorScheme, viewport }] of Object.entries(looks)) {
      await tab.setViewportSize(viewport)
      await tab.emulateMedia({ colorScheme })
      assert.strictEqual(await tab.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, name)
      assert.deepStrictEqual(await axeFindings(context, tab, ["minor", "moderate", "serious", "critical"]), [], name)
    }
    assert.deepStrictEqual(wrong, [])
    await browser.close()
  })
})
