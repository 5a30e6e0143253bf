import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  edgeOf,
  edgePositions,
  edgeRoot,
  grow,
  hashesOfRanges,
  positionsOf
} from "../../../../src/domain/evidence/transparency/MerkleTiles.ts"
import type { Tile, TilePosition } from "../../../../src/domain/evidence/transparency/MerkleTiles.ts"
import {
  consistencyRanges,
  Frontier,
  inclusionRanges,
  verifyConsistency,
  verifyInclusion
} from "../../../../src/domain/evidence/transparency/MerkleTree.ts"
import { naivePath, naiveProof, naiveRoot, sha256 } from "../../../fixtures/NaiveTree.ts"

const vectors = JSON.parse(readFileSync(join(import.meta.dirname, "../../../vectors/merkle.json"), "utf8")) as {
  readonly leaves_hex: ReadonlyArray<string>
  readonly empty_root: string
  readonly roots: ReadonlyArray<string>
  readonly inclusion: ReadonlyArray<{ index: number; size: number; hashes: ReadonlyArray<string> }>
  readonly consistency: ReadonlyArray<{ first: number; second: number; hashes: ReadonlyArray<string> }>
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))
const leafOf = (bytes: Uint8Array) => sha256(Uint8Array.of(0), bytes)

/** Leaves whose hashes nobody could guess from their numbers. */
const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leafOf(sha256(`leaf ${index}`)))

/** A tree kept in tiles as the database keeps them, grown in the batches given. */
const store = (leaves: ReadonlyArray<Uint8Array>, batches: ReadonlyArray<number>) => {
  const kept = new Map<string, Tile>()
  const at = (positions: ReadonlyArray<TilePosition>) =>
    positions.flatMap(({ index, level }) => kept.get(`${level}/${index}`) ?? [])
  let size = 0
  for (const count of batches) {
    const { tiles } = grow(edgeOf(size, at(edgePositions(size))), size, leaves.slice(size, size + count), sha256)
    for (const tile of tiles) kept.set(`${tile.level}/${tile.index}`, tile)
    size += count
  }
  return {
    kept,
    root: (size: number) => edgeRoot(edgeOf(size, at(edgePositions(size))), sha256),
    hashes: (ranges: ReadonlyArray<readonly [number, number]>) =>
      hashesOfRanges(ranges, at(positionsOf(ranges)), sha256)
  }
}

describe("the published vectors", () => {
  const leaves = vectors.leaves_hex.map((text) => leafOf(unhex(text)))
  const tree = store(leaves, [8])

  it("roots, of the frontier and of the tiles", () => {
    const frontier = new Frontier(sha256)
    assert.strictEqual(hex(frontier.root()), vectors.empty_root)
    leaves.forEach((leaf, index) => {
      frontier.append(leaf)
      assert.strictEqual(hex(frontier.root()), vectors.roots[index])
      assert.strictEqual(hex(tree.hashes([[0, index + 1]])[0]!), vectors.roots[index])
    })
    assert.strictEqual(frontier.size, 8)
  })

  it.each(vectors.inclusion)("inclusion of leaf $index in $size", ({ hashes, index, size }) => {
    const made = tree.hashes(inclusionRanges(index, size))
    assert.deepStrictEqual(made.map(hex), [...hashes])
    const root = unhex(vectors.roots[size - 1]!)
    assert.isTrue(verifyInclusion({ leafHash: leaves[index]!, index, size, root, hashes: made }, sha256))
  })

  it.each(vectors.consistency)("consistency of $first with $second", ({ first, hashes, second }) => {
    const made = tree.hashes(consistencyRanges(first, second))
    assert.deepStrictEqual(made.map(hex), [...hashes])
    const [firstRoot, secondRoot] = [unhex(vectors.roots[first - 1]!), unhex(vectors.roots[second - 1]!)]
    assert.isTrue(verifyConsistency({ first, firstRoot, second, secondRoot, hashes: made }, sha256))
  })
})

