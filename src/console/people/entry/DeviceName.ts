const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg\w*\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"]
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/CrOS/, "ChromeOS"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux/, "Linux"]
]

const first = (of: ReadonlyArray<readonly [RegExp, string]>, text: string): string | undefined =>
  of.find(([pattern]) => pattern.test(text))?.[1]

/** A browser and its system in words, from what the browser calls itself: "Firefox on Windows". */
export const deviceName = (userAgent: string | undefined): string => {
  const browser = first(browsers, userAgent ?? "")
  const system = first(systems, userAgent ?? "")
  return browser === undefined
    ? system ?? "Unknown browser"
    : system === undefined
    ? browser
    : `${browser} on ${system}`
}
