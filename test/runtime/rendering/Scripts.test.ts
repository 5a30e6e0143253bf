import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { getDocumentProxy } from "unpdf"
import { editions, newestEdition } from "../../../src/domain/evidence/exports/Edition.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }
import { scriptsDocument } from "./scriptsDocument.ts"

takeTurns()

const run = promisify(execFile)

/** Readers that are not part of the project are asked where the machine has them. */
const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

const names = vector.rows.map(({ label }, index) => ({ script: vector.scripts[index]!, name: label }))

/** Without spaces, which readers find by their own rules, and the marks of direction that some add. */
const letters = (text: string): string =>
  text.normalize("NFC").replaceAll(/\s|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")

const unread = (text: string): ReadonlyArray<string> => {
  const found = letters(text)
  return names.filter(({ name }) => !found.includes(letters(name))).map(({ script }) => script)
}

let file: Buffer
let path: string

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-scripts-"))
  path = join(directory, "scripts.pdf")
  file = await scriptsDocument()
  writeFileSync(path, file)
  return () => rmSync(directory, { recursive: true, force: true })
})

describe("a document in many scripts", () => {
  it("is the same bytes in another process and other time zones, and those of the vector", async () => {
    assert.strictEqual(createHash("sha256").update(file).digest("hex"), vector.pdf)
    const zones = ["Pacific/Auckland", "America/St_Johns"]
    const program = join(import.meta.dirname, "renderVector.ts")
    const compileCache = join(import.meta.dirname, "../../../src/runtime/compileCache.mjs")
    const { stdout } = await run(process.execPath, ["--import", compileCache, program, ...zones], {
      env: { ...process.env, TZ: zones[0], LANG: "tr_TR.UTF-8" }
    })
    assert.deepStrictEqual(stdout.trim().split("\n"), zones.map(() => vector.pdf))
  })

  it("is in each former edition the bytes that were signed before", async () => {
    const former = editions.filter((edition) => edition !== newestEdition)
    const digests = await Promise.all(
      former.map(async (edition) =>
        [edition, createHash("sha256").update(await scriptsDocument(vector.rows, edition)).digest("hex")] as const
      )
    )
    assert.deepStrictEqual(Object.fromEntries(digests), vector.former_pdfs)
  })

  it("tells names apart that differ in what nobody sees", async () => {
    const unseen = ["", "\u200b", "\u200d", "\u202e", "\u2028", "\u00ad", "\u{e0041}"]
    const rows = unseen.map((character) => ({ ...vector.rows[0]!, label: `acme${character}inc` }))
    const document = await getDocumentProxy(new Uint8Array(await scriptsDocument(rows)))
    const { items } = await (await document.getPage(1)).getTextContent()
    const text = letters(items.map((item) => "str" in item ? item.str : "").join(""))
    for (const character of unseen) {
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")
      assert.include(text, code === undefined ? "acmeinc" : `acme[U+${code}]inc`)
    }
  })

  it("is read in order by pdf.js", async () => {
    const document = await getDocumentProxy(new Uint8Array(file))
    let text = ""
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent()
      for (const item of items) if ("str" in item) text += item.str
    }
    assert.deepStrictEqual(unread(text), [])
    // Nothing is read where nothing stands: glyphs without text stay silent.
    assert.notMatch(text, /\p{Cc}|\ufffd/u)
  })

  it.skipIf(!has("pdftotext"))("is read in order by poppler (needs pdftotext)", async () => {
    const { stdout } = await run("pdftotext", [path, "-"])
    // It lays out every line of a page in the direction that most of the page has, so that a line that begins from right
    // to left and changes its direction comes in parts. Points on the first letter of a word are lost to it.
    assert.deepStrictEqual(unread(stdout), [
      "Arabic with Latin and digits",
      "Persian with digits",
      "Hebrew with points"
    ])
    for (const part of ["شركة", "ACME", "المحدودة", "فروشگاه", "نمونه", "۱۲۳", "עולם", "42"]) {
      assert.include(letters(stdout), part)
    }
  })

  it.skipIf(!has("qpdf"))(
    "is well-formed to qpdf, and its structure says what is read from right to left (needs qpdf)",
    async () => {
      const { stdout } = await run("qpdf", ["--check", path])
      assert.include(stdout, "No syntax or stream encoding errors found")
      const { stdout: json } = await run("qpdf", ["--json", path], { maxBuffer: 64 * 1024 * 1024 })
      for (const { name, script } of names) {
        if (/Arabic|Hebrew|Persian/.test(script)) assert.include(json, `"/ActualText": ${JSON.stringify(`u:${name}`)}`)
      }
    }
  )

  it.skipIf(!has("mutool"))("is drawn by MuPDF without a complaint (needs mutool)", async () => {
    const { stderr } = await run("mutool", ["draw", "-q", "-F", "stext", "-o", "/dev/null", path])
    assert.notMatch(stderr.replaceAll("warning: ICC support is not available", ""), /error|warning/)
  })
})
