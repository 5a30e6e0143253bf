import { Context } from "effect"
import type { Effect } from "effect"

/**
 * Compression; the runtime implements it. That of what is stored in pieces and read whole is synchronous: 64 KiB take
 * a tenth of a millisecond, less than a hop through a thread pool and back.
 */
export class Compression extends Context.Service<Compression, {
  /** Compresses as Brotli (RFC 7932), fast rather than small: text becomes a sixth to a tenth. In a buffer of its own. */
  readonly compress: (bytes: Uint8Array) => Uint8Array

  /** Compresses what is sent many times, for HTTP (RFC 9110 section 8.4.1): smaller than fast, on another thread. */
  readonly compressOnce: (bytes: Uint8Array<ArrayBuffer>, encoding: "br" | "gzip") => Effect.Effect<Uint8Array>

  /** The bytes that were compressed. Throws where they are not Brotli, or more than `most`. */
  readonly decompress: (bytes: Uint8Array, most: number) => Uint8Array
}>()("countersign/services/ground/platform/Compression") {}
