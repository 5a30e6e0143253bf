import { assert, describe, it } from "@effect/vitest"
import type { Link, ObjectName } from "../../../../src/domain/sales/providers/Fact.ts"
import { readLinks } from "../../../../src/domain/sales/reconciling/ReadLinks.ts"

const link = (about: ObjectName, to: ObjectName): Link => ({ kind: "link", about, to })

describe("links that were read", () => {
  it("lead on from objects by every step, each once, and around a circle", () => {
    const links = readLinks()
    links.add([link("charge/c", "payment/p"), link("payment/p", "invoice/i")])
    links.add([link("payment/p", "invoice/i"), link("invoice/i", "subscription/s"), link("invoice/i", "charge/c")])
    links.add([link("invoice/other", "subscription/other")])
    assert.deepStrictEqual(links.from(["charge/c"]).map(({ about, to }) => `${about} ${to}`), [
      "charge/c payment/p",
      "payment/p invoice/i",
      "invoice/i subscription/s",
      "invoice/i charge/c"
    ])
    assert.deepStrictEqual(links.from(["subscription/s"]), [])
  })
})
