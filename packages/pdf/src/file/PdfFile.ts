import { zlibSync } from "fflate"
import { crossReferences } from "./crossReferences.ts"
import type { ObjectRun } from "./crossReferences.ts"
import { compression, latin } from "./pdfText.ts"

/** How many objects are packed into one stream. */
const packed = 400

/**
 * Writes a PDF (ISO 32000-1, version 1.7) front to back and keeps nothing but the places of its objects: objects packed
 * into streams, and a cross-reference stream at the end. Compression is in JavaScript, so that the bytes do not
 * depend on the zlib of the machine.
 */
export class PdfFile {
  private readonly pending: Array<Uint8Array> = []
  private position = 0
  private count = 1
  private readonly runs: Array<ObjectRun> = []
  private waiting: Array<readonly [number: number, text: string]> = []

  constructor() {
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
    this.waiting.push([number, text])
    if (this.waiting.length === packed) this.pack()
    return number
  }

  private pack(): void {
    if (this.waiting.length === 0) return
    // There can be millions of cells with an object each. Sorted, the objects of a stream are a few runs of numbers.
    const objects = this.waiting.toSorted(([first], [second]) => first - second)
    this.waiting = []
    const stream = this.reserve()
    let head = ""
    let body = ""
    let run: ObjectRun | undefined
    objects.forEach(([number, text], place) => {
      head += `${number} ${body.length} `
      body += `${text}\n`
      if (run !== undefined && number === run.first + run.length) {
        run.length += 1
      } else {
        run = { first: number, length: 1, stream, place }
        this.runs.push(run)
      }
    })
    this.stream(`/Type/ObjStm/N ${objects.length}/First ${head.length}`, head + body, stream)
  }

  /** Writes a stream with these entries in its dictionary; answers its number. */
  stream(entries: string, bytes: Uint8Array | string, number = this.reserve()): number {
    this.runs.push({ first: number, length: 1, stream: 0, place: this.position })
    this.emitStream(entries, zlibSync(typeof bytes === "string" ? latin(bytes) : bytes, compression), number)
    return number
  }

  private emitStream(entries: string, data: Uint8Array, number: number): void {
    this.emit(latin(`${number} 0 obj\n<<${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n`))
    this.emit(data)
    this.emit(latin("\nendstream\nendobj\n"))
  }

  /** What was written since the last time. */
  take(): ReadonlyArray<Uint8Array> {
    return this.pending.splice(0)
  }

  /** Ends the file. `id` is 32 hex digits. */
  end(catalog: number, info: number, id: string): void {
    this.pack()
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
