// Tags of licenses: stored in one form, bounded, and found by the list.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const issued = await service.issue()

const issue = async (tags?: ReadonlyArray<string>): Promise<Body> =>
  (await service.data("POST", "/api/v1/licenses", {
    product_id: issued.product.id,
    policy_id: issued.policy.id,
    ...(tags === undefined ? {} : { tags })
  })).license
const tag = (id: string, tags: unknown) => service.call("PATCH", `/api/v1/licenses/${id}`, { body: { tags } })

describe("the tags of a license", () => {
  it("are stored in lower case, composed, without a number sign or spaces around, and each once", async () => {
    const license = await issue(["VIP", " vip ", "#Vip", "Cafe\u0301  au lait", "東京"])
    assert.deepStrictEqual(license.tags, ["vip", "café au lait", "東京"])
    assert.notProperty(await issue(), "tags")
    assert.notProperty(await issue([]), "tags")
  })

  it("are all replaced by a change, which is an event and changes nothing that apps are told", async () => {
    const license = await issue(["a"])
    const changed = (await tag(license.id, ["b", "c"])).body.data
    assert.deepStrictEqual(changed.tags, ["b", "c"])
    assert.strictEqual(changed.entitlement_version, license.entitlement_version)
    for (const none of [null, []]) {
      await tag(license.id, ["d"])
      assert.notProperty((await tag(license.id, none)).body.data, "tags")
    }
    const events = await service.feed(`&resource_id=${license.id}`)
    assert.deepStrictEqual(
      events.map(({ data, event_type }: Body) => [event_type, data.tags]),
      [
        ["license.created", ["a"]],
        ["license.updated", ["b", "c"]],
        ["license.updated", ["d"]],
        ["license.updated", undefined],
        ["license.updated", ["d"]],
        ["license.updated", undefined]
      ]
    )
  })

  it("are at most 20, of at most 50 characters on one line, without a comma", async () => {
    const { id } = await issue()
    const many = Array.from({ length: 21 }, (_, index) => `t${index}`)
    assert.lengthOf((await tag(id, many.slice(1))).body.data.tags, 20)
    for (const tags of [many, ["x".repeat(51)], [""], ["#"], ["  "], ["a,b"], ["a\nb"], ["\u0000"]]) {
      refused(await tag(id, tags), 422, "VALIDATION_ERROR")
    }
  })

  it("filter the list, however they are written, together with other filters", async () => {
    const mark = randomUUID()
    const [one, two] = [await issue([mark, "a"]), await issue([mark])]
    await issue(["a"])
    const found = async (query: string) =>
      (await service.data("GET", `/api/v1/licenses?${query}`)).map(({ id }: Body) => id)
    assert.deepStrictEqual(await found(`tag=${mark}`), [two.id, one.id])
    assert.deepStrictEqual(await found(`tag=%23${mark.toUpperCase()}`), [two.id, one.id])
    await service.data("POST", `/api/v1/licenses/${two.id}/suspend`)
    assert.deepStrictEqual(await found(`tag=${mark}&status=suspended`), [two.id])
    assert.deepStrictEqual(await found(`tag=${randomUUID()}`), [])
  })
})
