import type * as hb from "harfbuzzjs"
import { readFileSync } from "node:fs"
import decompress from "woff2-encoder/decompress"
import type { FontFile } from "./fontFiles.ts"

/** A regular and a bold cut of every font. */
export type Weight = 400 | 700

/** A piece of a family that has been read. */
export interface Slice {
  readonly file: FontFile
  readonly face: hb.Face
  /** Tells which characters it has. */
  readonly probe: hb.Font
}

/** Reads TrueType with its axis of weights. The bytes are not kept, because the shaper has a copy of its own. */
export const bytesOf = (file: FontFile): Promise<Uint8Array> => decompress(readFileSync(file.path))
