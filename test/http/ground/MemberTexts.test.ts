import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../../src/api/composition/docs/OpenApi.ts"

interface Described {
  readonly description?: string
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>
}

/** Whether these are `id`, as a resource says it, and the one name by which others refer to it. */
const areOfOneId = (names: ReadonlySet<string>): boolean =>
  names.has("id") && names.size === 2 && [...names].every((name) => name === "id" || name.endsWith("_id"))

/** Members that are called one thing here and another there, and mean the same. */
const sameMeaning: ReadonlyArray<ReadonlyArray<string>> = [
  ["license_key", "token"],
  ["created_at", "occurred_at"],
  ["code", "feature_code"],
  ["event_type", "type"],
  ["from_root_hash", "leaf_hash", "root_hash", "to_root_hash"],
  ["expires_at", "lease_expires_at"],
  ["overage", "over_quota"],
  ["ended_at", "finished_at"],
  ["brand_name", "name"],
  ["accent", "brand_accent"],
  ["brand_logo", "logo"]
]

describe("the texts of members", () => {
  it("are shared by members of two names only where both mean the same", () => {
    const { components } = openApiDocument("https://licenses.example", "0") as unknown as {
      readonly components: { readonly schemas: Readonly<Record<string, Described>> }
    }
    const names = new Map<string, Set<string>>()
    for (const { properties = {} } of Object.values(components.schemas)) {
      for (const [name, { description }] of Object.entries(properties)) {
        if (description !== undefined) names.set(description, (names.get(description) ?? new Set()).add(name))
      }
    }
    assert.isAbove(names.size, 100)
    // A field without words of its own has those of its schema.
    for (const { description = "" } of Object.values(components.schemas)) names.delete(description)
    const shared = [...names].filter(([, all]) =>
      all.size > 1 && !areOfOneId(all) &&
      !sameMeaning.some((alike) => [...all].every((name) => alike.includes(name)))
    )
    assert.deepStrictEqual(shared.map(([text, all]) => `${[...all].join(", ")}: ${text}`), [])
  })
})
