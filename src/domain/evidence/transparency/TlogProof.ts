import { encodeBase64 } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import { readSize } from "./CheckpointText.ts"

/** The first line of a proof. */
const magic = "c2sp.org/tlog-proof@v1"
/** The longest path that is read: that of a tree of more leaves than any log has. */
const longestPath = 64

/** The proof that a leaf is in a log (C2SP tlog-proof); nothing of it is verified. */
export interface TlogProof {
  /** The leaf itself, as the opaque extra data of the format: the proof of an event then needs no file beside it. */
  readonly leaf?: string | undefined
  /** The index of the leaf, from 0. */
  readonly index: number
  /** Its audit path (RFC 6962, 2.1.1), 32 bytes each. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** The note of the checkpoint to whose root the path leads. */
  readonly note: string
}

/** The text of a proof. */
export const writeTlogProof = ({ hashes, index, leaf, note }: TlogProof): string =>
  [
    magic,
    ...(leaf === undefined ? [] : [`extra ${encodeBase64(new TextEncoder().encode(leaf))}`]),
    `index ${index}`,
    ...hashes.map((hash) => encodeBase64(hash)),
    "",
    note
  ].join("\n")

/** Whether a text says that it is a proof. */
export const isTlogProof = (text: string): boolean => text.startsWith(`${magic}\n`)

/** The text of the extra data; undefined when the line has none, or it is no UTF-8. */
const leafIn = (line: string): string | undefined => {
  const bytes = decodeBase64(line.slice("extra ".length))
  try {
    return bytes === undefined ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads {@link writeTlogProof}; undefined when the text is no proof, or its extra data is no text. */
export const readTlogProof = (text: string): TlogProof | undefined => {
  const end = text.indexOf("\n\n")
  if (!isTlogProof(text) || end < 0) return undefined
  const [, ...lines] = text.slice(0, end).split("\n")
  const extra = lines[0]?.startsWith("extra ") === true ? lines.shift() : undefined
  const leaf = extra === undefined ? undefined : leafIn(extra)
  const [first = "", ...path] = lines
  const index = readSize(/^index (\S+)$/.exec(first)?.[1] ?? "")
  const hashes = path.flatMap((line) => decodeBase64(line, 32) ?? [])
  if (index === undefined || hashes.length < path.length || path.length > longestPath) return undefined
  if (extra !== undefined && leaf === undefined) return undefined
  return { leaf, index, hashes, note: text.slice(end + 2) }
}
