import { useEffect, useState } from "preact/hooks"

/** The empty modules around a code, which readers need (ISO/IEC 18004). */
const quietZone = 4

/** A code as a drawing: its width in modules, and the path of those that are dark. */
interface Drawing {
  readonly size: number
  readonly path: string
}

const draw = async (text: string): Promise<Drawing> => {
  // Few people want one: it is loaded with the first.
  const { generate } = await import("lean-qr")
  const code = generate(text)
  const at = Array.from({ length: code.size }, (_, index) => index)
  const path = at.flatMap((y) => at.flatMap((x) => code.get(x, y) ? [`M${x} ${y}h1v1h-1z`] : [])).join("")
  return { size: code.size, path }
}

/** A QR code of a text. It is dark on light in both color schemes, as readers expect. */
export const QrCode = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const [drawing, setDrawing] = useState<Drawing | "failed">()
  useEffect(() => {
    draw(text).then(setDrawing, () => setDrawing("failed"))
  }, [text])
  if (drawing === "failed") return <p class="wrong">The QR code could not be loaded. Copy the key instead.</p>
  if (drawing === undefined) return <p class="quiet" role="status">Drawing…</p>
  const width = drawing.size + 2 * quietZone
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`${-quietZone} ${-quietZone} ${width} ${width}`}
      shape-rendering="crispEdges"
    >
      <rect x={-quietZone} y={-quietZone} width={width} height={width} fill="#fff" />
      <path d={drawing.path} fill="#000" />
    </svg>
  )
}
