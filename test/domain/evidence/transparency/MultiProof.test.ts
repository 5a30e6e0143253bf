import { assert, describe, it } from "@effect/vitest"
import { multiProofRanges, multiProofRoot } from "../../../../src/domain/evidence/transparency/MultiProof.ts"
import { naiveRoot, sha256 } from "../../../fixtures/NaiveTree.ts"

const leavesOf = (size: number) => Array.from({ length: size }, (_, index) => sha256(`leaf ${index}`))

const rootFrom = (indexes: ReadonlyArray<number>, size: number, change: "leaf" | "hash" | "more" | "none" = "none") => {
  const leaves = leavesOf(size)
  const hashes = multiProofRanges({ indexes, size }).map(([from, to]) => naiveRoot(leaves.slice(from, to)))
  const leafHashes = indexes.map((index) => leaves[index]!)
  if (change === "leaf") leafHashes[0] = sha256("another")
  if (change === "hash") hashes[0] = sha256("another")
  if (change === "more") hashes.push(sha256("another"))
  return multiProofRoot({ indexes, size, leafHashes, hashes }, sha256)
}

describe("a proof for many leaves", () => {
  it("leads to the root of the tree from any leaves, and from none", () => {
    for (const size of [1, 2, 3, 5, 8, 13, 33]) {
      const root = naiveRoot(leavesOf(size))
      for (let bits = 0; bits < Math.min(2 ** size, 256); bits++) {
        // Also leaves at the end of the larger trees.
        const indexes = Array.from({ length: Math.min(size, 8) }, (_, bit) => bit)
          .filter((bit) => (bits >> bit) % 2 === 1).map((bit) => bit % 2 === 0 ? bit : size - 1 - bit)
          .filter((index) => index >= 0)
        const distinct = [...new Set(indexes)].toSorted((a, b) => a - b)
        assert.deepStrictEqual(rootFrom(distinct, size), root, `${size}: ${distinct.join()}`)
      }
    }
  })

  it("has each hash once: a hundred leaves in a row of a million take as many as one and a few", () => {
    const indexes = Array.from({ length: 100 }, (_, index) => 500_000 + index)
    assert.isBelow(multiProofRanges({ indexes, size: 1_000_000 }).length, 40)
  })

  it("leads to another root, or none, once a leaf, a hash or a place is another", () => {
    const root = naiveRoot(leavesOf(13))
    for (const change of ["leaf", "hash", "more"] as const) {
      assert.notDeepEqual(rootFrom([2, 7, 12], 13, change), root, change)
    }
    const leafHashes = [2, 7].map((index) => leavesOf(13)[index]!)
    const hashes = multiProofRanges({ indexes: [2, 7], size: 13 }).map(([from, to]) =>
      naiveRoot(leavesOf(13).slice(from, to))
    )
    for (const indexes of [[7, 2], [2, 2], [2, 6], [2, 13], [-1, 7], [2.5, 7]]) {
      assert.notDeepEqual(multiProofRoot({ indexes, size: 13, leafHashes, hashes }, sha256), root, indexes.join())
    }
    assert.throws(() => multiProofRanges({ indexes: [3, 3], size: 13 }), RangeError)
  })
})
