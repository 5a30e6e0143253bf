import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { makeSampler } from "../../../src/runtime/traces/Sampler.ts"
import type { SamplerName } from "../../../src/runtime/traces/Sampler.ts"

const id = () => randomBytes(16).toString("hex")

describe("samplers", () => {
  it("follow the caller where they are named so, and decide for themselves otherwise", () => {
    const decided = (name: SamplerName, parent: boolean | undefined) => makeSampler(name, 0)(id(), parent)
    const table: ReadonlyArray<readonly [SamplerName, boolean, boolean, boolean]> = [
      // The sampler; without a caller, a caller that samples, one that does not.
      ["always_on", true, true, true],
      ["always_off", false, false, false],
      ["traceidratio", false, false, false],
      ["parentbased_always_on", true, true, false],
      ["parentbased_always_off", false, true, false],
      ["parentbased_traceidratio", false, true, false]
    ]
    for (const [name, alone, under, apart] of table) {
      assert.deepStrictEqual([decided(name, undefined), decided(name, true), decided(name, false)], [
        alone,
        under,
        apart
      ])
    }
  })

  it("of a ratio keep that share, of each trace always the same, and of less a part of more", () => {
    const ids = Array.from({ length: 20_000 }, id)
    const kept = (ratio: number) => ids.filter((one) => makeSampler("traceidratio", ratio)(one, undefined))
    assert.lengthOf(kept(1), ids.length)
    assert.lengthOf(kept(0), 0)
    const quarter = kept(0.25)
    // Five standard deviations of 20,000 draws.
    assert.closeTo(quarter.length / ids.length, 0.25, 5 * Math.sqrt(0.25 * 0.75 / ids.length))
    assert.deepStrictEqual(quarter, kept(0.25))
    const tenth = new Set(kept(0.1))
    assert.isTrue([...tenth].every((one) => quarter.includes(one)))
  })

  it("of a ratio decide by the threshold of the specification", () => {
    const half = makeSampler("traceidratio", 0.5)
    assert.isTrue(half(`${"0".repeat(18)}80000000000000`, undefined))
    assert.isFalse(half(`${"f".repeat(18)}7fffffffffffff`, undefined))
  })
})
