import { Effect, Layer } from "effect"
import { promisify } from "node:util"
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants, gzip } from "node:zlib"
import { Compression } from "../../services/ground/platform/Ports.ts"

/** Quality 1 of 11, and a window that a piece fits in: 600 MB a second of JSON on a slow core. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 }

/**
 * Quality 9 of 11: the script of 3 MB takes a third of a second, and 11 would take twenty times as long for a tenth. What the
 * console loads first is small, and worth that tenth: a fifth of a second for the largest, once.
 */
const onceQuality = ({ length }: Uint8Array): number => length <= 128 * 1024 ? 11 : 9
const brotliOnce = promisify(brotliCompress)
const gzipOnce = promisify(gzip)

/**
 * The buffer that a compressed piece of an export fits in. Of node's 16 KiB it would take several and then a copy, all of
 * them outside V8's heap, and to collect those V8 walks all of its heap.
 */
const chunkSize = 64 * 1024

/** {@link Compression} by node's own zlib. */
export const layer = Layer.succeed(
  Compression,
  Compression.of({
    compress: (bytes) => brotliCompressSync(bytes, { chunkSize, params }),
    compressOnce: (bytes, encoding) =>
      Effect.promise(() =>
        encoding === "br"
          ? brotliOnce(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: onceQuality(bytes) } })
          : gzipOnce(bytes)
      ),
    decompress: (bytes, most) => brotliDecompressSync(bytes, { maxOutputLength: most })
  })
)
