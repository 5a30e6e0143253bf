import bidiFactory from "bidi-js"
import type { FontSet } from "../fonts/FontSet.ts"
import type { Slice } from "../fonts/fontSlice.ts"
import { isEmojiSequence, isInvisible, isMark, isSimple, rightToLeft, signsOf } from "./characters.ts"

/** Characters in a row that one font sets in one direction. */
export interface Run {
  readonly text: string
  readonly slice: Slice
  /** The embedding level (UAX 9): odd from right to left. */
  readonly level: number
  /** Whether every character is its own glyph at its own width. */
  readonly simple: boolean
}

// The package is CommonJS whose export is the factory itself; its types describe a default export.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

/** Cuts a line into runs, in the order in which it is read. */
export const runsOf = (text: string, fonts: FontSet): ReadonlyArray<Run> => {
  const levels = rightToLeft.test(text) ? bidi.getEmbeddingLevels(text).levels : undefined
  const runs: Array<{ text: string; slice: Slice; level: number; simple: boolean }> = []
  let at = 0

  const add = (character: string, level: number): void => {
    const codePoint = character.codePointAt(0)!
    const last = runs.at(-1)
    if (isInvisible(codePoint)) {
      if (last !== undefined && !last.simple) last.text += character
      return
    }
    // Marks stay with their base. Spaces and signs between right-to-left words stay with the words, so that a reader
    // that goes by places finds all of it in one run, and reverses it as one.
    const isBound = isMark(character) || (level % 2 === 1 && last?.level === level)
    const stays = last !== undefined && isBound && last.slice.probe.nominalGlyph(codePoint) !== undefined
    const slice = stays ? last.slice : fonts.sliceOf(codePoint)
    if (slice === undefined) {
      // What no font has is named, so that nothing is lost.
      const name = `[U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}]`
      runs.push({ text: name, slice: fonts.sliceOf(0x20)!, level, simple: true })
      return
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

  for (const sign of signsOf(text)) {
    const emoji = isEmojiSequence(sign) ? fonts.sliceOfSequence(sign) : undefined
    if (emoji !== undefined) {
      runs.push({ text: sign, slice: emoji, level: levels?.[at] ?? 0, simple: false })
      at += sign.length
      continue
    }
    for (const character of sign) {
      add(character, levels?.[at] ?? 0)
      at += character.length
    }
  }
  return runs
}

/** Runs as they stand from left to right (UAX 9, rule L2). */
export const visualOrder = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const visual = [...runs]
  const highest = runs.reduce((most, { level }) => Math.max(most, level), 0)
  for (let level = highest; level >= 1; level--) {
    for (let start = 0; start < visual.length; start++) {
      if (visual[start]!.level < level) continue
      let end = start
      while (end < visual.length && visual[end]!.level >= level) end += 1
      for (const [index, run] of visual.slice(start, end).entries()) visual[end - 1 - index] = run
      start = end
    }
  }
  return visual
}
