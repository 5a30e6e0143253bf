import { assert, describe, it } from "@effect/vitest"
import {
  environmentOf,
  environmentOfPath,
  environments
} from "../../../../src/domain/ground/environments/Environment.ts"
import { environmentNames, environmentOfAnswer } from "../../../../src/domain/ground/environments/EnvironmentName.ts"

describe("environments", () => {
  it("differ in every form that tells them apart", () => {
    for (const member of ["tokenMark", "keyLead", "keyCheck", "pathPrefix"] as const) {
      const values = environmentNames.map((name) => environments[name][member])
      assert.lengthOf(new Set(values), environmentNames.length, member)
    }
  })

  it("are not told by what is no credential of ours", () => {
    for (const text of ["", "ABCD-1234-EFGH", "a-token-of-the-operator", "CS", "CST", "test_", "Basic x"]) {
      assert.isUndefined(environmentOf(text), text)
    }
  })

  it("have addresses, which are those of live behind a prefix", () => {
    assert.deepStrictEqual(environmentOfPath("/test/api/v1/products"), { name: "test", path: "/api/v1/products" })
    for (const path of ["/", "/test", "/testing/api", "/api/v1/test/x"]) {
      assert.deepStrictEqual(environmentOfPath(path), { name: "live", path })
    }
  })

  it("say their name in answers, but for live", () => {
    assert.deepStrictEqual(environmentNames.map(environmentOfAnswer), [{}, { environment: "test" }])
  })
})
