import { csvWriter } from "../../domain/evidence/exports/Csv.ts"
import { newestEdition } from "../../domain/evidence/exports/Edition.ts"
import type { Edition } from "../../domain/evidence/exports/Edition.ts"
import { snapshotReader } from "../../domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../domain/evidence/exports/ReportSnapshot.ts"
import { statementEvidenceSchemas } from "../../domain/evidence/exports/StatementEvidence.ts"
import type { RenderRequest } from "../../services/evidence/exports/ExportRenderer.ts"
import type { Renderer } from "./Renderer.ts"

/** Whether a document has the snapshot that it shows inside: where that proves itself. Documents of earlier releases have none. */
const isAttached = ({ format }: RenderRequest, { evidence }: SnapshotHead): boolean =>
  format === "pdf" && evidence?.schema === statementEvidenceSchemas.chained

const csvRenderer = (edition: Edition): Renderer => {
  const utf8 = new TextEncoder()
  let csv: ReturnType<typeof csvWriter>
  return {
    start: async (head) => {
      csv = csvWriter(head, edition)
      return [utf8.encode(csv.head)]
    },
    rows: async (rows) => [utf8.encode(rows.map(csv.row).join(""))],
    end: async () => []
  }
}

const rendererOf = async (request: RenderRequest, edition: Edition): Promise<Renderer> => {
  if (request.format === "csv") return csvRenderer(edition)
  // Fonts and text shaping are loaded with the first document.
  const { pdfRenderer } = await import("./report/pdfRenderer.ts")
  return pdfRenderer(request, edition)
}

/**
 * Renders a snapshot that arrives in pieces. The file depends only on the snapshot, the request and the edition, and
 * not on how the snapshot was cut. Throws an UnrenderableDocument if the fonts are missing, a SnapshotMalformed for
 * anything but a snapshot, and errors of the renderer.
 */
export const renderSnapshot = async (request: RenderRequest, edition: Edition = newestEdition) => {
  const reader = snapshotReader()
  const renderer = await rendererOf(request, edition)
  let isStarted = false
  let count = 0
  let kept: Array<Uint8Array> | undefined = []
  return {
    push: async (piece: Uint8Array) => {
      kept?.push(piece)
      const rows = reader.push(piece)
      const pieces: Array<Uint8Array> = []
      if (!isStarted && reader.hasHead()) {
        isStarted = true
        if (!isAttached(request, reader.head())) kept = undefined
        for (const bytes of await renderer.start(reader.head())) pieces.push(bytes)
      }
      if (rows.length > 0) { for (const bytes of await renderer.rows(rows)) pieces.push(bytes) }
      count += rows.length
      return { pieces, rows: count }
    },
    end: async () => {
      reader.end()
      return { pieces: await renderer.end(kept && Buffer.concat(kept)), rows: count }
    }
  }
}
