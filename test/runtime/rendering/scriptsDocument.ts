import { newestEdition } from "../../../src/domain/evidence/exports/Edition.ts"
import type { Edition } from "../../../src/domain/evidence/exports/Edition.ts"
import { snapshotEnd, snapshotRowWriter, snapshotStart } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../src/domain/evidence/reports/Report.ts"
import { renderSnapshot } from "../../../src/runtime/rendering/renderSnapshot.ts"
import type { RenderRequest } from "../../../src/services/evidence/exports/ExportRenderer.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }

/** The document of `test/vectors/scripts.json`, or of other rows for its columns, in an edition. */
export const scriptsDocument = async (
  rows: ReadonlyArray<ReportRow> = vector.rows,
  edition: Edition = newestEdition
): Promise<Buffer> => {
  const head = { ...vector.head, row_count: rows.length } as SnapshotHead
  const text = snapshotStart(head) + rows.map(snapshotRowWriter(head.columns)).join(",") + snapshotEnd
  const rendering = await renderSnapshot(vector.request as RenderRequest, edition)
  const { pieces } = await rendering.push(new TextEncoder().encode(text))
  return Buffer.concat([...pieces, ...(await rendering.end()).pieces])
}
