import { encodeBase64 } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"

/** The contents of a checkpoint. */
export interface CheckpointBody {
  /** Which log. */
  readonly origin: string
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

/** The signed text of a checkpoint (C2SP tlog-checkpoint): origin, tree size and base64 root, a line each. */
export const checkpointText = ({ origin, root, size }: CheckpointBody): string =>
  `${origin}\n${size}\n${encodeBase64(root)}\n`

/** Reads the text of a checkpoint, whose further lines are passed over; undefined when it is none. */
export const readCheckpointText = (text: string): CheckpointBody | undefined => {
  const [origin = "", size = "", root = ""] = text.split("\n")
  const bytes = decodeBase64(root, 32)
  const count = readSize(size)
  return origin === "" || count === undefined || bytes === undefined ? undefined : { origin, size: count, root: bytes }
}

/** Reads the size of a tree in decimal digits; undefined when the text is none. */
export const readSize = (text: string): number | undefined => {
  const size = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(size) ? size : undefined
}
