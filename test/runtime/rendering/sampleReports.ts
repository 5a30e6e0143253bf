import { newestEdition } from "../../../src/domain/evidence/exports/Edition.ts"
import type { Edition } from "../../../src/domain/evidence/exports/Edition.ts"
import { snapshotEnd, snapshotRowWriter, snapshotStart } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportColumn, ReportFilters, ReportKind, ReportRow } from "../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../src/domain/evidence/reports/ReportColumns.ts"
import { renderSnapshot } from "../../../src/runtime/rendering/renderSnapshot.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }

/** The document of a snapshot, in an edition. */
export const renderedDocument = async (
  head: SnapshotHead,
  rows: ReadonlyArray<ReportRow>,
  edition: Edition = newestEdition
): Promise<Uint8Array> => {
  const text = snapshotStart(head) + rows.map(snapshotRowWriter(head.columns)).join(",") + snapshotEnd
  const request = { ...vector.request, format: "pdf" } as Parameters<typeof renderSnapshot>[0]
  const rendering = await renderSnapshot(request, edition)
  const { pieces } = await rendering.push(new TextEncoder().encode(text))
  return new Uint8Array(Buffer.concat([...pieces, ...(await rendering.end()).pieces]))
}

/** An id as the service makes it. */
const id = (prefix: string, index: number): string =>
  `${prefix}_06eqpx1trxz3h94vqjm3${(index * 7919 % 1_000_000).toString(36).padStart(6, "a")}`

const ordinary = {
  owner: ["Acme Studios GmbH", "Ada Lovelace", "שלום עולם בע״מ", "شركة الأمل المحدودة", "株式会社山田製作所"],
  product: ["Acme Studio", "Acme Render"],
  feature: ["export-pdf", "render-minutes"],
  external: "sub_1NQxJ2eZvKYlo2C"
}

/** Values that are as long as the service takes them, where it takes them from people. */
const long = {
  owner: [
    "Verwaltungsgesellschaft Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH & Co. KG",
    "الشركة السعودية للاستثمار الصناعي والتجاري والتقنية المتقدمة المحدودة وشركاؤها في الخليج العربي",
    "חברת הפיתוח וההשקעות הבינלאומית לטכנולוגיה מתקדמת ולמחקר יישומי בע״מ תל אביב יפו",
    "W".repeat(200),
    "ワ".repeat(120)
  ],
  product: ["W".repeat(120), "Studio ".repeat(17).trim()],
  feature: ["w".repeat(64), "a-feature-whose-code-is-as-long-as-codes-may-be-and-is-of-words"],
  external: "x".repeat(200)
}

const valueOf = ({ key, type }: ReportColumn, index: number, values: typeof ordinary): number | string => {
  const among = (list: ReadonlyArray<string>): string => list[index % list.length]!
  if (type === "integer") return key === "decimals" ? 2 : index * 104_729 % (values === long ? 2 ** 53 : 10_000)
  if (type === "timestamp") return new Date(1_793_520_900_417 + index * 7_919_000).toISOString()
  if (["owner", "label", "device", "payer_name"].includes(key)) return among(values.owner)
  if (/^(?:product|policy|connection)_name$/.test(key)) return among(values.product)
  if (key === "feature_code") return among(values.feature)
  if (key === "email") return `${among(["ada", "accounts.payable"])}@example.com`
  if (key === "key") return `CS-7K3Q9…${["M2XC", "9XYZ"][index % 2]}`
  if (key === "external_id" || key === "event_id" || key === "request_id") {
    return values === long
      ? values.external
      : id("req", index)
  }
  if (key === "license_ids") return [1, 2, 3].map((at) => id("lic", index + at)).join(", ")
  if (key === "dimensions") return "model=large, region=eu"
  const [, of] = /^(.*)_ids?$/.exec(key) ?? []
  if (key === "id") return id("evt", index)
  if (of === "audit_event") return id("evt", index)
  if (of !== undefined) {
    return id(
      { license: "lic", device: "dev", product: "prod", customer: "cus", order: "ord", subscription: "sub" }[of] ?? "x",
      ["product", "customer", "license"].includes(of) ? index % 5 : index
    )
  }
  return {
    action: "license.usage_recorded",
    result_class: "success",
    code: "OK",
    actor_type: "device",
    reason: "A reason that somebody wrote",
    status: "active",
    ownership: "owner",
    state: "active",
    refund: "partial",
    dispute: "won",
    paid: "1200.00",
    refunded: "20.00",
    currency: "EUR",
    provider: "stripe",
    tags: "beta, eu",
    app_version: "12.4.1",
    os: "windows",
    outcome: "would be refused",
    group: id("cus", index % 5)
  }[key] ?? key
}

/** A report of each kind, with rows as they are on an ordinary day, or with the longest values that there are. */
export const sampleReport = (
  report_kind: ReportKind,
  { filters = {}, isLong = false, rows: count = 120 }: {
    readonly filters?: ReportFilters
    readonly isLong?: boolean
    readonly rows?: number
  } = {}
): { readonly head: SnapshotHead; readonly rows: ReadonlyArray<ReportRow> } => {
  const values = isLong ? long : ordinary
  const columns = reportColumns(report_kind, filters, {
    hasDimensions: isLong,
    hasMeasured: isLong,
    hasOverage: isLong,
    sums: [{ decimals: 2, ...isLong ? { overage: 1, told_after: 1, told_before: 1 } : {} }]
  })
  const rows = Array.from(
    { length: count },
    (_, index) => Object.fromEntries(columns.map((column) => [column.key, valueOf(column, index, values)]))
  )
  const names: Record<string, string> = {}
  for (let index = 0; index < 5; index++) {
    names[id("cus", index)] = values.owner[index]!
    names[id("prod", index)] = values.product[index % 2]!
    names[id("lic", index)] = "CS-7K3Q9…M2XC"
  }
  return {
    rows,
    head: {
      as_of_sequence: 48_213,
      checkpoint: { tree_size: 48_100, root_hash: "ab".repeat(32) },
      filters: filters as SnapshotHead["filters"],
      frozen_at: "2026-11-21T10:30:00.417Z",
      presentation: { vendor: isLong ? values.owner[0]! : "Acme Software GmbH", names },
      report_kind,
      report_schema: `countersign/report/${report_kind}/v1`,
      row_count: count,
      summary: {},
      columns
    }
  }
}
