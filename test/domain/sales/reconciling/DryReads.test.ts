import { assert, describe, it } from "@effect/vitest"
import type { Link, ObjectName } from "../../../../src/domain/sales/providers/Fact.ts"
import { dryReads, readLinks } from "../../../../src/domain/sales/reconciling/DryReads.ts"

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

describe("what a dry run has read", () => {
  it("is found by its purchase, whatever the number of steps, each once", () => {
    const reads = dryReads()
    const [subscription, invoice, customer] = [{ id: "s" }, { id: "i" }, { id: "c" }]
    reads.add([
      { body: subscription, objects: ["subscription/s"], links: [link("customer/c", "subscription/s")] },
      { body: invoice, objects: ["invoice/i", "payment/p"], links: [link("invoice/i", "subscription/s")] }
    ])
    reads.add([
      { body: customer, objects: ["customer/c"], links: [link("payment/p", "invoice/i")] },
      { body: { id: "other" }, objects: ["subscription/other"], links: [] }
    ])
    assert.sameDeepMembers([...reads.about("subscription/s")], [subscription, invoice, customer])
    assert.deepStrictEqual(reads.about("subscription/none"), [])
    assert.deepStrictEqual(reads.from(["payment/p"]).map(({ to }) => to), ["invoice/i", "subscription/s"])
  })
})
