import { assert, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"

it("every migration stands in src/runtime/postgres/migrations/index.ts, in order", () => {
  const folder = join(import.meta.dirname, "../../../src/runtime/postgres/migrations")
  const files = readdirSync(folder).filter((name) => name !== "index.ts").map((name) => basename(name, ".ts"))
  assert.deepStrictEqual(Object.keys(migrations), files.toSorted(), "add it to migrations/index.ts")
  const numbers = files.map((name) => Number(name.slice(0, 4)))
  assert.deepStrictEqual(
    numbers.toSorted((a, b) => a - b),
    files.map((_, index) => index + 1),
    "numbers follow each other"
  )
})
