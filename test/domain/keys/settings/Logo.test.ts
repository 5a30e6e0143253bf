import { assert, describe, it } from "@effect/vitest"
import { logoHead } from "../../../../src/domain/keys/settings/ServiceSettings.ts"

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"))

const zeros = "00".repeat(16)

describe("an image", () => {
  it.each<[string, string, object | undefined]>([
    [
      "PNG",
      `89504e470d0a1a0a 0000000d 49484452 00000040 00000020 0802000000 00000000 ${zeros}`,
      { type: "image/png", width: 64, height: 32 }
    ],
    [
      "JPEG behind another segment",
      `ffd8 ffe0 0004 4a46 ffc0 0011 08 0020 0040 03 ${zeros}`,
      { type: "image/jpeg", width: 64, height: 32 }
    ],
    [
      "JPEG whose segment leads out of it",
      `ffd8 ffe0 ffff ${zeros}`,
      undefined
    ],
    [
      "WebP, lossy",
      `52494646 1a000000 57454250 56503820 0e000000 300100 9d012a 4000 2000 ${zeros}`,
      { type: "image/webp", width: 64, height: 32 }
    ],
    [
      "WebP, lossless",
      `52494646 1a000000 57454250 5650384c 0d000000 2f 3fc00700 ${zeros}`,
      { type: "image/webp", width: 64, height: 32 }
    ],
    [
      "WebP, extended",
      `52494646 1a000000 57454250 56503858 0a000000 00000000 3f0000 1f0000 ${zeros}`,
      { type: "image/webp", width: 64, height: 32 }
    ],
    ["GIF", `474946383961 4000 2000 ${zeros}${zeros}`, undefined],
    ["text", Buffer.from("<svg onload=alert(1)></svg>").toString("hex"), undefined],
    ["nothing", "", undefined]
  ])("that is %s is known by its bytes", (_title, hex, head) => {
    assert.deepStrictEqual(logoHead(bytes(hex)), head)
  })
})
