import { assert, describe, it } from "@effect/vitest"
import { encode } from "fast-png"
import { createHash } from "node:crypto"
import { getDocumentProxy } from "unpdf"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../src/domain/evidence/reports/ReportColumns.ts"
import { renderedDocument as bytesOf } from "./sampleReports.ts"

const textOf = async (bytes: Uint8Array): Promise<string> => {
  const document = await getDocumentProxy(bytes.slice())
  const pages = Array.from({ length: document.numPages }, async (_, index) => {
    const { items } = await (await document.getPage(index + 1)).getTextContent()
    return items.map((item) => "str" in item ? item.str : "").join(" ")
  })
  return (await Promise.all(pages)).join(" ").replaceAll(/\s+/g, " ")
}

const rows: ReadonlyArray<ReportRow> = ["cus_1", "cus_2", "cus_3"].map((customer_id, index) => ({
  occurred_at: "2026-11-02T08:00:00.000Z",
  action: "license.usage_recorded",
  feature_code: "render",
  amount: index,
  total_consumptions: index,
  license_id: "lic_1",
  product_id: "prod_1",
  customer_id,
  id: `evt_${index}`
}))

const ledger = (presentation: SnapshotHead["presentation"]): SnapshotHead => ({
  as_of_sequence: 7,
  filters: { product_id: "prod_1" },
  frozen_at: "2026-11-21T10:30:00.417Z",
  ...(presentation === undefined ? {} : { presentation }),
  report_kind: "usage-ledger",
  report_schema: "countersign/report/usage-ledger/v1",
  row_count: rows.length,
  summary: { entries: 3, uses: 3, amount: 3, adjusted: 0 },
  columns: reportColumns("usage-ledger", {})
})

describe("a document with the names of ids", () => {
  const names = { prod_1: "Acme Studio", cus_1: "Köln GmbH", cus_2: "Muster AG", lic_1: "CS-7K3Q9…M2XC" }

  it("says each name in every row, of ids without a name the id, and whose ids the names are behind the table", async () => {
    const text = await textOf(await bytesOf(ledger({ names }), rows))
    assert.include(text, "Product Acme Studio (prod_1)")
    assert.include(text, "CS-7K3Q9…M2XC Acme Studio Köln GmbH evt_0")
    assert.include(text, "Acme Studio Muster AG evt_1")
    assert.include(text, "Acme Studio cus_3 evt_2")
    assert.notInclude(text, "Customer ID")
    assert.include(
      text,
      "Names and their IDs · 4 Acme Studio prod_1 CS-7K3Q9…M2XC lic_1 Köln GmbH cus_1 Muster AG cus_2"
    )
  })

  it("tells ids of one name apart in every row, by their ends where they are long", async () => {
    const long = ["cus_06eqpx1trxz3h94vqjm3a6kz7c", "cus_06eqpx1trxz3h94vqjm3a6kz7d"] as const
    const same = { [long[0]]: "Muster AG", [long[1]]: "Muster AG", cus_3: "Muster AG" }
    const [first, second, third] = rows
    const of = [{ ...first!, customer_id: long[0] }, { ...second!, customer_id: long[1] }, third!]
    const text = await textOf(await bytesOf(ledger({ names: same }), of))
    for (const end of ["…m3a6kz7c", "…m3a6kz7d", "cus_3"]) assert.include(text, `Muster AG ${end}`)
    assert.include(text, `Muster AG ${long[0]} Muster AG ${long[1]} Muster AG cus_3`)
  })

  it("had the id under each name in every row up to edition 5", async () => {
    const text = await textOf(await bytesOf(ledger({ names }), rows, 5))
    assert.include(text, "CS-7K3Q9…M2XC lic_1 Acme Studio prod_1 Köln GmbH cus_1")
  })

  it("is as it was where the snapshot has no names", async () => {
    const text = await textOf(await bytesOf(ledger(undefined), rows))
    assert.include(text, "Product ID prod_1")
    assert.include(text, "Customer ID")
  })
})

describe("a document with a logo", () => {
  const [width, height] = [40, 10]
  const image = (channels: 1 | 2 | 3 | 4, depth: 8 | 16) => {
    const length = width * height * channels
    const data = depth === 8
      ? Uint8Array.from({ length }, (_, at) => at)
      : Uint16Array.from({ length }, (_, at) => at * 257)
    return Buffer.from(encode({ width, height, channels, depth, data })).toString("base64")
  }
  const palette: Array<[number, number, number]> = [[255, 0, 0], [0, 0, 255]]
  const indexed = Buffer.from(
    encode({ width, height, channels: 1, depth: 1, palette, data: new Uint8Array(width / 8 * height).fill(0x5a) })
  ).toString("base64")

  it.each([
    ["grey", image(1, 8)],
    ["grey and transparent", image(2, 8)],
    ["RGB", image(3, 8)],
    ["RGB and transparent", image(4, 8)],
    ["RGB of 16 bits", image(3, 16)],
    ["with a palette", indexed]
  ])("%s: shows it once, says whose it is, and is the same each time", async (_, logo) => {
    const presentation = { vendor: "Acme & Söhne", logo }
    const bytes = await bytesOf(ledger(presentation), rows)
    const digest = (of: Uint8Array) => createHash("sha256").update(of).digest("hex")
    assert.strictEqual(digest(await bytesOf(ledger(presentation), rows)), digest(bytes))
    const page = await (await getDocumentProxy(bytes.slice())).getPage(1)
    const operators = await page.getOperatorList()
    // 85: paintImageXObject, in the numbers of pdf.js.
    assert.lengthOf(operators.fnArray.filter((operator) => operator === 85), 1)
    interface Node {
      readonly role?: string
      readonly alt?: string
      readonly children?: ReadonlyArray<Node>
    }
    const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.children ?? []).flatMap(nodes)]
    const figures = nodes(await page.getStructTree() as Node).filter(({ role }) => role === "Figure")
    assert.deepStrictEqual(figures.map(({ alt }) => alt), ["Logo of Acme & Söhne"])
  })
})
