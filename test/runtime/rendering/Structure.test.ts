import { assert, beforeAll, describe, it } from "@effect/vitest"
import { getDocumentProxy } from "unpdf"
import { freezeTimeZone } from "../../../src/domain/evidence/exports/ReportExport.ts"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import { snapshotEnd, snapshotRowWriter, snapshotStart } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../src/domain/evidence/reports/ReportColumns.ts"
import { renderSnapshot } from "../../../src/runtime/rendering/renderSnapshot.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }

/*
 * What PDF/UA-1 asks of a document and pdf.js can see: language, title, tags for all that is shown, alternative texts,
 * headings in order, tables of rows of one length, and the order of reading. What it cannot see is not checked here: the
 * scope of header cells, that fonts map every glyph, contrast, and the metadata by which a document claims to conform,
 * which ours does not.
 */

interface Node {
  readonly role?: string
  readonly alt?: string
  readonly id?: string
  readonly type?: string
  readonly children?: ReadonlyArray<Node>
}

type Proxy = Awaited<ReturnType<typeof getDocumentProxy>>

const documentOf = async (head: SnapshotHead, rows: ReadonlyArray<ReportRow>): Promise<Proxy> => {
  const text = snapshotStart(head) + rows.map(snapshotRowWriter(head.columns)).join(",") + snapshotEnd
  const rendering = await renderSnapshot({ ...vector.request, format: "pdf" } as Parameters<typeof renderSnapshot>[0])
  const { pieces } = await rendering.push(new TextEncoder().encode(text))
  return getDocumentProxy(new Uint8Array(Buffer.concat([...pieces, ...(await rendering.end()).pieces])))
}

const filters = {
  from: "2026-09-30T22:00:00.000Z",
  to: "2026-11-30T23:00:00.000Z",
  bucket: "1d",
  group_by: "customer_id"
}
const frozen_at = "2026-11-21T10:30:00.417Z"
const count = 60
const use = { uses: 2, amount: 5, first_at: "2026-10-01T22:30:00.000Z", last_at: "2026-11-02T00:00:00.000Z" }
const rows: ReadonlyArray<ReportRow> = Array.from({ length: count }, (_, index) => ({
  bucket: `2026-10-${String(1 + index % 30).padStart(2, "0")}T00:00:00.000Z`,
  group: `cus_${index}`,
  label: index % 2 === 0 ? `Müller ${index}` : `شركة ${index}`,
  ...use
}))
const summaryHead: SnapshotHead = {
  as_of_sequence: 7,
  filters,
  frozen_at,
  presentation: { vendor: "Acme & Söhne", time_zone: freezeTimeZone("Europe/Berlin", frozen_at) },
  report_kind: "usage-summary",
  report_schema: "countersign/report/usage-summary/v1",
  row_count: count,
  series: [{ bucket: "2026-10-01T00:00:00.000Z", value: 3 }, { bucket: "2026-10-02T00:00:00.000Z", value: 5 }],
  summary: { ...use },
  columns: reportColumns("usage-summary", filters as never)
}

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.children ?? []).flatMap(nodes)]

