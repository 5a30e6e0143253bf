import { assert, describe, it } from "@effect/vitest"
import type { LicenseView } from "../../../../src/client/api/index.ts"
import { filtersOf, hrefOf, isAt, readyViews, savedOf } from "../../../../src/console/licensing/views/ViewAddress.ts"

const view = (members: Partial<LicenseView>): LicenseView => ({
  id: "view_1",
  name: "v",
  filter: {},
  is_shared: false,
  is_own: true,
  author: { type: "api_key", id: "bootstrap" },
  created_at: "2026-11-27T00:00:00.000Z",
  updated_at: "2026-11-27T00:00:00.000Z",
  ...members
})

const queryOf = (href: string) => Object.fromEntries(new URL(href, "http://console").searchParams)

describe("the address of a view", () => {
  it.each<Partial<LicenseView>>([
    { filter: {}, columns: ["owner"] },
    { filter: { status: "active", tag: "a b&c" }, order: "owner_desc", columns: ["owner", "tags"] },
    { filter: { q: "東京" }, expires_within_days: 30, columns: ["owner"] },
    { filter: { expires_before: "2030-01-01T00:00:00.000Z" }, columns: ["owner"] }
  ])("leads to what is saved again from it: %j", (members) => {
    const query = queryOf(hrefOf(view(members)))
    assert.deepStrictEqual(savedOf(query, members.columns!), members)
    assert.isTrue(isAt(query, hrefOf(view(members))))
    assert.isFalse(isAt({ ...query, tag: "other" }, hrefOf(view(members))))
  })

  it("asks for licenses that end within days from now, to the hour", () => {
    const asked = (now: string) => filtersOf({ within: "30", tag: "vip", view: "view_1" }, Date.parse(now))
    const expected = {
      tag: "vip",
      expires_after: "2026-11-27T10:00:00.000Z",
      expires_before: "2026-12-27T10:00:00.000Z"
    }
    assert.deepStrictEqual(asked("2026-11-27T10:00:00Z"), expected)
    assert.deepStrictEqual(asked("2026-11-27T10:59:59Z"), expected)
    for (const within of ["", "0", "-1", "99999", "x"]) assert.deepStrictEqual(filtersOf({ within }, 0), {})
  })

  it("is that of all licenses where nothing filters them, in whatever order", () => {
    const [[, all], [, soon]] = readyViews as [readonly [string, string], readonly [string, string]]
    assert.isTrue(isAt({}, all))
    assert.isTrue(isAt({ order: "asc", columns: "owner" }, all))
    assert.isFalse(isAt({ status: "active" }, all))
    assert.isTrue(isAt(queryOf(soon), soon))
    assert.isFalse(isAt(queryOf(soon), all))
  })
})
