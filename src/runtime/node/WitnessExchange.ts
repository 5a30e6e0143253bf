import { WitnessUnavailable } from "../../services/evidence/transparency/Witness.ts"

/** The timeout of one exchange with an address, in milliseconds. */
export const patience = 5_000
/** The maximum size of a note, in bytes. */
const longestNote = 64 * 1024

/** `fetch` has the reason in the cause of its error. */
export const unavailable = (cause: unknown) => {
  const reason = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause
  return new WitnessUnavailable({ message: reason instanceof Error ? reason.message : String(reason) })
}

/** Reads the text of an answer, which has the size of a note at most. */
export const readNoteText = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > longestNote) throw new Error(`the response has more than ${longestNote} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
