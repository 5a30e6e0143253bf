import { encodeBase64 } from "../parsing/ByteTexts.ts"

/**
 * The proof that a leaf is in a log, as the text of C2SP tlog-proof: the index of the leaf, its audit path (RFC 6962, 2.1.1) of 32 bytes
 * each, and the note of the checkpoint whose root it leads to.
 */
export const writeTlogProof = (
  { hashes, index, note }: {
    readonly index: number
    readonly hashes: ReadonlyArray<Uint8Array>
    readonly note: string
  }
): string =>
  ["c2sp.org/tlog-proof@v1", `index ${index}`, ...hashes.map((hash) => encodeBase64(hash)), "", note].join("\n")
