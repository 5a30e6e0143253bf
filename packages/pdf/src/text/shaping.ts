import * as hb from "harfbuzzjs"
import { num } from "../file/pdfText.ts"
import type { DocumentFont } from "../fonts/DocumentFont.ts"
import { isMark } from "./characters.ts"
import type { Run } from "./runs.ts"

/** A run that is ready to be shown: operators for a text space in which the font size is 1. */
export interface ShapedRun {
  readonly show: string
  /** In thousandths of the font size. */
  readonly width: number
}

/** A glyph as the shaper placed it, in thousandths of the font size, and the text that is read where it stands. */
interface Placed {
  readonly glyph: number
  readonly advance: number
  readonly x: number
  readonly y: number
  text: string
  /** Text that no glyph is left for. It stands on an empty glyph behind this one. */
  rest: string
}

/** A mark that takes no room of its own. Those that do (general category Mc) are glyphs like letters. */
const isNonspacing = (character: string): boolean => isMark(character) && !/^\p{Mc}$/u.test(character)

/**
 * The characters of a text, of which a vowel that surrounds its letter is taken apart: it is two glyphs, so that each has one of its
 * own. A letter with a mark over it, as of Arabic, stays one: who searches for it writes it as one.
 */
const takenApart = (text: string, parted: boolean): ReadonlyArray<string> =>
  parted ? [...text.normalize("NFD")] : Array.from(text, (character) => {
    const parts = character.normalize("NFD")
    return Array.from(parts).some(isNonspacing) ? [character] : Array.from(parts)
  }).flat()

/**
 * Shares the text of a cluster among its glyphs, both in reading order. Every reader joins what the glyphs stand for,
 * so only the order counts. Marks go on glyphs that take no room, because pdf.js gives no room to a glyph that stands
 * for a mark, and then finds a gap where the next one begins.
 */
const shareText = (text: string, glyphs: ReadonlyArray<Placed>, parted: boolean): void => {
  const characters = glyphs.length > [...text].length ? takenApart(text, parted) : [...text]
  let next = 0
  let bearer: Placed | undefined
  const marks = (): string => {
    const first = next
    while (next < characters.length && isNonspacing(characters[next]!)) next += 1
    return characters.slice(first, next).join("")
  }
  for (const placed of glyphs) {
    const takesRoom = placed.advance !== 0
    // Marks that were joined into the glyph before.
    if (takesRoom && bearer !== undefined) bearer.rest += marks()
    if (next === characters.length) break
    if (takesRoom || (bearer !== undefined && isNonspacing(characters[next]!))) {
      placed.text = characters[next++]!
      bearer = placed
    }
  }
  bearer ??= glyphs[0]!
  // A ligature: its letters on the glyph itself, up to the first mark.
  const left = characters.slice(next)
  const mark = bearer.rest === "" ? left.findIndex(isNonspacing) : 0
  bearer.text += left.slice(0, mark === -1 ? left.length : mark).join("")
  bearer.rest += left.slice(mark === -1 ? left.length : mark).join("")
}

const buffer = new hb.Buffer()

/** Shapes a run with HarfBuzz; the glyphs come from left to right. */
const glyphsOf = ({ level, text }: Run, font: DocumentFont, parted: boolean): ReadonlyArray<Placed> => {
  buffer.reset()
  buffer.addText(text)
  buffer.guessSegmentProperties()
  buffer.setDirection(level % 2 === 0 ? hb.Direction.LTR : hb.Direction.RTL)
  hb.shape(font.shaper, buffer)
  const positions = buffer.getGlyphPositions()
  const infos = buffer.getGlyphInfos()
  const clusters = new Map<number, Array<Placed>>()
  const glyphs = infos.map(({ cluster, codepoint }, index): Placed => {
    const { xAdvance, xOffset, yOffset } = positions[index]!
    const placed = {
      glyph: codepoint,
      advance: font.units(xAdvance),
      x: font.units(xOffset),
      y: font.units(yOffset),
      text: "",
      rest: ""
    }
    const known = clusters.get(cluster)
    if (known === undefined) clusters.set(cluster, [placed])
    else known.push(placed)
    return placed
  })
  const starts = [...clusters.keys()].toSorted((one, other) => one - other)
  starts.forEach((start, index) => {
    const members = clusters.get(start)!
    shareText(text.slice(start, starts[index + 1]), level % 2 === 0 ? members : members.toReversed(), parted)
  })
  return glyphs
}

/** Shows a run whose characters are a glyph each. */
export const shapeSimple = (text: string, font: DocumentFont): ShapedRun => {
  let codes = ""
  let width = 0
  for (const character of text) {
    const shown = font.character(character.codePointAt(0)!)
    codes += shown.code
    width += shown.width
  }
  return { show: `(${codes})Tj`, width }
}

/** Shows a run that has to be shaped. */
export const shapeRun = (run: Run, font: DocumentFont, parted: boolean): ShapedRun => {
  // Glyphs with text come first and in one go, so that a reader that goes by places finds whole words. The dots and
  // strokes without text are then drawn over them, each in its place.
  let letters = ""
  let strokes = ""
  let pen = 0
  let width = 0
  let [rise, strokeRise] = [0, 0]
  const move = (by: number): string => num(by) === "0" ? "" : ` ${num(by)} `
  const raised = (y: number, before: number): string => y === before ? "" : `]TJ ${num(y / 1000)} Ts[`
  const rest = (texts: ReadonlyArray<string>): string =>
    texts.map((text) => {
      const empty = font.empty(text)
      return `(${empty.code})${move(empty.width)}`
    }).join("")
  for (const { advance, glyph, rest: left, text, x, y } of glyphsOf(run, font, parted)) {
    const shown = font.shown(glyph, text)
    if (text !== "" || advance !== 0) {
      letters += `${raised(y, rise)}${move(-x)}`
      rise = y
      // From right to left, what follows is drawn first, because readers reverse the whole run.
      const after = shown.width + x - advance
      letters += run.level % 2 === 0
        ? `(${shown.code})${move(after)}${rest([left].filter(Boolean))}`
        : `${rest([...left].toReversed())}(${shown.code})${move(after)}`
    } else {
      strokes += `${raised(y, strokeRise)}${move(pen - width - x)}(${shown.code})`
      strokeRise = y
      pen = width + x + shown.width
    }
    width += advance
  }
  const back = rise === 0 ? "" : " 0 Ts"
  const over = strokes === ""
    ? ""
    : `[${num(width)}]TJ[${strokes}${num(pen - width)}]TJ${strokeRise === 0 ? "" : " 0 Ts"}`
  return { show: `[${letters}]TJ${back}${over}`, width }
}
