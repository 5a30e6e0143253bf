import { assert, describe, it } from "@effect/vitest"
import { sharedBuffers } from "../../../src/runtime/postgres/PostgresCluster.ts"

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

describe("sharedBuffers", () => {
  it.each([
    ["a small machine", 512 * mebibyte, 0, 64],
    ["a machine that is counted a little short", 2 * gibibyte - 5 * mebibyte, 0, 112],
    ["two GiB", 2 * gibibyte, 0, 128],
    ["four GiB, and a limit of none as version 1 of control groups says it", 4 * gibibyte, 2 ** 63, 256],
    ["a large machine", 256 * gibibyte, 0, 512],
    ["a large machine, of which a container may use little", 256 * gibibyte, 256 * mebibyte, 64],
    ["a large machine, of which a container may use some", 256 * gibibyte, 3 * gibibyte, 192],
    ["a limit above what there is", 2 * gibibyte, 8 * gibibyte, 128]
  ])("%s", (_, total, limit, expected) => {
    assert.strictEqual(sharedBuffers(total, limit), expected)
  })
})
