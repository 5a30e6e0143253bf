import { ByteBuffer } from "./ByteBuffer.ts"
import { crossReferences } from "./crossReferences.ts"
import type { ObjectRun } from "./crossReferences.ts"
import { latin } from "./pdfText.ts"
import { StreamCompressor } from "./StreamCompressor.ts"
import type { Compressed } from "./StreamCompressor.ts"

/** How many objects are packed into one stream. */
const packed = 400

/** How many streams may wait to be compressed (backpressure): a few megabytes. */
const mostWaiting = 64

/** A stream that has its place in the file when those before it are written. */
interface WaitingStream {
  readonly number: number
  readonly entries: string
  data: Compressed
}

/**
 * Writes a PDF (ISO 32000-1, version 1.7) front to back and keeps nothing but the places of its objects: objects packed
 * into streams, and a cross-reference stream at the end.
 */
export class PdfFile {
  private readonly pending: Array<Uint8Array> = []
  private position = 0
  private count = 1
  private readonly runs: Array<ObjectRun> = []
  /** The objects of the next stream: their numbers, where each begins, and what they are. */
  private readonly numbers: Array<number> = []
  private readonly starts: Array<number> = []
  private readonly waiting = new ByteBuffer()
  private readonly packing = new ByteBuffer()
  private readonly streams: Array<WaitingStream> = []
  private readonly compressor: StreamCompressor

  constructor(compressor = new StreamCompressor()) {
    this.compressor = compressor
    this.emit(latin("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n"))
  }

  private emit(bytes: Uint8Array): void {
    this.pending.push(bytes)
    this.position += bytes.length
  }

  /** The number of an object that is written later. */
  reserve(): number {
    return this.count++
  }

  /** Writes an object that is not a stream; answers its number. */
  put(text: string, number = this.reserve()): number {
    this.begin(number).text(text)
    this.finish()
    return number
  }

  /** Begins an object that is not a stream; `finish` ends it. */
  begin(number: number): ByteBuffer {
    this.numbers.push(number)
    this.starts.push(this.waiting.length)
    return this.waiting
  }

  finish(): void {
    if (this.numbers.length === packed) this.pack()
  }

  /** Writes an object that refers to these, between two texts; answers its number. */
  putList(before: string, numbers: ReadonlyArray<number>, after: string, number = this.reserve()): number {
    const object = this.begin(number).text(before)
    for (let at = 0; at < numbers.length; at++) object.text(at === 0 ? "" : " ").integer(numbers[at]!).text(" 0 R")
    object.text(after)
    this.finish()
    return number
  }

  private pack(): void {
    const { numbers, packing, starts, waiting } = this
    if (numbers.length === 0) return
    const stream = this.reserve()
    // There can be millions of cells with an object each. Sorted, the objects of a stream are a few runs of numbers.
    const places = numbers.map((_, place) => place).toSorted((one, other) => numbers[one]! - numbers[other]!)
    starts.push(waiting.length)
    packing.clear()
    let length = 0
    let run: ObjectRun | undefined
    places.forEach((from, place) => {
      const number = numbers[from]!
      packing.integer(number).text(" ").integer(length).text(" ")
      length += starts[from + 1]! - starts[from]! + 1
      if (run !== undefined && number === run.first + run.length) {
        run.length += 1
      } else {
        run = { first: number, length: 1, stream, place }
        this.runs.push(run)
      }
    })
    const first = packing.length
    for (const from of places) packing.copy(waiting.view(starts[from], starts[from + 1])).text("\n")
    const count = numbers.length
    numbers.length = 0
    starts.length = 0
    waiting.clear()
    this.stream(`/Type/ObjStm/N ${count}/First ${first}`, packing.view(), stream)
  }

  /** Writes a stream with these entries in its dictionary; answers its number. */
  stream(entries: string, bytes: Uint8Array | string, number = this.reserve()): number {
    const data = this.compressor.compress(typeof bytes === "string" ? latin(bytes) : bytes)
    const stream: WaitingStream = { number, entries, data }
    this.streams.push(stream)
    // Who waits for the stream learns of a failure.
    if (data instanceof Promise) data.then((data) => stream.data = data, () => undefined)
    return number
  }

  /** Writes the streams that are compressed, up to the first that is not, and waits until no more than `most` are left. */
  private async write(most: number): Promise<void> {
    let written = 0
    for (const { data, entries, number } of this.streams) {
      if (data instanceof Promise && this.streams.length - written <= most) break
      this.runs.push({ first: number, length: 1, stream: 0, place: this.position })
      this.emitStream(entries, await this.compressed(data), number)
      written += 1
    }
    this.streams.splice(0, written)
  }

  /** The bytes of a stream. A file with a stream that failed is given up: its thread ends, and every later stream fails. */
  private async compressed(data: Compressed): Promise<Uint8Array> {
    try {
      return await data
    } catch (error) {
      this.compressor.close()
      throw error
    }
  }

  private emitStream(entries: string, data: Uint8Array, number: number): void {
    this.emit(latin(`${number} 0 obj\n<<${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n`))
    this.emit(data)
    this.emit(latin("\nendstream\nendobj\n"))
  }

  /** What was written since the last time. A file that fails here is given up. */
  async take(): Promise<ReadonlyArray<Uint8Array>> {
    await this.write(mostWaiting)
    return this.pending.splice(0)
  }

  /** Ends the file, and the thread that compressed it. `id` is 32 hex digits. */
  async end(catalog: number, info: number, id: string): Promise<void> {
    this.pack()
    await this.write(0)
    this.compressor.close()
    const start = this.position
    const number = this.reserve()
    this.runs.push({ first: number, length: 1, stream: 0, place: start })
    const { data, entries } = crossReferences(this.runs, this.count)
    this.emitStream(
      `/Type/XRef/Size ${this.count}${entries}/Root ${catalog} 0 R/Info ${info} 0 R/ID[<${id}><${id}>]`,
      data,
      number
    )
    this.emit(latin(`startxref\n${start}\n%%EOF\n`))
  }
}
