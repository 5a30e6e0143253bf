import { assert, describe, it } from "@effect/vitest"
import { didYouMean, distance, listed } from "../../../../src/domain/ground/parsing/Nearest.ts"
import { chance } from "../../../fixtures/Seeded.ts"

describe("the distance of two words", () => {
  it("counts what is missing, too much, other or swapped, in any case of letters", () => {
    const known = [
      ["", "", 0],
      ["limit", "LIMIT", 0],
      ["", "abc", 3],
      ["limt", "limit", 1],
      ["limiit", "limit", 1],
      ["lemit", "limit", 1],
      ["ilmit", "limit", 1],
      ["kitten", "sitting", 3],
      ["flaw", "lawn", 2]
    ] as const
    for (const [from, to, far] of known) assert.strictEqual(distance(from, to), far, `${from} ${to}`)
  })

  it("is the same both ways, and at most what was done to a word", () => {
    const { upTo } = chance("distance")
    const letter = () => "abcd"[Math.floor(upTo(4))]!
    for (let round = 0; round < 500; round++) {
      const word = Array.from({ length: Math.floor(upTo(9)) }, letter)
      const other = [...word]
      const changes = Math.floor(upTo(4))
      for (let change = 0; change < changes; change++) {
        const at = Math.floor(upTo(other.length + 1))
        other.splice(at, Math.floor(upTo(2)), ...(upTo(2) < 1 ? [letter()] : []))
      }
      const [from, to] = [word.join(""), other.join("")]
      assert.strictEqual(distance(from, to), distance(to, from), `${from} ${to}`)
      assert.isAtMost(distance(from, to), changes, `${from} ${to}`)
      assert.isAtLeast(distance(from, to), Math.abs(from.length - to.length), `${from} ${to}`)
      assert.strictEqual(distance(from, to) === 0, from === to, `${from} ${to}`)
      for (let most = 0; most < 9; most++) {
        const far = distance(from, to)
        assert.strictEqual(
          distance(from, to, most),
          far <= most ? far : Number.POSITIVE_INFINITY,
          `${from} ${to} ${most}`
        )
      }
    }
  })
})

describe("a suggestion", () => {
  it("is the word that is near, or another name for it", () => {
    assert.strictEqual(didYouMean("perpetul", ["subscription", "perpetual"]), " Did you mean perpetual?")
    assert.strictEqual(didYouMean("page", ["limit", "cursor"]), " Did you mean cursor?")
    assert.strictEqual(didYouMean("codes", ["name", "code"]), " Did you mean code?")
  })

  it("is none for a word that is near to nothing, too long to be a mistake, or no word", () => {
    for (const word of ["colour", "limit".repeat(20), 7, undefined, null, ["limit"]]) {
      assert.strictEqual(didYouMean(word, ["limit", "cursor"]), "")
    }
    assert.strictEqual(didYouMean("limit", []), "")
    // A name of every object in JavaScript is another name for nothing.
    assert.strictEqual(didYouMean("constructor", ["limit", "cursor"]), "")
    // The other name is no name here.
    assert.strictEqual(didYouMean("page", ["limit"]), "")
  })
})

describe("a list of allowed words", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word-${String(index).padStart(2, "0")}`)

  it("is whole as long as it is short", () => {
    assert.strictEqual(listed(words(24)), words(24).join(", "))
    assert.strictEqual(listed(["a"], "b"), "a")
  })

  it("is otherwise how many there are, and the five nearest", () => {
    assert.strictEqual(listed(words(25)), `25 values, such as ${words(5).join(", ")}`)
    const [count, near = ""] = listed(words(25), "word-17x").split(", such as ")
    assert.strictEqual(count, "25 values")
    assert.lengthOf(near.split(", "), 5)
    assert.isTrue(near.startsWith("word-17, "), near)
    assert.strictEqual(listed(words(25), "x".repeat(65)), listed(words(25)))
  })
})
