import * as Base64 from "effect/encoding/Base64"
import { decodeBase64 } from "../parsing/StrictBytes.ts"

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
  `${origin}\n${size}\n${Base64.encode(root)}\n`

/** Reads the text of a checkpoint, whose further lines are passed over; undefined when it is none. */
export const readCheckpointText = (text: string): CheckpointBody | undefined => {
  const [origin = "", size = "", root = ""] = text.split("\n")
  const bytes = decodeBase64(root, 32)
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) return undefined
  return bytes === undefined ? undefined : { origin, size: Number(size), root: bytes }
}
