import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bootstrapActor, CurrentActor, lackedScopes, licenseActor } from "../../../src/services/log/Provenance.ts"
import type { Actor } from "../../../src/services/log/Provenance.ts"

const support: Actor = { type: "person", id: "per_1", scopes: ["license:write", "customer:read"] }

describe("a scope that some work needs beside its operation", () => {
  it.effect.each<readonly [string, Actor, ReadonlyArray<string>]>([
    ["a person without it", support, ["customer:write"]],
    ["a key without it", { ...support, type: "api_key" }, ["customer:write"]],
    ["a key with it", { ...support, scopes: ["customer:write"] }, []],
    ["the admin token", bootstrapActor, []],
    ["an app", licenseActor("lic_1"), []],
    ["the service itself", { type: "system", id: "countersign", scopes: [] }, []]
  ])("is judged of %s", ([_who, actor, lacked]) =>
    Effect.gen(function*() {
      const found = yield* lackedScopes(["customer:write"]).pipe(Effect.provideService(CurrentActor, actor))
      assert.deepStrictEqual(found, lacked)
    }))
})
