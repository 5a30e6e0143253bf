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

/** The relative luminance of a colour such as `#17181c` (WCAG 2.2, "relative luminance"). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two tokens as they are now, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export const contrastOf = (text: string, ground: string): number => {
  const style = getComputedStyle(document.documentElement)
  const [a, b] = [text, ground].map((name) => luminanceOf(style.getPropertyValue(name).trim())) as [number, number]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}
