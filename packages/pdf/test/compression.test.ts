import { assert, describe, it } from "@effect/vitest"
import { zlibSync } from "fflate"
import { PdfFile } from "../src/file/PdfFile.ts"
import { compression } from "../src/file/pdfText.ts"
import { StreamCompressor } from "../src/file/StreamCompressor.ts"

/** Streams of many lengths, the second half of them longer than the first of any document. */
const streams = Array.from(
  { length: 80 },
  (_, index) => Buffer.from(`BT ${index} 0 0 Tm (stream ${index}) Tj ET\n`.repeat(1 + index * 7), "latin1")
)

/** A thread that compresses one stream, answers it, and dies. */
const dying = new URL(
  `data:text/javascript,${
    encodeURIComponent(
      `import { parentPort } from "node:worker_threads"
      parentPort.once("message", (bytes) => {
        parentPort.postMessage(bytes)
        setImmediate(() => { throw new Error("The thread died") })
      })`
    )
  }`
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

  it("fail from then on when the thread has ended while nothing waited for it", async () => {
    const compressor = new StreamCompressor(dying)
    // The thread may be gone before its only answer is read.
    await Promise.allSettled(streams.slice(0, 33).map((bytes) => compressor.compress(bytes)))
    const reasons = new Set<string>()
    // The end of the thread is told between turns, so those before it may fail as they wait.
    while (!reasons.has("again")) {
      const before = reasons.size
      await Promise.resolve(compressor.compress(streams[0]!)).catch(({ message }: Error) => reasons.add(message))
      if (reasons.size === before && reasons.size > 0) reasons.add("again")
    }
    assert.deepStrictEqual([...reasons], ["The thread died", "again"])
  })

  it("of a file that failed once are not waited for, and what is written later fails too", async () => {
    const compressor = new StreamCompressor(dying)
    const file = new PdfFile(compressor)
    for (const bytes of streams.slice(0, 40)) file.stream("", bytes)
    const said = (ended: Promise<unknown>) => ended.then(() => "written", ({ message }: Error) => message)
    assert.strictEqual(await said(file.end(1, 2, "0".repeat(32))), "The thread died")
    file.stream("", streams[0]!)
    assert.strictEqual(await said(file.end(1, 2, "0".repeat(32))), "The thread died")
    assert.strictEqual(await said(Promise.resolve(compressor.compress(streams[0]!))), "The thread died")
  })
})
