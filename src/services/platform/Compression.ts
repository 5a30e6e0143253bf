import { Context } from "effect"

/**
 * Compression of what is stored in pieces and read whole; the runtime implements it. Synchronous: 64 KiB take a
 * tenth of a millisecond, less than a hop through a thread pool and back.
 */
export class Compression extends Context.Service<Compression, {
  /** Compresses as Brotli (RFC 7932), fast rather than small: text becomes a sixth to a tenth. */
  readonly compress: (bytes: Uint8Array) => Uint8Array

  /** The bytes that were compressed. Throws where they are not Brotli, or more than `most`. */
  readonly decompress: (bytes: Uint8Array, most: number) => Uint8Array
}>()("countersign/services/platform/Compression") {}
