import * as hb from "harfbuzzjs"
import type { CharacterCodes } from "../file/ByteBuffer.ts"
import type { PdfFile } from "../file/PdfFile.ts"
import { bytesOf } from "./fontSlice.ts"
import type { Slice, Weight } from "./fontSlice.ts"
import { subsetFont } from "./fontSubset.ts"

/** A glyph as a page shows it. `unit` is a thousandth of the font size throughout. */
interface Shown {
  /** The character code, two bytes as they stand in a literal string. */
  readonly code: string
  /** The advance that the font has for it, in units. */
  readonly width: number
}

/** A byte as it stands in a literal string (ISO 32000-1 section 7.3.4.2). */
const literal = (byte: number): string => {
  const character = String.fromCharCode(byte)
  return character === "\r" ? "\\r" : /[()\\]/.test(character) ? `\\${character}` : character
}

/** A character code of a font, the glyph that it shows, and the text that it is read as. */
interface Code {
  readonly code: number
  readonly glyph: number
  readonly text: string
  readonly width: number
}

const from = (first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/**
 * Codes for glyphs that stand for no text, such as the dots of an Arabic letter. A reader that finds no text for a code
 * (pdf.js) takes its number for a character; those with these numbers are format characters, which it leaves out.
 */
const silentCodes = [
  0xad,
  ...from(0x600, 0x605),
  0x61c,
  0x6dd,
  0x70f,
  0x8e2,
  0x180e,
  ...from(0x200b, 0x200f),
  ...from(0x202a, 0x202e),
  ...from(0x2060, 0x2064),
  ...from(0x2066, 0x206f)
]
const isSilent: ReadonlySet<number> = new Set(silentCodes)

/** What text each code stands for, as a CMap (ISO 32000-1 section 9.10.3). */
const unicodeMap = (used: ReadonlyArray<Code>): string => {
  const hexOf = (text: string): string =>
    Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, "0")).join("")
  const lines = used
    .filter(({ text }) => text !== "")
    .map(({ code, text }) => `<${code.toString(16).padStart(4, "0")}> <${hexOf(text)}>`)
  const blocks: Array<string> = []
  for (let at = 0; at < lines.length; at += 100) {
    const block = lines.slice(at, at + 100)
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar\n`)
  }
  return "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
    "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n" +
    "/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n" +
    `${blocks.join("")}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`
}

/**
 * A piece of a family at one weight, as a document embeds it. Each pair of a glyph and the text that it stands for has
 * a code of its own, so that the text can be read back exactly, also where glyphs are shared or stand for several
 * characters.
 */
export class DocumentFont {
  readonly name: string
  /** Sets the font. */
  readonly operator: string
  readonly slice: Slice
  readonly weight: Weight
  readonly shaper: hb.Font
  private readonly scale: number
  private readonly codes = new Map<string, Shown>()
  private readonly used: Array<Code> = []
  private next = 1
  private readonly silent = silentCodes[Symbol.iterator]()
  private readonly simple = new Map<number, Shown>()
  /** The codes of ASCII characters that were measured. */
  readonly plain: CharacterCodes = { bytes: new Int32Array(128), sizes: new Uint8Array(128) }
  private readonly plainWidths = new Float64Array(128)

  constructor(name: string, slice: Slice, weight: Weight) {
    this.name = name
    this.operator = `/${name} 1 Tf`
    this.slice = slice
    this.weight = weight
    this.shaper = new hb.Font(slice.face)
    this.shaper.setVariations([new hb.Variation("wght", weight)])
    this.scale = 1000 / slice.face.upem
  }

  /** Whether another line of text still fits: a code has two bytes, so a font has at most 65,536 of them. */
  get hasRoom(): boolean {
    return this.used.length < 0xffff - 4096
  }

  /** Design units as units. */
  units(design: number): number {
    return Math.round(design * this.scale * 1000) / 1000
  }

  /** Shows a glyph that stands for this text, which is empty where another glyph carries it. */
  shown(glyph: number, text: string): Shown {
    const key = `${glyph} ${text}`
    const known = this.codes.get(key)
    if (known !== undefined) return known
    const width = Math.round(this.units(this.shaper.glyphHAdvance(glyph)))
    const code = this.code(text)
    this.used.push({ code, glyph, text, width })
    const shown = { code: literal(code >> 8) + literal(code & 0xff), width }
    this.codes.set(key, shown)
    return shown
  }

  private code(text: string): number {
    const silent = text === "" ? this.silent.next().value : undefined
    if (silent !== undefined) return silent
    while (isSilent.has(this.next)) this.next += 1
    return this.next++
  }

  /** A glyph that shows nothing and stands for this text. It is the space, because some fonts draw their joiners. */
  empty(text: string): Shown {
    return this.shown(this.shaper.nominalGlyph(0x20) ?? 0, text)
  }

  /** Shows a character that needs no shaping. */
  character(codePoint: number): Shown {
    const known = this.simple.get(codePoint)
    if (known !== undefined) return known
    const glyph = this.shaper.nominalGlyph(codePoint) ?? 0
    const shown = this.shown(glyph, String.fromCodePoint(codePoint))
    this.simple.set(codePoint, shown)
    return shown
  }

  /** The width of an ASCII character, which has a code from then on. */
  plainWidth(character: number): number {
    if (this.plain.sizes[character] !== 0) return this.plainWidths[character]!
    const { code, width } = this.character(character)
    for (let at = code.length - 1; at >= 0; at--) {
      this.plain.bytes[character] = (this.plain.bytes[character]! << 8) | code.charCodeAt(at)
    }
    this.plain.sizes[character] = code.length
    this.plainWidths[character] = width
    return width
  }

  /** Embeds what was used; answers the number of the font's object. */
  async embed(file: PdfFile): Promise<number> {
    const bytes = await subsetFont(await bytesOf(this.slice.file), this.used.map(({ glyph }) => glyph), this.weight)
    const tag = this.name.replace(/\D/g, "").padStart(6, "0").replaceAll(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)]!)
    const baseFont = `/${tag}+${this.slice.file.name.replaceAll(/[^A-Za-z0-9-]/g, "")}-${this.weight}`
    const { ascender, descender } = this.shaper.hExtents()
    const program = file.stream(`/Length1 ${bytes.length}`, bytes)
    const descriptor = file.put(
      `<</Type/FontDescriptor/FontName${baseFont}/Flags 4/FontBBox[-1000 -500 2500 1300]/ItalicAngle 0/Ascent ${
        Math.round(this.units(ascender))
      }/Descent ${Math.round(this.units(descender))}/CapHeight 714/StemV ${
        this.weight === 700 ? 140 : 80
      }/FontFile2 ${program} 0 R>>`
    )
    const used = this.used.toSorted((one, other) => one.code - other.code)
    const map = new DataView(new ArrayBuffer((used.at(-1)!.code + 1) * 2))
    for (const { code, glyph } of used) map.setUint16(code * 2, glyph)
    const glyphs = file.stream("", new Uint8Array(map.buffer))
    let widths = ""
    used.forEach(({ code, width }, index) => {
      widths += used[index - 1]?.code === code - 1 ? ` ${width}` : `${index === 0 ? "" : "]"}${code}[${width}`
    })
    const descendant = file.put(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont${baseFont}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
        `/FontDescriptor ${descriptor} 0 R/DW 0/W[${widths}]]/CIDToGIDMap ${glyphs} 0 R>>`
    )
    const unicode = file.stream("", unicodeMap(used))
    return file.put(
      `<</Type/Font/Subtype/Type0/BaseFont${baseFont}/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R>>`
    )
  }
}
