import { convertIndexedToRgb, decode } from "fast-png"
import type { PdfFile } from "./PdfFile.ts"

/** An image of the file, to be shown as the XObject of this number. */
export interface PdfImage {
  readonly number: number
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** Every `channels`th run of `count` bytes, from the first byte `at` of a pixel on. */
const channelsOf = (data: Uint8Array, channels: number, at: number, count: number): Uint8Array => {
  const pixels = data.length / channels
  const picked = new Uint8Array(pixels * count)
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < count; channel++) {
      picked[pixel * count + channel] = data[pixel * channels + at + channel]!
    }
  }
  return picked
}

/**
 * Puts a PNG (ISO/IEC 15948) into the file as an image of 8 bits a channel, grey or RGB; where it is transparent, with a
 * soft mask (ISO 32000-1 section 8.9.5 and 11.6.5.3). Color profiles are left out. Throws for what is no PNG.
 */
export const putPng = (file: PdfFile, png: Uint8Array): PdfImage => {
  const image = decode(png)
  const { height, width } = image
  const data = image.palette === undefined
    ? image.depth === 16 ? Uint8Array.from(image.data, (value) => value >> 8) : Uint8Array.from(image.data)
    : Uint8Array.from(convertIndexedToRgb(image))
  const channels = data.length / (width * height)
  const colors = channels <= 2 ? 1 : 3
  const entries = (space: string) =>
    `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/Device${space}`
  const mask = channels === colors
    ? ""
    : `/SMask ${file.stream(entries("Gray"), channelsOf(data, channels, colors, 1))} 0 R`
  const number = file.stream(
    `${entries(colors === 1 ? "Gray" : "RGB")}${mask}`,
    mask === "" ? data : channelsOf(data, channels, 0, colors)
  )
  return { number, width, height }
}
