import { hash } from "node:crypto"
import type { Sha256 } from "../../src/domain/log/EventLeaf.ts"

/** SHA-256 of parts one after another, by node's own. */
export const sha256: Sha256 = (...parts) =>
  hash(
    "sha256",
    parts.length === 1
      ? parts[0]!
      : Buffer.concat(parts.map((part) => typeof part === "string" ? Buffer.from(part) : part)),
    "buffer"
  )
