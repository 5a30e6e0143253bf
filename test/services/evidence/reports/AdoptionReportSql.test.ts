import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { adoptionRows, countAdoption, countAdoptionRows } from "../../../../src/services/evidence/reports/ReportSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statements of the adoption of versions", () => {
  layer(Workers.layer)((it) => {
    it.effect("devices with a seat are counted by product, version and system, for each license too", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const { id: policy_id, product_id } = yield* rows.policy()
        const [one, two] = [
          yield* rows.license({ policy_id, product_id }),
          yield* rows.license({ policy_id, product_id })
        ]
        const device = (license_id: string, app_version: string | null, os: string | null, status = "active") =>
          rows.device({ license_id, app_version, os, status })
        yield* device(one, "1.9", "Linux 6.1")
        yield* device(one, "1.9", "Linux 6.8")
        yield* device(two, "1.9", "Linux 6.1")
        yield* device(two, "2.0", "Windows 11")
        yield* device(two, null, null)
        yield* device(two, "1.9", "Linux 6.1", "deactivated")
        const found = (filters: object) =>
          Effect.map(
            first<
              { readonly app_version: string; readonly os: string; readonly devices: bigint; readonly licenses: bigint }
            >`
              SELECT * FROM ${adoptionRows(first, { filters: { product_id, ...filters }, limit: undefined })} r`,
            (all) => all.map((row) => `${row.app_version} ${row.os} ${row.devices} ${row.licenses}`)
          )
        assert.deepStrictEqual(yield* found({}), ["1.9 Linux 3 2", "2.0 Windows 1 1", "null null 1 1"])
        assert.deepStrictEqual(yield* found({ app_version: "1.x", group_by: "license_id" }), [
          "1.9 Linux 2 1",
          "1.9 Linux 1 1"
        ])
        assert.deepStrictEqual(yield* found({ os: "win" }), ["2.0 Windows 1 1"])
        const question = { filters: { product_id, app_version: "1.x" }, limit: undefined }
        assert.deepStrictEqual(yield* countAdoption(first, question), [{ devices: 3n, licenses: 2n, customers: 0n }])
        assert.deepStrictEqual(yield* countAdoptionRows(first, question), [{ count: 1n }])
      }))
  })
})
