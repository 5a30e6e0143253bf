import { assert, describe, it } from "@effect/vitest"
import { zlibSync } from "fflate"
import { compression } from "../src/file/pdfText.ts"
import { StreamCompressor } from "../src/file/StreamCompressor.ts"

/** Streams of many lengths, the second half of them longer than the first of any document. */
const streams = Array.from(
  { length: 80 },
  (_, index) => Buffer.from(`BT ${index} 0 0 Tm (stream ${index}) Tj ET\n`.repeat(1 + index * 7), "latin1")
)

describe("the streams of a document", () => {
  it("are the same bytes, compressed here or in the thread, in their order, and whatever becomes of what was given", async () => {
    const compressor = new StreamCompressor()
    const found = streams.map((bytes) => {
      const given = new Uint8Array(bytes)
      const data = compressor.compress(given)
      given.fill(0)
      return data
    })
    assert.isTrue(found[0] instanceof Uint8Array, "a short document starts no thread")
    assert.isTrue(found.at(-1) instanceof Promise, "a long one does")
    assert.deepStrictEqual(
      (await Promise.all(found)).map((data) => Buffer.from(data)),
      streams.map((bytes) => Buffer.from(zlibSync(bytes, compression)))
    )
    compressor.close()
  })

  it("fail when the thread has ended, and are not waited for", async () => {
    const compressor = new StreamCompressor()
    const found = streams.map((bytes) => compressor.compress(bytes))
    compressor.close()
    const last = await Promise.allSettled([found.at(-1)])
    assert.strictEqual(last[0]!.status, "rejected")
    await Promise.allSettled(found)
  })
})
