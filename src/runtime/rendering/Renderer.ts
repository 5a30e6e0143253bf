import type { SnapshotHead } from "../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../domain/evidence/reports/Report.ts"

/** Renders one kind of file: `start`, then `rows` any number of times, then `end`. Each answers the next bytes. */
export interface Renderer {
  readonly start: (head: SnapshotHead) => Promise<ReadonlyArray<Uint8Array>>
  readonly rows: (rows: ReadonlyArray<ReportRow>) => Promise<ReadonlyArray<Uint8Array>>
  /** `snapshot`: the bytes of the whole snapshot, where the file has them inside. */
  readonly end: (snapshot: Uint8Array | undefined) => Promise<ReadonlyArray<Uint8Array>>
}

/** The snapshot cannot be rendered, now or later. */
export class UnrenderableDocument extends Error {
  override readonly name = "UnrenderableDocument"
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
