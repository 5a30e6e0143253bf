import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../../src/api/composition/Api.ts"
import { declarationOf, takesMember } from "../../../src/api/ground/Operation.ts"
import { consequenceText } from "../../../src/domain/ground/wire/Consequence.ts"

const endpoints: Array<HttpApiEndpoint.Top> = []
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void endpoints.push(endpoint) })
const ids = endpoints.map(({ identifier }) => identifier)

describe("what a write says before it is done", () => {
  it("is there for every deletion, revocation and rotation", () => {
    const due = endpoints.filter(({ identifier, method }) =>
      method === "DELETE" || /^(revoke|rotate|erase|suspend|blacklist|reset)[A-Z]/.test(identifier)
    )
    assert.isAbove(due.length, 10)
    const silent = due.filter((endpoint) => declarationOf(endpoint).consequence === undefined)
    assert.deepStrictEqual(silent.map(({ identifier }) => identifier), [])
  })

  it("names operations that take it back, and members that its body has", () => {
    for (const endpoint of endpoints) {
      const { consequenceOf = {}, undo } = declarationOf(endpoint)
      if (undo !== undefined) assert.include(ids, undo)
      for (const when of Object.keys(consequenceOf)) {
        const [member = ""] = when.split("=")
        assert.isTrue(takesMember(endpoint, member), `${endpoint.identifier} has no ${member}`)
      }
    }
  })

  it.each(
    [
      [{}, {}, ""],
      [{ consequence: "A." }, {}, "A."],
      [{ consequence: "A.", risk: "final" }, {}, "A. This cannot be undone."],
      [{ consequenceOf: { "on=true": "B.", "on=false": "C." } }, { on: true }, "B."],
      [{ consequence: "A.", consequenceOf: { "minutes=0": "B." } }, { minutes: 0 }, "A. B."],
      [{ consequence: "A.", consequenceOf: { "minutes=0": "B." } }, { minutes: 10 }, "A."],
      [
        { consequenceOf: { "minutes=0": "B.", minutes: "C {minutes}.", "minutes=undefined": "D." } },
        { minutes: 0 },
        "B."
      ],
      [
        { consequenceOf: { "minutes=0": "B.", minutes: "C {minutes}.", "minutes=undefined": "D." } },
        { minutes: 5 },
        "C 5."
      ],
      [{ consequenceOf: { "minutes=0": "B.", minutes: "C {minutes}.", "minutes=undefined": "D." } }, {}, "D."],
      [{ consequenceOf: { url: "To {url}." } }, { url: "$&" }, "To $&."]
    ] as const
  )("of %j with %j is %j", (declared, body, text) => {
    assert.strictEqual(consequenceText(declared, body), text)
  })
})
