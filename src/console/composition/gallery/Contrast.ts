import { contrastBetween } from "../../ground/brand/Luminance.ts"

/** The text colors, each with its background. */
export const pairs: ReadonlyArray<readonly [text: string, ground: string]> = [
  ["--text", "--ground"],
  ["--text", "--surface"],
  ["--text", "--sunken"],
  ["--quiet", "--ground"],
  ["--quiet", "--surface"],
  ["--quiet", "--sunken"],
  ["--quiet", "--hover"],
  ["--faint", "--ground"],
  ["--faint", "--surface"],
  ["--accent", "--surface"],
  ["--accent", "--ground"],
  ["--accent", "--accent-ground"],
  ["--text", "--accent-ground"],
  ["--on-accent", "--accent"],
  ["--on-accent", "--accent-hover"],
  ["--good", "--good-ground"],
  ["--text", "--good-ground"],
  ["--warn", "--warn-ground"],
  ["--text", "--warn-ground"],
  ["--bad", "--bad-ground"],
  ["--bad", "--surface"],
  ["--text", "--bad-ground"],
  ["--on-bad", "--bad"],
  ["--on-test", "--test"]
]

/** The contrast of two tokens as they are now, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export const contrastOf = (text: string, ground: string): number => {
  const style = getComputedStyle(document.documentElement)
  return contrastBetween(style.getPropertyValue(text).trim(), style.getPropertyValue(ground).trim())
}
