import bidiFactory from "bidi-js"
import * as hb from "harfbuzzjs"
import type { FontSet, Slice, Weight } from "./FontSet.ts"
import { num, pdfText } from "./pdfText.ts"

/** A line of text that is ready to be shown: operators for a text space in which the font size is 1. */
export interface TextLine {
  readonly show: string
  /** In thousandths of the font size. */
  readonly width: number
  /** The operator of the font that it ends with; it begins with one too. */
  readonly font: string
}

// The package is CommonJS whose export is the factory itself; its types describe a default export.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

const ascii = /^[\x20-\x7e]*$/
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Characters that are set one by one: neither marks nor letters that join, change or move. */
const isSimple = (codePoint: number): boolean =>
  codePoint < 0x300 || (codePoint >= 0x370 && codePoint < 0x483) || (codePoint >= 0x48a && codePoint < 0x590) ||
  (codePoint >= 0x1e00 && codePoint < 0x200b) || (codePoint >= 0x2010 && codePoint < 0x20d0) ||
  (codePoint >= 0x2100 && codePoint < 0x2e80) || (codePoint >= 0x3001 && codePoint < 0x302a) ||
  (codePoint >= 0x3030 && codePoint < 0x3099) || (codePoint >= 0x309b && codePoint < 0xa4d0) ||
  (codePoint >= 0xac00 && codePoint < 0xd7a4) || (codePoint >= 0xf900 && codePoint < 0xfb00) ||
  (codePoint >= 0xff01 && codePoint < 0xffe7) || (codePoint >= 0x20000 && codePoint < 0x323b0)

/** What no reader sees: joiners, selectors, marks of direction. They go with the character before them. */
const isInvisible = (codePoint: number): boolean =>
  (codePoint >= 0x200b && codePoint <= 0x200f) || (codePoint >= 0x202a && codePoint <= 0x202e) ||
  (codePoint >= 0x2060 && codePoint <= 0x2069) || (codePoint >= 0xfe00 && codePoint <= 0xfe0f) ||
  codePoint === 0xfeff || (codePoint >= 0xe0000 && codePoint <= 0xe0fff) || codePoint === 0xad

const isMark = (character: string): boolean => /^[\p{M}]$/u.test(character)

/** Characters that a line may end after, and those of scripts without spaces, between which it may end anywhere. */
const breaksAfter = /[\s\-_/,;.@|]/
const ideographic = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\u{20000}-\u{323af}]/u

interface Run {
  readonly text: string
  readonly slice: Slice
  readonly level: number
  readonly simple: boolean
}

/** Sets text in the fonts of a document: chooses fonts, orders right-to-left text, shapes and measures it. */
export class TextSetter {
  readonly fonts: FontSet
  private readonly buffer = new hb.Buffer()
  private readonly kept = new Map<string, TextLine>()

  constructor(fonts: FontSet) {
    this.fonts = fonts
  }

  /** Reads the fonts that the text needs. */
  async prepare(text: string): Promise<void> {
    if (!ascii.test(text)) await this.fonts.prepare(text)
  }

  /** Reads the fonts that all text needs; call it before anything else. */
  async begin(): Promise<void> {
    await this.fonts.prepare(Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("") + "…·–")
  }

  /** One line. Line ends and tabs in it count as spaces. */
  line(text: string, weight: Weight = 400): TextLine {
    if (ascii.test(text)) return this.plain(text, weight)
    const key = `${weight}${text}`
    const known = this.kept.get(key)
    if (known !== undefined) return known
    const line = this.shape(text.replaceAll(/[\s\p{Cc}]/gu, " "), weight)
    if (this.kept.size > 5000) this.kept.clear()
    this.kept.set(key, line)
    return line
  }

  private plain(text: string, weight: Weight): TextLine {
    const font = this.fonts.font(this.fonts.sliceOf(0x20)!, weight)
    let codes = ""
    let width = 0
    for (let index = 0; index < text.length; index++) {
      const shown = font.character(text.charCodeAt(index))
      codes += shown.code
      width += shown.width
    }
    return { show: `/${font.name} 1 Tf(${codes})Tj`, width, font: `/${font.name} 1 Tf` }
  }

