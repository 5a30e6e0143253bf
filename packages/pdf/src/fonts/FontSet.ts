import * as hb from "harfbuzzjs"
import type { PdfFile } from "../file/PdfFile.ts"
import { isEmojiSequence, signsOf } from "../text/characters.ts"
import { DocumentFont } from "./DocumentFont.ts"
import { emojiFamily, fontFiles } from "./fontFiles.ts"
import type { FontFile } from "./fontFiles.ts"
import { bytesOf } from "./fontSlice.ts"
import type { Slice, Weight } from "./fontSlice.ts"

const buffer = new hb.Buffer()

/** Whether the piece shows the sign as one glyph. */
const isOneGlyph = ({ probe }: Slice, sign: string): boolean => {
  buffer.reset()
  buffer.addText(sign)
  buffer.guessSegmentProperties()
  hb.shape(probe, buffer)
  const positions = buffer.getGlyphPositions()
  const visible = buffer.getGlyphInfos().filter((_, index) => positions[index]!.xAdvance !== 0)
  return visible.length === 1 && visible[0]!.codepoint !== 0
}

/** The fonts of a document. They are read when a character first needs them. */
export class FontSet {
  private readonly files = fontFiles()
  private readonly slices = new Map<FontFile, Slice>()
  private readonly found = new Map<number, Slice | undefined>()
  private readonly sequences = new Map<string, Slice | undefined>()
  private readonly fonts = { 400: new Map<Slice, DocumentFont>(), 700: new Map<Slice, DocumentFont>() }
  private readonly all: Array<DocumentFont> = []

  /** Reads what the text needs; characters that were not prepared count as missing. */
  async prepare(text: string): Promise<void> {
    for (const character of text) {
      const codePoint = character.codePointAt(0)!
      if (!this.found.has(codePoint)) this.found.set(codePoint, await this.find(codePoint))
    }
    for (const sign of signsOf(text)) {
      if (!isEmojiSequence(sign) || this.sequences.has(sign)) continue
      this.sequences.set(sign, await this.findSequence(sign))
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

  /** Looks for joined emoji in every piece of their family: it need not be the piece of their first character. */
  private async findSequence(sign: string): Promise<Slice | undefined> {
    const needed = [...sign].map((character) => character.codePointAt(0)!).filter((codePoint) => codePoint !== 0xfe0f)
    for (const file of this.files) {
      if (!file.name.startsWith(emojiFamily)) continue
      const isClaimed = (codePoint: number) =>
        file.ranges.some(([first, last]) => codePoint >= first && codePoint <= last)
      if (!needed.every(isClaimed)) continue
      const slice = this.slices.get(file) ?? await this.read(file)
      if (isOneGlyph(slice, sign)) return slice
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

  /** The piece that shows several emoji as one; undefined when none does. */
  sliceOfSequence(sign: string): Slice | undefined {
    return this.sequences.get(sign)
  }

  font(slice: Slice, weight: Weight): DocumentFont {
    const known = this.fonts[weight].get(slice)
    if (known?.hasRoom === true) return known
    const made = new DocumentFont(`F${this.all.length + 1}`, slice, weight)
    this.all.push(made)
    this.fonts[weight].set(slice, made)
    return made
  }

  /** Embeds every font that was used; answers the entries of a font dictionary. */
  async embed(file: PdfFile): Promise<string> {
    let entries = ""
    for (const font of this.all) entries += `/${font.name} ${await font.embed(file)} 0 R`
    return entries
  }
}
