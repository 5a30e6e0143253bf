import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { currentTime, setClock } from "../../../../src/console/ground/design/Time.tsx"

const root = join(import.meta.dirname, "../../../..")

describe("the time that pages take for now", () => {
  it("is that of a clock which was moved, and goes on from there", () => {
    onTestFinished(() => setClock(undefined))
    const later = Date.now() + 400 * 86_400_000
    setClock(later)
    assert.isAtLeast(currentTime(), later)
    assert.isBelow(currentTime(), later + 3_600_000)
  })

  it("is this machine's own again where none was moved", () => {
    setClock(Date.now() + 400 * 86_400_000)
    setClock(undefined)
    assert.isAtMost(currentTime(), Date.now())
  })

  it("is read nowhere else, so that a page of a moved clock says one time throughout", () => {
    const found = globSync("src/console/**/*.{ts,tsx}", { cwd: root }).filter((path) =>
      !path.endsWith("design/Time.tsx") && /Date\.now\(|new Date\(\)/.test(readFileSync(join(root, path), "utf8"))
    )
    assert.deepStrictEqual(found, [])
  })
})