  private runs(text: string): ReadonlyArray<Run> {
    const isMixed = rightToLeft.test(text)
    const levels = isMixed ? bidi.getEmbeddingLevels(text).levels : undefined
    const runs: Array<{ text: string; slice: Slice; level: number; simple: boolean }> = []
    let at = 0
    for (const character of text) {
      const codePoint = character.codePointAt(0)!
      const level = levels?.[at] ?? 0
      at += character.length
      const last = runs.at(-1)
      if (isInvisible(codePoint)) {
        if (last !== undefined && !last.simple) last.text += character
        continue
      }
      // Marks stay with their base, and what stands between words from right to left stays with the words: a reader that
      // goes by places finds the whole of it in one piece, and turns it round as one.
      const isBound = isMark(character) || (level % 2 === 1 && last?.level === level)
      const stays = last !== undefined && isBound && last.slice.probe.nominalGlyph(codePoint) !== undefined
      const slice = stays ? last.slice : this.fonts.sliceOf(codePoint)
      if (slice === undefined) {
        // What no font has is named, so that nothing is lost.
        const name = `[U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}]`
        runs.push({ text: name, slice: this.fonts.sliceOf(0x20)!, level, simple: true })
        continue
      }
      const simple = level % 2 === 0 && isSimple(codePoint)
      if (last?.slice === slice && last.level === level && last.simple === simple) {
        last.text += character
      } else if (stays && last.level === level && last.simple) {
        // A mark makes its base part of what is shaped.
        const characters = [...last.text]
        const base = characters.pop()!
        last.text = characters.join("")
        if (last.text === "") runs.pop()
        runs.push({ text: base + character, slice, level, simple: false })
      } else {
        runs.push({ text: character, slice, level, simple })
      }
    }
    return runs
  }

  /** Runs as they stand from left to right (UAX #9, rule L2). */
  private ordered(runs: ReadonlyArray<Run>): ReadonlyArray<Run> {
    const visual = [...runs]
    const highest = Math.max(0, ...runs.map(({ level }) => level))
    for (let level = highest; level >= 1; level--) {
      for (let start = 0; start < visual.length; start++) {
        if (visual[start]!.level < level) continue
        let end = start
        while (end < visual.length && visual[end]!.level >= level) end += 1
        visual.splice(start, end - start, ...visual.slice(start, end).toReversed())
        start = end
      }
    }
    return visual
  }

  private shape(text: string, weight: Weight): TextLine {
    const runs = this.runs(text)
    const parts = this.ordered(runs).map((run) => this.shapeRun(run, weight))
    const width = parts.reduce((sum, part) => sum + part.width, 0)
    const show = parts.map((part) => part.show).join("")
    const font = parts.at(-1)?.font ?? ""
    // Readers that know of it take the text from here, in the order in which it is read.
    return runs.every(({ simple }) => simple)
      ? { show, width, font }
      : { show: `/Span<</ActualText${pdfText(text)}>>BDC ${show} EMC`, width, font }
  }

  private shapeRun({ level, simple, slice, text }: Run, weight: Weight): TextLine {
    const font = this.fonts.font(slice, weight)
    if (simple) {
      let codes = ""
      let width = 0
      for (const character of text) {
        const shown = font.character(character.codePointAt(0)!)
        codes += shown.code
        width += shown.width
      }
      return { show: `/${font.name} 1 Tf(${codes})Tj`, width, font: `/${font.name} 1 Tf` }
    }
    const { buffer } = this
    buffer.reset()
    buffer.addText(text)
    buffer.guessSegmentProperties()
    buffer.setDirection(level % 2 === 0 ? hb.Direction.LTR : hb.Direction.RTL)
    hb.shape(font.shaper, buffer)
    const infos = buffer.getGlyphInfos()
    const glyphs = buffer.getGlyphPositions().map((position, index) => Object.assign(position, infos[index]!))
    const starts = [...new Set(glyphs.map(({ cluster }) => cluster))].toSorted((a, b) => a - b)
    const textOf = new Map(starts.map((start, index) => [start, text.slice(start, starts[index + 1])]))
    // The widest glyph of a cluster stands for all of its text.
    const bearers = new Map<number, number>()
    glyphs.forEach(({ cluster, xAdvance }, index) => {
      const best = bearers.get(cluster)
      if (best === undefined || xAdvance > glyphs[best]!.xAdvance) bearers.set(cluster, index)
    })
    const shownAt = (index: number) => {
      const { cluster, codepoint } = glyphs[index]!
      return font.shown(codepoint, bearers.get(cluster) === index ? textOf.get(cluster) ?? "" : "")
    }
    // Letters first and in one go, so that a reader that goes by their places finds whole words; then, over them, the
    // dots and marks, each put where it belongs.
    let letters = ""
    let marks = ""
    let width = 0
    let pen = 0
    let rise = 0
    glyphs.forEach(({ cluster, xAdvance, xOffset, yOffset }, index) => {
      const shown = shownAt(index)
      const before = font.units(xOffset)
      const advance = font.units(xAdvance)
      if (bearers.get(cluster) === index || (xAdvance !== 0 && yOffset === 0)) {
        const after = shown.width + before - advance
        letters += `${before === 0 ? "" : num(-before)}(${shown.code})${after === 0 ? "" : num(after)}`
      } else {
        const dy = font.units(yOffset) / 1000
        if (dy !== rise) marks += `]TJ ${num(dy)} Ts[`
        rise = dy
        marks += `${num(pen - width - before)}(${shown.code})`
        pen = width + before + shown.width
      }
      width += advance
    })
    const placed = marks === "" ? "" : `[${num(width)}]TJ[${marks}${num(pen - width)}]TJ${rise === 0 ? "" : " 0 Ts"}`
    return { show: `/${font.name} 1 Tf[${letters}]TJ${placed}`, width, font: `/${font.name} 1 Tf` }
  }

