import { parentPort, workerData } from "node:worker_threads"
import type { RenderRequest } from "../../services/ExportRenderer.ts"
import { renderSnapshot } from "./renderSnapshot.ts"
import { UnrenderableDocument } from "./UnrenderableDocument.ts"

/** What the thread answers: one for each piece that it was sent, and one for the end, which is sent as `null`. */
export type Answer =
  | { readonly pieces: ReadonlyArray<Uint8Array>; readonly rows: number }
  | { readonly refused: { readonly code: string; readonly message: string } }

const rendering = await renderSnapshot(workerData as RenderRequest)
const port = parentPort!

port.on("message", async (piece: Uint8Array | null) => {
  try {
    const { pieces, rows } = piece === null ? await rendering.end() : await rendering.push(piece)
    port.postMessage({ pieces, rows } satisfies Answer, pieces.map(({ buffer }) => buffer as ArrayBuffer))
    if (piece === null) port.close()
  } catch (error) {
    if (!(error instanceof UnrenderableDocument)) throw error
    port.postMessage({ refused: { code: error.code, message: error.message } } satisfies Answer)
  }
})
