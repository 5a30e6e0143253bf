/** The relative luminance of a color such as `#17181c` (WCAG 2.2, "relative luminance"). */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export const contrastBetween = (first: string, second: string): number => {
  const [a, b] = [luminanceOf(first), luminanceOf(second)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Black or white, whichever is more legible on a color: the better one of the two always has more than 4.5. */
export const inkOn = (color: string): string =>
  contrastBetween("#ffffff", color) >= contrastBetween("#000000", color) ? "#ffffff" : "#000000"

/** Whether a text is a color as the service takes it. */
export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text)
