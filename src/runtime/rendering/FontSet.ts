import * as hb from "harfbuzzjs"
import { readFileSync } from "node:fs"
import decompress from "woff2-encoder/decompress"
import { fontFiles } from "./fontFiles.ts"
import type { FontFile } from "./fontFiles.ts"
import { subsetFont } from "./fontSubset.ts"
import type { PdfFile } from "./PdfFile.ts"

/** A regular and a bold cut of every font. */
export type Weight = 400 | 700

/** TrueType, with the axis of weights. It is not kept: the shaper has a copy of its own. */
const bytesOf = (file: FontFile): Promise<Uint8Array> => decompress(readFileSync(file.path))

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

/**
 * A piece of a family at one weight, as a document embeds it. Each pair of a glyph and the text that it stands for has
 * a code of its own, so that the text can be read back exactly, also where glyphs are shared or stand for several
 * characters.
 */
export class DocumentFont {
  readonly name: string
  readonly slice: Slice
  readonly weight: Weight
  readonly shaper: hb.Font
  private readonly scale: number
  private readonly codes = new Map<string, Shown>()
  private readonly used: Array<{ readonly glyph: number; readonly text: string; readonly width: number }> = []
  private readonly simple = new Map<number, Shown>()

  constructor(name: string, slice: Slice, weight: Weight) {
    this.name = name
    this.slice = slice
    this.weight = weight
    this.shaper = new hb.Font(slice.face)
    this.shaper.setVariations([new hb.Variation("wght", weight)])
    this.scale = 1000 / slice.face.upem
  }

  /** Whether a line of text can still be set in it: a code is two bytes. */
  get hasRoom(): boolean {
    return this.used.length < 0xffff - 4096
  }

  /** Design units as units. */
  units(design: number): number {
    return Math.round(design * this.scale * 1000) / 1000
  }

  /** How a glyph is shown that stands for this text; empty for a glyph whose text another one stands for. */
  shown(glyph: number, text: string): Shown {
    const key = `${glyph} ${text}`
    const known = this.codes.get(key)
    if (known !== undefined) return known
    const width = Math.round(this.units(this.shaper.glyphHAdvance(glyph)))
    this.used.push({ glyph, text, width })
    const code = literal(this.used.length >> 8) + literal(this.used.length & 0xff)
    const shown = { code, width }
    this.codes.set(key, shown)
    return shown
  }

  /** How a character is shown that needs no shaping. */
  character(codePoint: number): Shown {
    const known = this.simple.get(codePoint)
    if (known !== undefined) return known
    const glyph = this.shaper.nominalGlyph(codePoint) ?? 0
    const shown = this.shown(glyph, String.fromCodePoint(codePoint))
    this.simple.set(codePoint, shown)
    return shown
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
    const map = new Uint8Array((this.used.length + 1) * 2)
    this.used.forEach(({ glyph }, index) => new DataView(map.buffer).setUint16((index + 1) * 2, glyph))
    const glyphs = file.stream("", map)
    const widths = this.used.map(({ width }) => width).join(" ")
    const descendant = file.put(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont${baseFont}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
        `/FontDescriptor ${descriptor} 0 R/DW 0/W[1[${widths}]]/CIDToGIDMap ${glyphs} 0 R>>`
    )
    const unicode = file.stream("", this.unicodeMap())
    return file.put(
      `<</Type/Font/Subtype/Type0/BaseFont${baseFont}/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R>>`
    )
  }

  /** What text each code stands for, as a CMap (ISO 32000-1 section 9.10.3). */
  private unicodeMap(): string {
    const hexOf = (text: string): string =>
      Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, "0")).join("")
    const lines = this.used.map(({ text }, index) => `<${(index + 1).toString(16).padStart(4, "0")}> <${hexOf(text)}>`)
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
}

/** A piece of a family that has been read. */
export interface Slice {
  readonly file: FontFile
  readonly face: hb.Face
  /** Tells which characters it has. */
  readonly probe: hb.Font
}

/** The fonts of a document. They are read when a character first needs them. */
export class FontSet {
  private readonly files = fontFiles()
  private readonly slices = new Map<FontFile, Slice>()
  private readonly found = new Map<number, Slice | undefined>()
  private readonly fonts = new Map<string, DocumentFont>()
  private readonly all: Array<DocumentFont> = []

  /** Reads what the text needs; characters that were not prepared count as missing. */
  async prepare(text: string): Promise<void> {
    for (const character of text) {
      const codePoint = character.codePointAt(0)!
      if (!this.found.has(codePoint)) this.found.set(codePoint, await this.find(codePoint))
    }
  }

  private async find(codePoint: number): Promise<Slice | undefined> {
    for (const file of this.files) {
      if (!file.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) continue
      const slice = this.slices.get(file) ?? await this.read(file)
      if (slice.probe.nominalGlyph(codePoint) !== undefined) return slice
    }
    return undefined
  }

  private async read(file: FontFile): Promise<Slice> {
    const face = new hb.Face(new hb.Blob((await bytesOf(file)).slice().buffer), 0)
    const slice = { file, face, probe: new hb.Font(face) }
    this.slices.set(file, slice)
    return slice
  }

  /** The piece that a character is set in; undefined when no font has it. */
  sliceOf(codePoint: number): Slice | undefined {
    return this.found.get(codePoint)
  }

  font(slice: Slice, weight: Weight): DocumentFont {
    const key = `${slice.file.name} ${weight}`
    const known = this.fonts.get(key)
    if (known?.hasRoom === true) return known
    const made = new DocumentFont(`F${this.all.length + 1}`, slice, weight)
    this.all.push(made)
    this.fonts.set(key, made)
    return made
  }

  /** Embeds every font that was used; answers the entries of a font dictionary. */
  async embed(file: PdfFile): Promise<string> {
    let entries = ""
    for (const font of this.all) entries += `/${font.name} ${await font.embed(file)} 0 R`
    return entries
  }
}
