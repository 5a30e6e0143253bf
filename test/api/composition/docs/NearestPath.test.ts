// The path that a wrong one is nearest to, beside an oracle that measures the distance of every operation's path to its end.
import { assert, describe, it } from "@effect/vitest"
import { braces, nearestPath, operations } from "../../../../src/api/composition/docs/Operations.ts"
import { distance } from "../../../../src/domain/ground/parsing/Nearest.ts"
import { chance } from "../../../fixtures/Seeded.ts"

const farOf = (path: string, declared: string): number => {
  const sent = path.split("/")
  const parts = declared.split("/")
  return parts.reduce(
    (far, part, at) => far + (at >= sent.length || part.startsWith(":") ? 0 : distance(sent[at]!, part)),
    Math.abs(sent.length - parts.length) * 4
  )
}

const nearestOfAll = (path: string): string | undefined => {
  const sent = path.startsWith("/api/v1/") ? [path] : [path, `/api/v1${path}`]
  const [best] = sent.flatMap((reading) =>
    operations.map((operation) => ({ path: operation.path, far: farOf(reading, operation.path) }))
  ).toSorted((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.min(6, path.length / 2) ? braces(best.path) : undefined
}

describe("the nearest path of an operation", () => {
  it("is that of the least distance, the first of several, and none that is far", () => {
    const { upTo } = chance("nearest path")
    const index = (size: number) => Math.floor(upTo(size))
    let near = 0
    for (const { path } of operations) {
      let sent = path.replaceAll(/:\w+/g, "x1").replace(upTo(4) < 1 ? "/api/v1" : "", "")
      for (let changes = index(7); changes > 0; changes--) {
        const at = 1 + index(sent.length - 1)
        sent = sent.slice(0, at) + (upTo(2) < 1 ? "abcdefghijklmnopqrstuvwxyz-/"[index(28)]! : "") +
          sent.slice(at + index(2))
      }
      // Beginnings that are left out in part have a reading of their own.
      if (/^\/(api|v1)\//.test(sent) && !sent.startsWith("/api/v1/")) continue
      const found = nearestPath(sent)
      assert.strictEqual(found, nearestOfAll(sent), sent)
      if (found !== undefined) near += 1
    }
    assert.isAbove(near, operations.length / 3)
    for (const far of ["/", "/nope", "/favicon.ico", "/wp-login.php"]) assert.isUndefined(nearestPath(far), far)
  })
})
