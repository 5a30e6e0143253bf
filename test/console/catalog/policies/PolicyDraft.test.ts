import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../../../src/api/composition/docs/OpenApi.ts"
import {
  blankDraft,
  changedIn,
  createBody,
  draftOf,
  fieldNames,
  fieldOf,
  none,
  updateBody,
  wrongOf
} from "../../../../src/console/catalog/policies/PolicyDraft.ts"
import type { FieldName, PolicyDraft } from "../../../../src/console/catalog/policies/PolicyDraft.ts"
import { policyGroups, presets } from "../../../../src/console/catalog/policies/PolicyGroups.ts"

const { PolicyCreateRequest, PolicyUpdateRequest } =
  openApiDocument("https://licenses.example.com", "1").components.schemas

/** Another valid text for a member than the default. */
const other = (name: FieldName): string => {
  const { kind, values = [] } = fieldOf(name)
  const texts = {
    number: "4",
    boolean: blankDraft[name] === "true" ? "false" : "true",
    duration: "P2Y",
    overage: "10%",
    json: "{\"a\":1}",
    numbers: "14, 3",
    list: values[0] ?? "",
    text: "text",
    enum: values.find((value) => value !== blankDraft[name]) ?? ""
  }
  return texts[kind]
}

const named: PolicyDraft = { ...blankDraft, name: "Team", code: "team" }

describe("a policy as it is entered", () => {
  it("has a control for each member of both requests, in one group", () => {
    const members = Object.keys(PolicyCreateRequest.properties).filter((name) => name !== "dry_run")
    assert.sameMembers(members, Object.keys(PolicyUpdateRequest.properties).filter((name) => name !== "dry_run"))
    assert.sameMembers(policyGroups.flatMap(({ members }) => members), members)
    assert.sameMembers([...fieldNames], members)
  })

  it.each(fieldNames)("%s is sent when it is entered, as its type", (name) => {
    const entered = { ...named, [name]: other(name) }
    assert.deepStrictEqual([...wrongOf(entered)], [])
    assert.property(createBody(entered), name)
    const body: Readonly<Record<string, unknown>> = { ...updateBody(named, entered) }
    assert.deepStrictEqual(Object.keys(body), [name])
    const types = { number: "number", boolean: "boolean", json: "object", list: "object", numbers: "object" }
    assert.strictEqual(typeof body[name], types[fieldOf(name).kind as keyof typeof types] ?? "string")
  })

  it("tells no limit from 0, and neither from nothing entered", () => {
    const limited: PolicyDraft = { ...named, max_floating_users: "0" }
    assert.deepStrictEqual(updateBody(named, limited), { max_floating_users: 0 })
    assert.deepStrictEqual(updateBody(limited, named), { max_floating_users: null })
    assert.deepStrictEqual([...wrongOf({ ...named, max_floating_users: "" }).keys()], ["max_floating_users"])
  })

  it("sends no member that is as it was", () => {
    assert.deepStrictEqual(createBody(named), { name: "Team", code: "team", license_type: "subscription" })
    assert.deepStrictEqual(updateBody(named, named), {})
  })

  it("is the policy that the service has", () => {
    const policy = { ...createBody({ ...named, max_activations: "7", duration: "P1Y" }), metadata: { a: [1] } }
    const draft = draftOf(policy as never)
    assert.deepStrictEqual([...changedIn(named, draft)], ["max_activations", "duration", "metadata"])
    assert.strictEqual(draft.metadata, "{\"a\":[1]}")
    assert.strictEqual(draft.maintenance_duration, none)
  })

  it.each(
    [
      ["max_activations", "-1"],
      ["max_activations", "2147483648"],
      ["validation_interval_minutes", "0"],
      ["validation_interval_minutes", "525601"],
      ["grace_period_days", "36501"],
      ["name", ""],
      ["code", "with space"],
      ["duration", "1 year"],
      ["activation_overage", "0%"],
      ["metadata", "[]"]
    ] as const
  )("%s is not %s", (name, text) => {
    assert.deepStrictEqual([...wrongOf({ ...named, [name]: text }).keys()], [name])
  })

  it.each(presets)("the preset %s sets members to what the contract takes", (_name, sets) => {
    assert.deepStrictEqual([...wrongOf({ ...named, ...sets })], [])
  })
})
