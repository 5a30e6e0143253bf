import { Hex } from "effect/encoding"

/** The most bytes of a logo, and the most pixels of a side. */
export const longestLogo = 32 * 1024
export const widestLogo = 1024

/** The formats of a logo. None of them has scripts or links, as SVG has. */
type LogoType = "image/png" | "image/jpeg" | "image/webp"

/** An image by its first bytes: its format and its size in pixels. */
export interface LogoHead {
  readonly type: LogoType
  readonly width: number
  readonly height: number
}

const latin1 = new TextDecoder("latin1")

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  latin1.decode(bytes.subarray(from, from + length))

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Bytes that a PNG has at least: its signature and its header. */
const shortestPng = 33

const pngHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes.length < shortestPng || !pngSignature.every((byte, at) => bytes[at] === byte)) return undefined
  if (ascii(bytes, 12, 4) !== "IHDR") return undefined
  const view = viewOf(bytes)
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) }
}

/** The markers of a JPEG that begin a frame, which has its size: all SOF but DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpegHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const view = viewOf(bytes)
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (isFrame(marker)) return { type: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const threeBytes = (bytes: Uint8Array, at: number): number => bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16

/** Bytes that a WebP has at least: the header of its container and that of its first chunk. */
const shortestWebp = 30

const webpHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes.length < shortestWebp || ascii(bytes, 0, 4) !== "RIFF" || ascii(bytes, 8, 4) !== "WEBP") return undefined
  const view = viewOf(bytes)
  const sized = (width: number, height: number): LogoHead => ({ type: "image/webp", width, height })
  switch (ascii(bytes, 12, 4)) {
    case "VP8X":
      return sized(threeBytes(bytes, 24) + 1, threeBytes(bytes, 27) + 1)
    case "VP8L": {
      const packed = view.getUint32(21, true)
      return sized((packed & 0x3fff) + 1, (packed >>> 14 & 0x3fff) + 1)
    }
    case "VP8 ":
      return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
    default:
      return undefined
  }
}

/** The format and size of an image, by its bytes and not by what it is called; undefined where it is none of the formats of a logo. */
export const logoHead = (bytes: Uint8Array): LogoHead | undefined =>
  pngHead(bytes) ?? jpegHead(bytes) ?? webpHead(bytes)

/** The reason why bytes are no logo, in words that complete a sentence about them; undefined where they are one. */
export const logoProblem = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > longestLogo) return `must be at most ${longestLogo / 1024} KiB`
  const head = logoHead(bytes)
  if (head === undefined) return "must be a PNG, a JPEG or a WebP"
  const { height, width } = head
  return width < 1 || height < 1 || width > widestLogo || height > widestLogo
    ? `must be at most ${widestLogo} pixels wide and high`
    : undefined
}

/** How much of the digest of a logo stands in its path, in hexadecimal digits. */
const versionDigits = 16

/** Where the logo is served. */
export const logoPath = "/brand/logo"

/** The version of a logo, by its content. */
export const logoVersion = (digest: Uint8Array): string => Hex.encode(digest).slice(0, versionDigits)

/** The path of a logo, which changes with it. */
export const pathOfLogo = (digest: Uint8Array): string => `${logoPath}?v=${logoVersion(digest)}`
