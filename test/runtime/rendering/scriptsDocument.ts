import { snapshotEnd, snapshotRowWriter, snapshotStart } from "../../../src/domain/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../src/domain/exports/ReportSnapshot.ts"
import { renderSnapshot } from "../../../src/runtime/rendering/renderSnapshot.ts"
import type { RenderRequest } from "../../../src/services/exports/ExportRenderer.ts"
import vector from "../../vectors/scripts.json" with { type: "json" }

/** The document of `test/vectors/scripts.json`. */
export const scriptsDocument = async (): Promise<Buffer> => {
  const head = vector.head as SnapshotHead
  const text = snapshotStart(head) + vector.rows.map(snapshotRowWriter(head.columns)).join(",") + snapshotEnd
  const rendering = await renderSnapshot(vector.request as RenderRequest)
  const { pieces } = await rendering.push(new TextEncoder().encode(text))
  return Buffer.concat([...pieces, ...(await rendering.end()).pieces])
}