  /** {@link wrap} for most text there is: in one pass, and without setting anything. */
  private wrapPlain(text: string, width: number, weight: Weight): ReadonlyArray<string> {
    const font = this.fonts.font(this.fonts.sliceOf(0x20)!, weight)
    const lines: Array<string> = []
    let start = 0
    let end = 0
    let isBreak = 0
    let length = 0
    let lengthAtBreak = 0
    for (; end < text.length; end++) {
      const advance = font.character(text.charCodeAt(end)).width
      if (length + advance > width && end > start && text[end] !== " ") {
        // A break that would leave most of the line empty is worth less than a whole line.
        const isGood = isBreak > start && lengthAtBreak * 2 >= width
        const cut = isGood ? isBreak : end
        lines.push(text.slice(start, cut).trimEnd())
        length -= isGood ? lengthAtBreak : length
        start = cut
      }
      length += advance
      if (breaksAfter.test(text[end]!)) {
        isBreak = end + 1
        lengthAtBreak = length
      }
    }
    const last = text.slice(start).trimEnd()
    return last === "" && lines.length > 0 ? lines : [...lines, last]
  }

  /** Breaks text into lines of at most `width` thousandths of the font size. */
  wrap(text: string, width: number, weight: Weight = 400): ReadonlyArray<string> {
    if (ascii.test(text)) return this.wrapPlain(text, width, weight)
    if (this.line(text, weight).width <= width) return [text]
    const lines: Array<string> = []
    let line = ""
    const add = (piece: string): void => {
      if (line === "" || this.line((line + piece).trimEnd(), weight).width <= width) {
        line += piece
        return
      }
      lines.push(line.trimEnd())
      line = piece
    }
    for (const piece of this.pieces(text)) {
      if (this.line(piece.trimEnd(), weight).width <= width) {
        add(piece)
        continue
      }
      // A word that is wider than a line goes on from where the line is.
      for (const letter of this.letters(piece)) {
        if (line !== "" && this.line(line + letter, weight).width > width) {
          lines.push(line)
          line = ""
        }
        line += letter
      }
    }
    if (line.trim() !== "") lines.push(line.trimEnd())
    return lines
  }

  private pieces(text: string): ReadonlyArray<string> {
    const pieces: Array<string> = []
    let piece = ""
    for (const letter of this.letters(text)) {
      if (piece !== "" && ideographic.test(letter)) {
        pieces.push(piece)
        piece = ""
      }
      piece += letter
      if (breaksAfter.test(letter) || ideographic.test(letter)) {
        pieces.push(piece)
        piece = ""
      }
    }
    return piece === "" ? pieces : [...pieces, piece]
  }

  /** Characters with the marks, joiners and selectors that belong to them. */
  private letters(text: string): ReadonlyArray<string> {
    const letters: Array<string> = []
    for (const character of text) {
      const last = letters.at(-1)
      const joins = isMark(character) || isInvisible(character.codePointAt(0)!) || last?.endsWith("\u200d") === true
      if (joins && last !== undefined) letters[letters.length - 1] = last + character
      else letters.push(character)
    }
    return letters
  }
}
