import * as Base64 from "effect/encoding/Base64"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import { readSize } from "../transparency/CheckpointText.ts"

/** Hashes of a consistency proof at most (C2SP tlog-witness). */
const maximumHashes = 63
/** The largest body that is read, in bytes: a proof, and a note of 64 KiB. */
export const longestRequest = 72 * 1024

/** The request to a witness for a cosignature (C2SP tlog-witness, `add-checkpoint`). */
export interface AddCheckpoint {
  /** The size of the tree that the witness cosigned last; 0 before the first. */
  readonly old: number
  /** The consistency proof from there, 32 bytes each. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** The signed checkpoint. */
  readonly note: string
}

/** The body of the request. */
export const writeAddCheckpoint = ({ hashes, note, old }: AddCheckpoint): string =>
  [`old ${old}`, ...hashes.map((hash) => Base64.encode(hash)), "", note].join("\n")

/** Reads the body of a request; undefined when it is none. */
export const readAddCheckpoint = (body: string): AddCheckpoint | undefined => {
  const end = body.indexOf("\n\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = body.slice(0, end).split("\n")
  const old = readSize(/^old (\S+)$/.exec(first)?.[1] ?? "")
  const hashes = lines.flatMap((line) => decodeBase64(line, 32) ?? [])
  if (old === undefined || hashes.length < lines.length || hashes.length > maximumHashes) return undefined
  return { old, hashes, note: body.slice(end + 2) }
}
