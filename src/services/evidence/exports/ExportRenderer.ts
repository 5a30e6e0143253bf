import { Context, Data } from "effect"
import type { Effect, Scope } from "effect"
import type { ExportSignature } from "../../../domain/evidence/exports/ExportManifest.ts"

/** The file cannot be made of this snapshot, now or later: `code` and the message become the reason of the export. */
export class Unrenderable extends Data.TaggedError("Unrenderable")<{
  readonly code: string
  readonly message: string
}> {}

/** The renderer was silent for too long, and was ended. Another try may succeed; the message is for people. */
export class RenderingStalled extends Error {
  override readonly name = "RenderingStalled"
}

/** The input of a rendering: everything that a file may depend on beside the bytes of the snapshot. */
export interface RenderRequest {
  readonly format: "csv" | "pdf"
  /** `sha256:` and 64 hex digits of the snapshot. */
  readonly digest: string
  readonly seal: ExportSignature
}

/** The output of rendering a piece of the snapshot. */
export interface Rendered {
  /** The next pieces of the file. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** Rows rendered so far. */
  readonly rows: number
}

/**
 * A file in the making. The snapshot goes in piece by piece, in order; the same bytes come out wherever it is cut. Dies
 * with {@link RenderingStalled} when nothing comes of a piece.
 */
export interface Rendering {
  readonly push: (piece: Uint8Array) => Effect.Effect<Rendered, Unrenderable>
  readonly end: Effect.Effect<Rendered, Unrenderable>
}

/**
 * Renders snapshots beside the event loop; runtime implements it. A file depends on the snapshot and the request alone,
 * and not on the machine, the time or the language.
 */
export class ExportRenderer extends Context.Service<ExportRenderer, {
  readonly open: (request: RenderRequest) => Effect.Effect<Rendering, never, Scope.Scope>
}>()("countersign/services/evidence/exports/ExportRenderer") {}
