/**
 * The script of the page for machines without a network, and the only one of the portal: it reads the QR code in a photo of the request
 * into the field above it. The photo stays in the browser. Without the script the field of the photo stays hidden, and the others work.
 */
import { decodeQR } from "qr/decode.js"

/** The longer sides at which a photo is looked at, in pixels: codes fill a photo or are small in it. */
const sides = [1600, 1000, 600]

/** How long each look may take, in milliseconds. */
const patience = 3000

/** The pixels of a photo, no larger than `side`. */
const pixelsOf = (photo: ImageBitmap, side: number): ImageData | undefined => {
  const scale = Math.min(1, side / Math.max(photo.width, photo.height))
  const [width, height] = [Math.max(1, Math.round(photo.width * scale)), Math.max(1, Math.round(photo.height * scale))]
  const canvas = document.createElement("canvas")
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context?.drawImage(photo, 0, 0, width, height)
  return context?.getImageData(0, 0, width, height)
}

/** The text of the QR code in a photo; undefined where none is found, or where the file is no picture. */
const textIn = async (file: Blob): Promise<string | undefined> => {
  const photo = await createImageBitmap(file)
  for (const side of sides) {
    const pixels = pixelsOf(photo, side)
    try {
      if (pixels !== undefined) return decodeQR(pixels, { timeLimit: patience })
    } catch {
      // No code at this size.
    }
  }
  return undefined
}

const place = document.getElementById("photo")
const input = document.getElementById("request-photo")
const told = document.getElementById("photo-told")
const request = document.getElementById("request")

if (place !== null && input instanceof HTMLInputElement && told !== null && request instanceof HTMLTextAreaElement) {
  place.hidden = false
  input.addEventListener("change", async () => {
    const [file] = input.files ?? []
    if (file === undefined) return
    told.textContent = told.dataset["reading"] ?? ""
    const text = await textIn(file).catch(() => undefined)
    if (text !== undefined) request.value = text
    told.textContent = (text === undefined ? told.dataset["failed"] : told.dataset["read"]) ?? ""
  })
}
