import { Layer } from "effect"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { Compression } from "../../services/platform/Compression.ts"

/** Quality 1 of 11, and a window that a piece fits in: 600 MB a second of JSON on a slow core. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 }

/** {@link Compression} by node's own zlib. */
export const layer = Layer.succeed(
  Compression,
  Compression.of({
    compress: (bytes) => brotliCompressSync(bytes, { params }),
    decompress: (bytes, most) => brotliDecompressSync(bytes, { maxOutputLength: most })
  })
)
