import { assert, describe, it } from "@effect/vitest"
import { unusable } from "../../../src/runtime/postgres/DataDirectory.ts"

describe("a data directory that cannot be used", () => {
  it.each([
    ["ENOSPC", /The disk is full: make room/],
    ["EROFS", /mounted read-only/],
    ["EACCES", /a directory that this user can write to/]
  ])("says what to do about %s", (code, says) => {
    const { message } = unusable("/data", Object.assign(new Error(`${code}: it failed`), { code }))
    assert.match(message, says)
    assert.include(message, "/data")
  })
})
