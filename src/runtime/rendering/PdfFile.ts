import { zlibSync } from "fflate"

/** Objects that are packed into one stream. */
const packed = 200

const latin = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

/** A number as PDF writes it: at most three digits after the point, none that say nothing. */
export const num = (value: number): string => {
  const rounded = Math.round(value * 1000) / 1000
  return Object.is(rounded, -0) ? "0" : String(rounded)
}

/** A text as PDF writes it outside of pages: UTF-16 with a byte order mark, in hexadecimal. */
export const pdfText = (text: string): string => {
  let hex = "FEFF"
  for (let index = 0; index < text.length; index++) hex += text.charCodeAt(index).toString(16).padStart(4, "0")
  return `<${hex}>`
}

/**
 * Writes a PDF (ISO 32000-1, version 1.7) front to back and keeps nothing but the places of its objects: objects packed
 * into streams, and a cross-reference stream at the end. Compression is in JavaScript, so that the bytes do not hang
 * on the machine's zlib.
 */
export class PdfFile {
  private readonly pending: Array<Uint8Array> = []
  private position = 0
  private count = 1
  /** By object that is packed: the stream that holds it, and its place there. Millions of cells have one each. */
  private streams = new Uint32Array(1024)
  private places = new Uint8Array(1024)
  /** Offsets of the objects that stand alone. */
  private readonly offsets = new Map<number, number>()
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
    const number = this.count++
    if (number >= this.streams.length) {
      const streams = new Uint32Array(this.streams.length * 2)
      streams.set(this.streams)
      this.streams = streams
      const places = new Uint8Array(streams.length)
      places.set(this.places)
      this.places = places
    }
    return number
  }

  /** Writes an object that is not a stream; answers its number. */
  put(text: string, number = this.reserve()): number {
    this.waiting.push([number, text])
    if (this.waiting.length === packed) this.pack()
    return number
  }

  private pack(): void {
    if (this.waiting.length === 0) return
    const objects = this.waiting
    this.waiting = []
    const stream = this.reserve()
    let head = ""
    let body = ""
    objects.forEach(([number, text], index) => {
      head += `${number} ${body.length} `
      body += `${text}\n`
      this.places[number] = index
      this.streams[number] = stream
    })
    this.stream(`/Type/ObjStm/N ${objects.length}/First ${head.length}`, latin(head + body), stream)
  }

  /** Writes a stream with these entries in its dictionary; answers its number. */
  stream(entries: string, bytes: Uint8Array | string, number = this.reserve()): number {
    const data = zlibSync(typeof bytes === "string" ? latin(bytes) : bytes, { level: 4 })
    this.offsets.set(number, this.position)
    this.emit(latin(`${number} 0 obj\n<<${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n`))
    this.emit(data)
    this.emit(latin("\nendstream\nendobj\n"))
    return number
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
    this.offsets.set(number, start)
    const width = 9
    const table = new Uint8Array(this.count * width)
    const view = new DataView(table.buffer)
    view.setUint16(7, 65535)
    for (let object = 1; object < this.count; object++) {
      const stream = this.streams[object]!
      const place = stream === 0 ? this.offsets.get(object) : stream
      // A number that was reserved and never used counts as free.
      if (place === undefined) continue
      const at = object * width
      table[at] = stream === 0 ? 1 : 2
      view.setUint16(at + 1, Math.floor(place / 2 ** 32))
      view.setUint32(at + 3, place % 2 ** 32)
      view.setUint16(at + 7, stream === 0 ? 0 : this.places[object]!)
    }
    this.stream(
      `/Type/XRef/Size ${this.count}/W[1 6 2]/Root ${catalog} 0 R/Info ${info} 0 R/ID[<${id}><${id}>]`,
      table,
      number
    )
    this.emit(latin(`startxref\n${start}\n%%EOF\n`))
  }
}