describe("against RFC 6962 word for word", () => {
  it("every inclusion and consistency proof of every tree up to 70 leaves", () => {
    const leaves = leavesOf(70)
    const tree = store(leaves, [70])
    const roots = leaves.map((_, index) => naiveRoot(leaves.slice(0, index + 1)))
    for (let size = 1; size <= leaves.length; size++) {
      const part = leaves.slice(0, size)
      const root = roots[size - 1]!
      assert.strictEqual(hex(tree.hashes([[0, size]])[0]!), hex(root))
      for (let index = 0; index < size; index++) {
        const hashes = tree.hashes(inclusionRanges(index, size))
        assert.deepStrictEqual(hashes.map(hex), naivePath(index, part).map(hex))
        assert.isTrue(verifyInclusion({ leafHash: leaves[index]!, index, size, root, hashes }, sha256))
      }
      for (let first = 1; first <= size; first++) {
        const hashes = tree.hashes(consistencyRanges(first, size))
        assert.deepStrictEqual(hashes.map(hex), naiveProof(first, part).map(hex))
        const firstRoot = roots[first - 1]!
        assert.isTrue(verifyConsistency({ first, firstRoot, second: size, secondRoot: root, hashes }, sha256))
      }
    }
  })

  it("whatever the batches in which a tree grew, with its edge read back before each", () => {
    const leaves = leavesOf(5000)
    const sizes = [1, 16, 17, 255, 256, 257, 4095, 4096, 4097, 4999]
    const expected = sizes.map((size) => hex(naiveRoot(leaves.slice(0, size))))
    const roots = new Set<string>()
    for (const batches of [[5000], [1, 15, 16, 17, 255, 256, 4440], Array.from({ length: 50 }, () => 100)]) {
      const tree = store(leaves, batches)
      roots.add(hex(tree.root(5000)))
      // Old sizes can still be proven after their tiles have grown.
      assert.deepStrictEqual(sizes.map((size) => hex(tree.hashes([[0, size]])[0]!)), expected)
      assert.isBelow(tree.kept.size, 5000 / 15 + 4)
    }
    assert.deepStrictEqual([...roots], [hex(naiveRoot(leaves))])
  })

  it("writes as many tiles as the batch needs, whatever the size of the tree", () => {
    const leaves = leavesOf(4096)
    const { edge } = grow([], 0, leaves, sha256)
    assert.strictEqual(grow(edge, 4096, leaves.slice(0, 1), sha256).tiles.length, 1)
    assert.strictEqual(grow(edge, 4096, leaves.slice(0, 16), sha256).tiles.length, 2)
  })

  it("counts beyond 32 bits", () => {
    const size = 2 ** 40 + 3
    assert.lengthOf(inclusionRanges(2 ** 40 - 1, size), 41)
    assert.deepStrictEqual(edgePositions(size).map(({ level }) => level), [0, 10])
    assert.deepStrictEqual(consistencyRanges(2 ** 40, size), [[2 ** 40, size]])
  })
})

describe("a proof that is not one", () => {
  const leaves = leavesOf(13)
  const tree = store(leaves, [13])
  const root = naiveRoot(leaves)
  const flipped = (hash: Uint8Array) => hash.with(0, hash[0]! ^ 1)

  it("of inclusion is refused, whichever part of it is wrong", () => {
    for (let index = 0; index < 13; index++) {
      const proof = { leafHash: leaves[index]!, index, size: 13, root, hashes: tree.hashes(inclusionRanges(index, 13)) }
      assert.isTrue(verifyInclusion(proof, sha256))
      const wrong = [
        { leafHash: flipped(proof.leafHash) },
        { root: flipped(root) },
        { index: (index + 1) % 13 },
        { size: 40 },
        { size: index },
        { index: -1 },
        { index: 0.5 },
        { hashes: proof.hashes.slice(1) },
        { hashes: [...proof.hashes, root] },
        { leafHash: proof.leafHash.slice(1) },
        { hashes: proof.hashes.with(0, new Uint8Array(33)) },
        { hashes: proof.hashes.with(0, proof.hashes[0]!.slice(0, 31)) },
        ...proof.hashes.map((hash, at) => ({ hashes: proof.hashes.with(at, flipped(hash)) }))
      ]
      for (const change of wrong) {
        assert.isFalse(verifyInclusion({ ...proof, ...change }, sha256), `${index} ${JSON.stringify(change)}`)
      }
    }
  })

  it("of consistency is refused, whichever part of it is wrong", () => {
    for (let first = 1; first < 13; first++) {
      const hashes = tree.hashes(consistencyRanges(first, 13))
      const proof = { first, firstRoot: naiveRoot(leaves.slice(0, first)), second: 13, secondRoot: root, hashes }
      assert.isTrue(verifyConsistency(proof, sha256))
      const wrong = [
        { firstRoot: flipped(proof.firstRoot) },
        { secondRoot: flipped(root) },
        { first: 0 },
        { second: first - 1 },
        { hashes: [] },
        { hashes: [...hashes, root] },
        { hashes: hashes.with(0, hashes[0]!.slice(0, 31)) },
        ...hashes.map((hash, at) => ({ hashes: hashes.with(at, flipped(hash)) }))
      ]
      for (const change of wrong) {
        assert.isFalse(verifyConsistency({ ...proof, ...change }, sha256), `${first} ${JSON.stringify(change)}`)
      }
    }
    const same = { first: 13, firstRoot: root, second: 13, secondRoot: root }
    assert.isTrue(verifyConsistency({ ...same, hashes: [] }, sha256))
    assert.isFalse(verifyConsistency({ ...same, secondRoot: flipped(root), hashes: [] }, sha256))
  })

  it("cannot be made from tiles that are not there", () => {
    assert.throws(() => hashesOfRanges([[0, 13]], [], sha256), "is not there")
    assert.throws(() => edgeOf(13, []), "is not there")
  })
})
