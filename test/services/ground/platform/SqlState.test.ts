import { assert, describe, it } from "@effect/vitest"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { isDiskFull, isServerAway, sqlStateOf } from "../../../../src/services/ground/platform/SqlState.ts"

const failureOf = (cause: unknown) => new SqlError({ reason: new UnknownError({ cause, message: "failed" }) })

describe("the SQLSTATE of a failure", () => {
  it("is the server's code, and says whether the server is away or its disk is full", () => {
    for (
      const [cause, state, isAway, isFull] of [
        [{ code: "53300" }, "53300", true, false],
        [{ code: "57P01" }, "57P01", true, false],
        [{ code: "57P04" }, "57P04", false, false],
        [{ code: "53100" }, "53100", false, true],
        [{ code: 7 }, undefined, false, false],
        [new Error("gone"), undefined, false, false],
        [null, undefined, false, false],
        [undefined, undefined, false, false]
      ] as const
    ) {
      const failure = failureOf(cause)
      assert.deepStrictEqual([sqlStateOf(failure), isServerAway(failure), isDiskFull(failure)], [state, isAway, isFull])
    }
  })
})
