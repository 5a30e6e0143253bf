import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { encode } from "fast-png"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readLogo } from "../../../src/runtime/config/Config.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"

const png = (width: number, height: number): Buffer =>
  Buffer.from(encode({ width, height, channels: 3, depth: 8, data: new Uint8Array(width * height * 3) }))

/** A whole PNG whose header says something else. */
const saying = (at: number, value: number): Buffer => {
  const bytes = png(8, 8)
  bytes[at] = value
  return bytes
}

describe("the vendor's logo", () => {
  it.effect("is taken as it is", () =>
    Effect.gen(function*() {
      const path = join(temporaryDirectory(), "logo.png")
      writeFileSync(path, png(200, 60))
      assert.deepStrictEqual(yield* readLogo(path), Result.succeed(png(200, 60).toString("base64")))
    }))

  it.effect.each(
    [
      ["a text", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "must name a PNG"],
      ["nothing", Buffer.alloc(0), "must name a PNG"],
      ["too wide", png(2_001, 1), "must name an image of at most 2000 pixels either way, not 2001 by 1"],
      ["too large a file", Buffer.concat([png(8, 8), Buffer.alloc(70_000)]), "must name a file of at most 65536 bytes"],
      ["4 bits a channel", saying(24, 4), "must name a PNG with 8 bits a channel or a palette"],
      ["cut off", png(200, 60).subarray(0, 60), "must name a PNG that is whole"],
      ["damaged", saying(45, 0xff), "must name a PNG that is whole"]
    ] as const
  )("is refused with the reason where it is %s", ([, bytes, reason]) =>
    Effect.gen(function*() {
      const path = join(temporaryDirectory(), "logo.png")
      writeFileSync(path, bytes)
      const read = yield* readLogo(path)
      assert.include(Result.isFailure(read) ? read.failure : "taken", reason)
    }))
})