describe("the structure of a document", () => {
  let document: Proxy
  let trees: ReadonlyArray<Node>
  /** The text of each piece of marked content, by its id; under `""` what is in none. */
  const texts = new Map<string, string>()

  beforeAll(async () => {
    document = await documentOf(summaryHead, rows)
    const found: Array<Node> = []
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      found.push(await page.getStructTree() as Node)
      const open: Array<string> = []
      for (const item of (await page.getTextContent({ includeMarkedContent: true })).items) {
        if ("str" in item) {
          const id = open.at(-1) ?? ""
          texts.set(id, (texts.get(id) ?? "") + item.str)
        } else if (item.type === "endMarkedContent") open.pop()
        else open.push((item as { tag?: string }).tag === "Artifact" ? "artifact" : item.id ?? "")
      }
    }
    trees = found
  })

  it("says its language, its title and its author", async () => {
    const { info } = await document.getMetadata()
    const { Author, Language, Title } = info as Record<string, unknown>
    assert.strictEqual(Language, "en")
    assert.strictEqual(Title, "Usage summary, 1 October 2026 to date (21 November 2026, 11:30 Europe/Berlin)")
    assert.strictEqual(Author, "Acme & Söhne")
    assert.isTrue((await document.getViewerPreferences() as Record<string, unknown>)["DisplayDocTitle"])
    assert.isTrue((await document.getMarkInfo())?.["Marked"])
  })

  it("tags all that is shown, or marks it as made for the eye alone", () => {
    assert.isAbove(document.numPages, 1)
    assert.strictEqual((texts.get("") ?? "").trim(), "")
    const tagged = new Set(trees.flatMap(nodes).filter(({ type }) => type === "content").map(({ id }) => id))
    for (const id of texts.keys()) if (id !== "" && id !== "artifact") assert.isTrue(tagged.has(id), id)
  })

  it("has headings in order, and an alternative text for the chart", () => {
    const first = nodes(trees[0]!)
    const roles = first.map(({ role }) => role).filter((role) => /^H\d$/.test(role ?? ""))
    assert.deepStrictEqual(roles, ["H1", "H2", "H2", "H2"])
    assert.deepStrictEqual(first.filter(({ role }) => role === "Figure").map(({ alt }) => alt), [
      "Bar chart of usage over time: 2 days from 2026-10-01 to 2026-10-02 (UTC). The highest is 4, on 2026-10-01."
    ])
  })

  it("has a table of one head and of rows of one length", () => {
    const table = nodes(trees[0]!).find(({ role }) => role === "Table")!
    assert.lengthOf(nodes(table).filter(({ role }) => role === "THead"), 1)
    const lengths = nodes(table).filter(({ role }) => role === "TR").map(({ children }) => children!.length)
    assert.lengthOf(lengths, 1 + count + 1)
    assert.deepStrictEqual([...new Set(lengths)], [summaryHead.columns.length])
  })

  it("is read from the vendor and the title to the total", () => {
    const read = trees.flatMap(nodes).filter(({ type }) => type === "content").map(({ id }) => texts.get(id!) ?? "")
    const text = read.join(" ").replaceAll(/\s+/g, " ")
    const parts = [
      "Acme & Söhne",
      "Usage summary",
      "1 October 2026 to date",
      "Data as of",
      "Summary",
      "Usage events over time"
    ]
    let at = -1
    for (
      const part of [...parts, "Usage by customer and day", "Day (UTC)", "Customer ID", "Müller 0", "cus_59", "Total"]
    ) {
      const next = text.indexOf(part, at + 1)
      assert.isAbove(next, at, part)
      at = next
    }
    const spoken = nodes(trees[0]!).filter(({ alt, role }) => role === "TD" && alt?.startsWith("شركة") === true)
    assert.lengthOf(spoken, count / 2)
    // 22:30 in UTC is past midnight in Berlin; what is a day stays one of UTC.
    assert.include(text, "2026-10-02 00:30:00")
    assert.include(text, "Europe/Berlin. Daily totals use UTC.")
  })
})

describe("a document about somebody", () => {
  it("says first whom it is about, and says it once", async () => {
    const document = await documentOf({
      ...summaryHead,
      filters: { license_id: "lic_1" },
      report_kind: "license-audit",
      row_count: 0,
      series: [],
      summary: {
        activities: 0,
        actions: [{ action: "license.created", count: 1, result_class: "success" }],
        license: {
          id: "lic_1",
          license_key_last4: "9XYZ",
          license_key_prefix: "CS-AB12C",
          policy_id: "pol_1",
          status: "active"
        }
      },
      columns: reportColumns("license-audit", { license_id: "lic_1" })
    }, [])
    const { items } = await (await document.getPage(1)).getTextContent()
    const text = items.map((item) => "str" in item ? item.str : "").join(" ").replaceAll(/\s+/g, " ")
    assert.include(
      text,
      "License ID lic_1 Key CS-AB12C…9XYZ Status active Policy ID pol_1 Summary Activities 0 Actions"
    )
    assert.lengthOf(text.match(/lic_1/g) ?? [], 1)
  })
})

describe("the document of a statement", () => {
  const of = { product_id: "prod_a", feature_code: "render", uses: 1, amount: 1_250, given: 0, decimals: 2 }
  const head: SnapshotHead = {
    ...summaryHead,
    evidence: {
      schema: "countersign/statement-evidence/v2",
      chain: "complete",
      note: "licenses.example.com/app/events/6d1f0a2b3c4d5e6f\n7\n",
      features: [],
      events: "",
      hashes: ""
    },
    filters: { from: filters.from, to: filters.to, customer_id: "cus_1" },
    presentation: { names: { prod_a: "Acme Studio" } },
    report_kind: "statement",
    report_schema: "countersign/report/statement/v1",
    row_count: 0,
    summary: { features: [of] },
    columns: reportColumns("statement", {})
  }
  const { series: _series, ...statement } = head

  const textOf = async (own: SnapshotHead): Promise<string> => {
    const { items } = await (await (await documentOf(own, [])).getPage(1)).getTextContent()
    return items.map((item) => "str" in item ? item.str : "").join(" ").replaceAll(/\s+/g, " ")
  }

  it("says that the evidence is attached and where to check it, and prints sums as the table does", async () => {
    const text = await textOf(statement)
    assert.include(text, "Attached to this file (statement.json)")
    assert.include(text, "drop this file and its manifest on the page below.")
    assert.include(text, "Verify at https://licenses.example.com/app/verify")
    assert.notInclude(text, "npx")
    assert.include(text, "1 usage event, amount 12.50, Product Acme Studio")
    assert.notInclude(text, "Decimals")
    const { evidence: _evidence, ...bare } = statement
    assert.notInclude(await textOf(bare), "Attached to this file")
  })
})
