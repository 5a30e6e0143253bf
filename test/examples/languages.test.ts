import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../fixtures/Program.ts"
import { judgeIn, languages } from "../fixtures/VerifyPrograms.ts"
import { vectors as deliveries } from "../vectors/makeDeliveries.ts"
import { vectors as envelopes } from "../vectors/makeEnvelopes.ts"
import { vectors as offline } from "../vectors/makeOffline.ts"

// Each language once, on the first genuine case and the first forged one of each kind. test/world/languages has them
// judge all published vectors, and changed ones.
const directory = temporaryDirectory()

interface Case {
  readonly name: string
  readonly expected: string
}

const firstOfEach = (cases: ReadonlyArray<Case>): ReadonlyArray<Case> => [
  cases.find(({ expected }) => expected === "verified") ?? assert.fail("no genuine case"),
  cases.find(({ expected }) => expected !== "verified") ?? assert.fail("no forged case")
]

const files = Object.entries({ envelopes, offline, deliveries }).map(([name, vectors]) => {
  const cases = firstOfEach(vectors.cases)
  const path = join(directory, `${name}.json`)
  writeFileSync(path, JSON.stringify({ ...vectors, cases }))
  return { path, cases }
})

describe("the program that verifies", () => {
  for (const language of languages) {
    const unless = language.isHere ? "" : ` (left out: this machine lacks what it needs: ${language.row[0]})`
    it.skipIf(!language.isHere)(`tells genuine from forged in ${language.name}${unless}`, async () => {
      const judge = await judgeIn(language)
      for (const { cases, path } of files) {
        const { code, lines, stderr } = await judge(path)
        assert.strictEqual(stderr, "")
        assert.deepStrictEqual(lines, cases.map(({ expected, name }) => [expected, name] as const))
        assert.strictEqual(code, 0)
      }
    })
  }
})
