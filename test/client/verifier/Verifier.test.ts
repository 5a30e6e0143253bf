// Evidence of every kind that a service signs, verified by people: with the command of the package, and in verify.html from
// disk without a network.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { FileReport } from "../../../src/client/evidence/FileReport.ts"
import { mlDsa44, writeVerifierKey } from "../../../src/domain/evidence/transparency/VerifierKey.ts"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { looks } from "../../fixtures/Console.ts"
import { sha256 } from "../../fixtures/NaiveTree.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { verifierOver, witness } from "../../fixtures/Verifier.ts"
import { builtVerifyPage } from "../../fixtures/VerifyPage.ts"

// The page is built synchronously, while the service goes on with its work.
const service = await startService({ as: "host" })

/** The files that a reader has, by name. */
const files = new Map<string, Uint8Array>()

const put = (name: string, content: string | Uint8Array) =>
  void files.set(name, typeof content === "string" ? new TextEncoder().encode(content) : content)

const textOf = (name: string): string => new TextDecoder().decode(files.get(name))

const servedFile = async (path: string): Promise<Uint8Array> =>
  new Uint8Array(
    await (await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })).arrayBuffer()
  )

const served = async (path: string): Promise<string> => new TextDecoder().decode(await servedFile(path))

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
  const used = await soldUnder(service, [{ max_consumptions: 9 }])
  await used.consume(2, service, "use-1")
  for (const format of ["json", "csv", "pdf"]) {
    const { bytes, id } = await exportedFile(service, {
      report_kind: "statement",
      format,
      filters: { license_id: used.license.id }
    })
    put(`statement.${format}`, bytes)
    if (format === "csv") {
      put("statement.zip", await servedFile(`/api/v1/reports/exports/${id}/archive`))
    }
    put(`${format}.manifest.json`, await served(`/api/v1/reports/exports/${id}/manifest`))
    put(`${format}.snapshot.json`, await served(`/api/v1/reports/exports/${id}/snapshot`))
  }
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

const run = verifierOver(files)

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
    const table = ["statement.csv", "csv.snapshot.json"]
    await proves("every byte of 1 row as csv.snapshot.json has it, which is proven", ...table, "csv.manifest.json")
    await proves("every byte of 1 row as statement.zip/statement-", "statement.zip")
    await proves("follow from these events", "statement.zip")
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
    const table = textOf("statement.csv")
    const cell = ["statement.csv", "csv.snapshot.json", "csv.manifest.json"]
    const edited = { "statement.csv": table.replace(/,2,/, ",7,") }
    assert.notStrictEqual(edited["statement.csv"], table)
    await fails(" is \"7\", and was frozen as \"2\".", cell, edited)
    await fails(" is \"7\", and was frozen as \"2\".", cell.slice(0, 2), edited)
    const rows = table.trimEnd().split("\r\n")
    await fails("A row was removed before row 2", cell, { "statement.csv": `${rows[0]}\r\n` })
    await fails("Row 3 was added", cell, { "statement.csv": `${table}${rows[1]!.replace(/,2,/, ",4,")}\r\n` })
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
    // One key is one witness, however often and under whatever name it is given.
    const again = witness("witness.example.com/again", 7)
    const thrice = ["--witness", first.key, "--witness", first.key, "--witness", again.key]
    await proves("witness.example.com/first signed the checkpoint", "checkpoint.txt", ...thrice)
    for (const quorum of ["0", "2", "-1", "1.5", "1e0", ""]) {
      assert.strictEqual((await run(["checkpoint.txt", ...keys, ...thrice, "--quorum", quorum])).status, 2, quorum)
    }
    // A key that nobody here can check is read, named, and no signature.
    const name = "pq.example.com/w"
    const unchecked = writeVerifierKey({ name, type: mlDsa44, publicKey: new Uint8Array(1312).fill(5) }, sha256)
    await proves(
      `Whether ${name} signed`,
      "checkpoint.txt",
      "--witness",
      first.key,
      "--witness",
      unchecked,
      "--quorum",
      "1"
    )
    const alone = await run(["checkpoint.txt", ...keys, "--witness", first.key, "--witness", unchecked])
    assert.strictEqual(alone.status, 3, alone.out)
    assert.include(alone.out, "of a type that this program cannot check")
    const less = await run(["checkpoint.txt", ...keys, "--witness", second.key, "--witness", unchecked])
    assert.strictEqual(less.status, 1, less.out)
    assert.strictEqual((await run(["checkpoint.txt", ...keys, "--witness", unchecked.replace("+", "+0")])).status, 2)
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
    await open("unknown without its manifest", "statement.csv", ...keys)
    await open("Enter the key to open it", "license.lic", ...keys)
    // A document proves nothing of its pages, whatever is attached to it, and a period that has just ended is not closed.
    await open("its pages may say something else", "statement.pdf", ...keys)
    await open("had more events before the period ended", "statement.json", ...keys)
    await open("But nothing here proves all of that one", "statement.csv", "csv.snapshot.json", ...keys)
    const proof = JSON.stringify({ data: { checkpoint: { note: textOf("checkpoint.txt") }, events: [] } })
    const chained = await run(["proof.json", ...keys], { "proof.json": proof })
    assert.strictEqual(chained.status, 3, chained.out)
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
      assert.include(err, "Usage: countersign-client verify")
    }
  })
})

describe("verify.html", () => {
  const page = builtVerifyPage()

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
    // A table and its snapshot, as two files: changed, and as it was.
    await tab.locator("#files").setInputFiles(chosen("statement.zip"))
    await shows("every byte of 1 row as statement.zip/statement-")
    const again = chosen("statement.csv", "csv.snapshot.json")
    const changed = { ...again[0]!, buffer: Buffer.from(textOf("statement.csv").replace(/,2,/, ",7,")) }
    await tab.locator("#files").setInputFiles([changed, again[1]!])
    await shows("is \"7\", and was frozen as \"2\".")
    await tab.locator("#files").setInputFiles([...again, ...chosen("csv.manifest.json")])
    await shows("every byte of 1 row as csv.snapshot.json has it, which is proven")
    await tab.locator("#files").setInputFiles(
      chosen("statement.json", "json.manifest.json", "license.lic", "events.ndjson", "checkpoint.txt")
    )
    await shows("Not a byte of it has changed since.")
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
