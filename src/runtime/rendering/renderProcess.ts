// The program that renders documents. It takes messages over its channel, and ends when the channel closes. It
// ignores signals: a terminal sends them to all processes of the service, which releases its work itself.
import type { RenderRequest } from "../../services/evidence/exports/ExportRenderer.ts"
import { UnrenderableDocument } from "./Renderer.ts"
import { renderSnapshot } from "./renderSnapshot.ts"

/** The messages to it: what to render, then the snapshot piece by piece, and `null` for its end. */
export type Question = RenderRequest | Uint8Array | null

/** The reply to each piece and to the end. */
export type Answer =
  | { readonly pieces: ReadonlyArray<Uint8Array>; readonly rows: number }
  | { readonly refused: { readonly code: string; readonly message: string } }

let rendering: ReturnType<typeof renderSnapshot> | undefined

const answer = async (question: Uint8Array | null): Promise<Answer> => {
  try {
    const opened = await rendering!
    const { pieces, rows } = question === null ? await opened.end() : await opened.push(question)
    return { pieces, rows }
  } catch (error) {
    if (!(error instanceof UnrenderableDocument)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
process.on("disconnect", () => process.exit())
process.on("message", async (question: Question) => {
  if (question === null || question instanceof Uint8Array) process.send!(await answer(question))
  else {
    rendering = renderSnapshot(question)
    // A refusal is the answer to the first piece; until then nobody waits for it.
    rendering.catch(() => undefined)
  }
})
