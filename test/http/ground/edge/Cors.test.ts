// Which pages may ask what, for every operation and every origin; test/http/Cors asks through the door.
import { assert, describe, it } from "@effect/vitest"
import { methodsOf, operations } from "../../../../src/api/composition/docs/Operations.ts"
import { makeCors } from "../../../../src/http/ground/edge/Refusal.ts"
import { asking, exposed, forApps, foreign, granted, named, readable, web } from "../../../fixtures/CorsTable.ts"

const cors = makeCors(named, methodsOf)!
const open = makeCors(["*"], methodsOf)!

/** The operations, on what is not there. */
const asked = operations.map(({ method, path }) => ({ method, path, target: path.replace(/:[^/]+/g, "x") }))

const preflight = (method: string, origin: string | undefined) => ({ "access-control-request-method": method, origin })

const isNamed = (origin: string | undefined): origin is string => origin !== undefined && named.includes(origin)

describe("a preflight", () => {
  it("is granted for the operations of apps to the origins that are named, and to no other", () => {
    for (const { method, path, target } of asked) {
      for (const origin of asking) {
        const methods = forApps[path]
        const expected = methods !== undefined && isNamed(origin)
          ? { "access-control-allow-origin": origin, vary: "Origin", ...granted(methods) }
          : undefined
        assert.deepStrictEqual(
          cors.preflight(target, preflight(method, origin)),
          expected,
          `${method} ${path} ${origin}`
        )
      }
    }
  })

  it("is granted for the operations of apps to any origin where any may ask", () => {
    for (const { method, path, target } of asked) {
      for (const origin of asking) {
        const methods = forApps[path]
        const expected = methods !== undefined && origin !== undefined
          ? { "access-control-allow-origin": "*", ...granted(methods) }
          : undefined
        assert.deepStrictEqual(
          open.preflight(target, preflight(method, origin)),
          expected,
          `${method} ${path} ${origin}`
        )
      }
    }
  })
})

describe("the headers of an answer", () => {
  it("let pages of the origins that are named read what apps ask, and nothing of management", () => {
    for (const { path, target } of asked) {
      for (const origin of asking) {
        const others = forApps[path] === undefined ? {} : { vary: "Origin" }
        const expected = forApps[path] !== undefined && isNamed(origin) ? readable(origin) : others
        assert.deepStrictEqual(cors.headersFor(target, origin), expected, `${path} ${origin}`)
      }
    }
  })

  it("let any page read what apps ask where any may ask", () => {
    const any = { "access-control-allow-origin": "*", "access-control-expose-headers": exposed }
    for (const { path, target } of asked) {
      for (const origin of asking) {
        const expected = forApps[path] === undefined ? {} : any
        assert.deepStrictEqual(open.headersFor(target, origin), expected, `${path} ${origin}`)
      }
    }
  })
})

it("there is nothing to tell where no origin is allowed", () => {
  assert.isUndefined(makeCors([], methodsOf))
  assert.isDefined(makeCors([web], methodsOf))
  assert.deepStrictEqual(makeCors([web], methodsOf)!.headersFor("/api/v1/license/validate", foreign), {
    vary: "Origin"
  })
})
