import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteCosignatures,
  findCosignedSize,
  findCoveringQuorumSize,
  findQuorumAge,
  findQuorumLag,
  findQuorumSize,
  insertCosignature,
  listCosignatures
} from "../../../../src/services/evidence/transparency/CosignatureSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const time = 1_767_225_600

describe("the statements about cosignatures", () => {
  layer(Workers.layer)((it) => {
    it.effect("a quorum is of the witnesses that are asked, on one checkpoint", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const signed: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
          ["a", [10, 20, 30]],
          ["b", [10, 30, 40]],
          ["stranger", [20, 40]]
        ]
        for (const [witness, sizes] of signed) {
          for (const size of sizes) yield* insertCosignature(first, { size, witness, line: `${witness} ${size}`, time })
        }
        const of = (least: number, ...witnesses: ReadonlyArray<string>) => ({ least, witnesses })
        const newest = (least: number, most: number, ...witnesses: ReadonlyArray<string>) =>
          Effect.map(findQuorumSize(first, of(least, ...witnesses), most), (rows) =>
            rows.map((row) => Number(row.tree_size)))
        assert.deepStrictEqual(yield* newest(1, 100, "a", "b"), [40])
        assert.deepStrictEqual(yield* newest(2, 100, "a", "b"), [30])
        assert.deepStrictEqual(yield* newest(2, 29, "a", "b"), [10])
        assert.deepStrictEqual(yield* newest(3, 100, "a", "b", "c"), [])
        const covering = (size: number) =>
          Effect.map(findCoveringQuorumSize(first, of(2, "a", "b"), size), (rows) =>
            rows.map((row) =>
              Number(row.tree_size)
            ))
        assert.deepStrictEqual(yield* covering(10), [10])
        assert.deepStrictEqual(yield* covering(11), [30])
        assert.deepStrictEqual(yield* covering(31), [])
        assert.isAbove((yield* findQuorumAge(first, of(2, "a", "b")))[0]!.age, 0)
        assert.deepStrictEqual(yield* findQuorumAge(first, of(2, "a", "c")), [])
        assert.deepStrictEqual(
          (yield* listCosignatures(first, 20, ["a", "b"])).map(({ line }) =>
            line
          ),
          ["a 20"]
        )
        assert.deepStrictEqual(yield* findCosignedSize(first, "b"), [{ size: 40 }])
        yield* first`INSERT INTO event_checkpoints (tree_size, root_hash, kid, note, created_at)
          SELECT size, sha256(''), 'a key', 'n', now() - size * interval '1 second' FROM generate_series(10, 30, 10) size`
        // The first that the quorum has not signed says how long it is away, not the newest one.
        assert.deepStrictEqual((yield* findQuorumLag(first, 10)).map(({ age }) => Math.round(age)), [20])
        assert.deepStrictEqual(yield* findQuorumLag(first, 30), [])
        yield* first`DELETE FROM event_checkpoints`
        assert.deepStrictEqual(yield* findCosignedSize(first, "nobody"), [{ size: 0 }])
      }))

    it.effect("of each witness the newest signatures are kept, and the last one on a checkpoint", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* first`DELETE FROM checkpoint_cosignatures`
        for (const size of [1, 2, 3]) {
          for (const witness of ["a", "b"]) yield* insertCosignature(first, { size, witness, line: "earlier", time })
        }
        yield* insertCosignature(first, { size: 3, witness: "a", line: "later", time: time + 1 })
        yield* deleteCosignatures(first, "a", 2)
        const left = yield* first<{ readonly of: string }>`
          SELECT tree_size || witness || line AS of FROM checkpoint_cosignatures ORDER BY witness, tree_size`
        assert.deepStrictEqual(left.map((row) => row.of), [
          "2aearlier",
          "3alater",
          "1bearlier",
          "2bearlier",
          "3bearlier"
        ])
      }))
  })
})
