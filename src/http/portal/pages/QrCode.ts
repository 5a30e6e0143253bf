import { correction, generate } from "lean-qr"
import { escape } from "../../ground/pages/Layout.ts"

/** The empty modules around a code, which readers need (ISO/IEC 18004). */
const quietZone = 4

/**
 * The longest text of a code in bytes, which is what version 32 holds with the least correction. A larger one has modules below two
 * pixels on a phone, and cameras do not read it from another screen.
 */
const mostBytes = 1952

/** The dark modules of a row, run by run. */
const rowOf = (isDark: (x: number) => boolean, size: number, y: number): string => {
  let path = ""
  for (let x = 0; x < size; x++) {
    const start = x
    while (x < size && isDark(x)) x++
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`
  }
  return path
}

/**
 * A QR code of a text, as SVG that needs no script: dark on light in both color schemes, as readers expect. Undefined where the text is
 * too long for one that cameras read.
 */
export const qrCode = (text: string, label: string): string | undefined => {
  if (new TextEncoder().encode(text).length > mostBytes) return undefined
  const code = generate(text, { minCorrectionLevel: correction.L })
  const width = code.size + 2 * quietZone
  const path = Array.from({ length: code.size }, (_, y) => rowOf((x) => code.get(x, y), code.size, y)).join("")
  return `<svg class="qr" role="img" aria-label="${
    escape(label)
  }" viewBox="${-quietZone} ${-quietZone} ${width} ${width}"
 shape-rendering="crispEdges"><rect x="${-quietZone}" y="${-quietZone}" width="${width}" height="${width}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
