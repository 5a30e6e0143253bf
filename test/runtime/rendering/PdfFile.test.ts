import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { getDocumentProxy } from "unpdf"
import { maximumPdfRows } from "../../../src/domain/evidence/exports/ReportExport.ts"
import { snapshotEnd, snapshotRowWriter, snapshotStart } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import { UnrenderableDocument } from "../../../src/runtime/rendering/Renderer.ts"
import { renderSnapshot } from "../../../src/runtime/rendering/renderSnapshot.ts"

const columns: SnapshotHead["columns"] = [
  { key: "name", title: "Name", type: "text" },
  { key: "uses", title: "Uses", type: "integer" }
]

const headOf = (row_count: number): SnapshotHead => ({
  as_of_sequence: 7,
  filters: {},
  frozen_at: "2026-11-21T10:30:00.000Z",
  report_kind: "usage-summary",
  report_schema: "countersign/report/usage-summary/v1",
  row_count,
  summary: {},
  columns
})

const request = {
  format: "pdf",
  digest: `sha256:${"ab".repeat(32)}`,
  seal: { alg: "Ed25519", algorithm: "Ed25519", kid: "sig_a", value: Buffer.alloc(64).toString("base64") }
} as const

const snapshotOf = (rows: number): Uint8Array => {
  const write = snapshotRowWriter(columns)
  const texts = Array.from({ length: rows }, (_, index) => write({ name: `Müller ${index} 株式会社`, uses: index }))
  return new TextEncoder().encode(snapshotStart(headOf(rows)) + texts.join(",") + snapshotEnd)
}

const rendered = async (snapshot: Uint8Array, cut: number): Promise<Buffer> => {
  const rendering = await renderSnapshot(request)
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < snapshot.length; at += cut) {
    pieces.push(...(await rendering.push(snapshot.subarray(at, at + cut))).pieces)
  }
  pieces.push(...(await rendering.end()).pieces)
  return Buffer.concat(pieces)
}

describe("a PDF", () => {
  it("of many pages is the same however its snapshot was cut, and every page and tag is found", async () => {
    // More than one branch of the page tree, and more entries than one slice of the cross-reference stream.
    const rows = 5000
    const snapshot = snapshotOf(rows)
    const file = await rendered(snapshot, 64 * 1024)
    const again = await rendered(snapshot, 1000)
    const sum = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
    assert.strictEqual(sum(again), sum(file))

    const document = await getDocumentProxy(new Uint8Array(file))
    assert.isAbove(document.numPages, 64)
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      const text = (await page.getTextContent()).items.map((item) => "str" in item ? item.str : "").join(" ")
      assert.match(text, new RegExp(`Page\\s+${number}\\s+of\\s+${document.numPages}`))
      assert.include(text, request.digest)
      assert.include(text, "Uses")
    }
    // The tree of tags as a page leads to it is that of the whole table; the total is one row more.
    for (const number of [1, document.numPages]) {
      const tags = JSON.stringify(await (await document.getPage(number)).getStructTree())
      assert.strictEqual(tags.match(/"role":"TD"/g)?.length, (rows + 1) * columns.length)
    }
  })

  it("is refused where its structure would have more objects than readers take", async () => {
    const most = maximumPdfRows(columns.length)
    const start = async (rows: number) => {
      const rendering = await renderSnapshot(request)
      return await rendering.push(new TextEncoder().encode(snapshotStart(headOf(rows))))
    }
    assert.isAtMost(most * (columns.length + 1), 8_388_607)
    await start(most)
    const error = await start(most + 1).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, UnrenderableDocument)
    assert.strictEqual((error as UnrenderableDocument).code, "TOO_MANY_ROWS")
  })
})
