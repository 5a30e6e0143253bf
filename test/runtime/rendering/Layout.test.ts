import { assert, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { getDocumentProxy } from "unpdf"
import { reportKinds } from "../../../src/domain/evidence/reports/Report.ts"
import type { ReportKind } from "../../../src/domain/evidence/reports/Report.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { renderedDocument, sampleReport } from "./sampleReports.ts"

takeTurns()

const run = promisify(execFile)

/** Readers that are not part of the project are asked where the machine has them. */
const has = (program: string): boolean => spawnSync(program, ["-v"]).error === undefined

/** What one cell, heading or line shows on a page: its box in points, from the lower left corner. */
interface Shown {
  readonly text: string
  readonly left: number
  readonly right: number
  /** The baselines of its lines. */
  readonly lines: ReadonlyArray<number>
}

/** What is shown on each page, by marked content: a cell is one. */
const pagesOf = async (bytes: Uint8Array) => {
  const document = await getDocumentProxy(bytes.slice())
  return Promise.all(Array.from({ length: document.numPages }, async (_, index) => {
    const page = await document.getPage(index + 1)
    const shown: Array<Shown> = []
    let open: { text: string; left: number; right: number; lines: Array<number> } | undefined
    for (const item of (await page.getTextContent({ includeMarkedContent: true })).items) {
      if (!("str" in item)) {
        if (item.type.startsWith("begin")) {
          open ??= { text: "", left: Infinity, right: -Infinity, lines: [] }
        } else if (open !== undefined) {
          if (open.text.trim() !== "") shown.push(open)
          open = undefined
        }
        continue
      }
      if (open === undefined || item.str.trim() === "") continue
      const [x, y] = [Number(item.transform[4]), Number(item.transform[5])]
      open.text += item.str
      open.left = Math.min(open.left, x)
      open.right = Math.max(open.right, x + item.width)
      open.lines.push(y)
    }
    return { width: page.view[2]!, shown }
  }))
}

const filtersOf = (kind: ReportKind) =>
  kind === "usage-summary" ? { group_by: "customer_id", bucket: "1d" } as const : {}

describe("a page of a report", () => {
  // A purchase has 21 columns, whose texts need two lines.
  it.each(reportKinds.filter((kind) => kind !== "purchases"))("of %s has 40 rows", async (kind) => {
    const { head, rows } = sampleReport(kind, { filters: filtersOf(kind), rows: 200 })
    const document = await getDocumentProxy(await renderedDocument(head, rows))
    // One page more has the title, and what stands behind the table.
    assert.isAtMost(document.numPages, 1 + rows.length / 40)
  })

  it.each(reportKinds)("of %s shows nothing over something else, and nothing outside of its margins", async (kind) => {
    for (const isLong of [false, true]) {
      const { head, rows } = sampleReport(kind, { filters: filtersOf(kind), isLong, rows: 25 })
      for (const { shown, width } of await pagesOf(await renderedDocument(head, rows))) {
        for (const one of shown) {
          assert.isAtLeast(one.left, 39.9, one.text)
          assert.isAtMost(one.right, width - 39.4, one.text)
          for (const other of shown) {
            if (one === other || one.left > other.left) continue
            const meet = one.lines.some((line) => other.lines.some((also) => Math.abs(line - also) < 3))
            if (meet) assert.isAtMost(one.right, other.left + 0.6, `${one.text} runs over ${other.text}`)
          }
        }
      }
    }
  })
})

describe("a text from right to left", () => {
  const names = ["شركة الأمل المحدودة", "مؤسسة آفاق والإبداع", "שלום עולם בע״מ", "חברת לדוגמה"]
  const document = () => {
    const { head, rows } = sampleReport("licenses", { rows: names.length })
    return renderedDocument(head, rows.map((row, at) => Object.assign({}, row, { owner: names[at]! })))
  }
  /** Without marks of direction and what a reader puts between words and lines: all that a search looks over as well. */
  const searched = (text: string): string => text.replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")

  it("is found as it is written in what pdf.js reads, letter by letter", async () => {
    const proxy = await getDocumentProxy((await document()).slice())
    const { items } = await (await proxy.getPage(1)).getTextContent()
    const text = searched(items.map((item) => "str" in item ? item.str : "").join(" ")).replaceAll(/\s+/g, " ")
    for (const name of names) assert.include(text, name)
  })

  it.skipIf(!has("pdftotext"))(
    "is found as it is written in what pdftotext reads (needs pdftotext)",
    async () => {
      const directory = mkdtempSync(join(tmpdir(), "countersign-layout-"))
      try {
        const path = join(directory, "names.pdf")
        writeFileSync(path, await document())
        const { stdout } = await run("pdftotext", [path, "-"])
        for (const name of names) assert.include(searched(stdout), name)
      } finally {
        rmSync(directory, { recursive: true, force: true })
      }
    }
  )
})
