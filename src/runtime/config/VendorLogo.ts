import { Effect, Result } from "effect"
import * as Fs from "node:fs"
import { table } from "./ConfigTable.ts"
import type { SettingReading } from "./SettingReading.ts"

/** The largest file of a logo, in bytes: every document that is frozen has a copy. */
const maximumBytes = 64 * 1024

/** The longest side of a logo, in pixels. */
const maximumSide = 2_000

/** The first bytes of every PNG, up to the width in its header (ISO/IEC 15948 section 5.2 and 11.2.1). */
const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52)

/**
 * The reason why the file cannot be printed as a logo, before a pixel of it is decoded; `undefined` if it may be one.
 */
const findingOf = (bytes: Buffer): string | undefined => {
  if (bytes.length > maximumBytes) return `must name a file of at most ${maximumBytes} bytes, not ${bytes.length}`
  if (bytes.length < 33 || !signature.every((byte, at) => bytes[at] === byte)) return "must name a PNG"
  const [width, height, depth, color] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[24]!, bytes[25]]
  if (width === 0 || height === 0 || width > maximumSide || height > maximumSide) {
    return `must name an image of at most ${maximumSide} pixels either way, not ${width} by ${height}`
  }
  // Colour type 3 is a palette.
  return depth < 8 && color !== 3 ? "must name a PNG with 8 bits a channel or a palette" : undefined
}

/** Reads the vendor's logo; answers it in base64, or what is wrong with the file. */
export const readLogo = Effect.fnUntraced(function*(path: string) {
  const file = Result.try({ try: () => Fs.readFileSync(path), catch: (cause) => (cause as Error).message })
  if (Result.isFailure(file)) return Result.fail(`must name a file that can be read: ${file.failure}`)
  const finding = findingOf(file.success)
  if (finding !== undefined) return Result.fail(finding)
  // Loaded only if there is a logo.
  const { convertIndexedToRgb, decode } = yield* Effect.promise(() => import("fast-png"))
  const read = () => {
    const image = decode(file.success, { checkCrc: true })
    if (image.palette !== undefined) convertIndexedToRgb(image)
  }
  const image = Result.try({ try: read, catch: (cause) => (cause as Error).message })
  return Result.isFailure(image)
    ? Result.fail(`must name a PNG that is whole: ${image.failure}`)
    : Result.succeed(file.success.toString("base64"))
})

/** The vendor's logo; undefined without one, or if it cannot be used, which is reported. */
export const logoOf = Effect.fnUntraced(function*({ report }: SettingReading, path: string | undefined) {
  if (path === undefined) return undefined
  const logo = yield* readLogo(path)
  if (Result.isFailure(logo)) report(table.vendorLogo, logo.failure)
  return Result.getOrUndefined(logo)
})
