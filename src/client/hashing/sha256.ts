import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"

/** The synchronous SHA-256 of Node.js, Deno or Bun; undefined where there is none, as in browsers. */
export const platformSha256 = (): Sha256 | undefined => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: "node:crypto") => typeof import("node:crypto") }
  }
  const node = process?.getBuiltinModule?.("node:crypto")
  if (node === undefined) return undefined
  return (...parts) => {
    const hash = node.createHash("sha256")
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
}

/** The same, for verifications of more than a browser does by WebCrypto. Throws a TypeError where there is none. */
export const neededSha256 = (): Sha256 => {
  const sha256 = platformSha256()
  if (sha256 === undefined) throw new TypeError("This platform has no synchronous SHA-256: give one as `sha256`")
  return sha256
}

const bytesOf = (parts: ReadonlyArray<Uint8Array | string>): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder()
  return Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]))
}

/** A digest is needed that is not known yet. */
class Needed extends Error {
  readonly bytes: Uint8Array<ArrayBuffer>
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    super("A digest is needed")
    this.bytes = bytes
  }
}

/**
 * Runs what hashes synchronously by WebCrypto, which does not: from its beginning again with each digest that it turns out
 * to need. `run` must be free of effects; it is for the few and short texts of a checkpoint, not for a log.
 */
export const byWebCrypto = async <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> => {
  const known = new Map<string, Uint8Array>()
  const sha256: Sha256 = (...parts) => {
    const bytes = bytesOf(parts)
    const digest = known.get(encodeHex(bytes))
    if (digest === undefined) throw new Needed(bytes)
    return digest
  }
  for (;;) {
    try {
      return await run(sha256)
    } catch (error) {
      if (!(error instanceof Needed)) throw error
      known.set(encodeHex(error.bytes), new Uint8Array(await crypto.subtle.digest("SHA-256", error.bytes)))
    }
  }
}
