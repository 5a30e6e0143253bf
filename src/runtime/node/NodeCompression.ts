import { Layer } from "effect"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { Compression } from "../../services/platform/Compression.ts"

/** Quality 1 of 11, and a window that a piece fits in: 600 MB a second of JSON on a slow core. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 }

/**
 * What a piece of an export becomes fits in one buffer. Of node's 16 KiB it would take several and then a copy, all of
 * them outside V8's heap, and to collect those V8 walks all of its heap.
 */
const chunkSize = 64 * 1024

/** {@link Compression} by node's own zlib. */
export const layer = Layer.succeed(
  Compression,
  Compression.of({
    compress: (bytes) => brotliCompressSync(bytes, { chunkSize, params }),
    decompress: (bytes, most) => brotliDecompressSync(bytes, { maxOutputLength: most })
  })
)
