import { csvWriter } from "../../domain/exports/Csv.ts"
import { snapshotReader } from "../../domain/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../domain/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../domain/reports/Report.ts"
import type { RenderRequest } from "../../services/exports/ExportRenderer.ts"
import { requireFonts } from "./fonts/fontFiles.ts"

/** Makes one kind of file: `start`, then `rows` any number of times, then `end`, each answering the next bytes. */
export interface Renderer {
  readonly start: (head: SnapshotHead) => Promise<ReadonlyArray<Uint8Array>>
  readonly rows: (rows: ReadonlyArray<ReportRow>) => Promise<ReadonlyArray<Uint8Array>>
  readonly end: () => Promise<ReadonlyArray<Uint8Array>>
}

const csvRenderer = (): Renderer => {
  const utf8 = new TextEncoder()
  let csv: ReturnType<typeof csvWriter>
  return {
    start: async (head) => {
      csv = csvWriter(head)
      return [utf8.encode(csv.head)]
    },
    rows: async (rows) => [utf8.encode(rows.map(csv.row).join(""))],
    end: async () => []
  }
}

const rendererOf = async (request: RenderRequest): Promise<Renderer> => {
  if (request.format === "csv") return csvRenderer()
  requireFonts()
  // The fonts and what shapes text are read when somebody first asks for a document.
  const { pdfRenderer } = await import("./report/pdfRenderer.ts")
  return pdfRenderer(request)
}

/**
 * Renders a snapshot that comes piece by piece. The file depends on the snapshot and the request alone, and not on how
 * the snapshot was cut. Throws an UnrenderableDocument where the fonts are missing, a SnapshotMalformed for what is no
 * snapshot, and what the renderer throws.
 */
export const renderSnapshot = async (request: RenderRequest) => {
  const reader = snapshotReader()
  const renderer = await rendererOf(request)
  let isStarted = false
  let count = 0
  return {
    push: async (piece: Uint8Array) => {
      const rows = reader.push(piece)
      const pieces: Array<Uint8Array> = []
      if (!isStarted && reader.hasHead()) {
        isStarted = true
        pieces.push(...await renderer.start(reader.head()))
      }
      if (rows.length > 0) pieces.push(...await renderer.rows(rows))
      count += rows.length
      return { pieces, rows: count }
    },
    end: async () => {
      reader.end()
      return { pieces: await renderer.end(), rows: count }
    }
  }
}
