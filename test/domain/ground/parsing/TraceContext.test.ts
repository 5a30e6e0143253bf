import { assert, describe, it } from "@effect/vitest"
import { formatTraceparent, parseTraceparent } from "../../../../src/domain/ground/parsing/TraceContext.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

describe("traceparent", () => {
  it("is read as it was written", () => {
    for (const sampled of [true, false]) {
      const place = { traceId, spanId, sampled }
      assert.deepStrictEqual(parseTraceparent(formatTraceparent(place)), place)
    }
    assert.strictEqual(formatTraceparent({ traceId, spanId, sampled: true }), `00-${traceId}-${spanId}-01`)
  })

  it("is nothing when it is malformed", () => {
    const wrongs = [
      undefined,
      null,
      "",
      `00-${traceId}-${spanId}`,
      `01-${traceId}-${spanId}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${"0".repeat(32)}-${spanId}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      `00-${traceId}-${spanId}-01 `,
      `00-${traceId}-${spanId}-01-more`
    ]
    for (const wrong of wrongs) assert.isUndefined(parseTraceparent(wrong), String(wrong))
  })
})
