import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { listCovered } from "../../../src/services/portal/PortalSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("the versions that a license covers", () => {
  layer(Workers.layer)((it) => {
    it.effect("were released by now, and by the end of maintenance to the very instant", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const license_id = yield* makeRows(first).license()
        const [license] = yield* first<
          { readonly product_id: string }
        >`SELECT product_id FROM licenses WHERE id = ${license_id}`
        const productId = license!.product_id
        yield* first`
          INSERT INTO product_versions (id, product_id, version, released_at, metadata) VALUES
            ('ver_a', ${productId}, '1.0', '2026-01-01Z', '{}'), ('ver_b', ${productId}, '2.0', '2026-02-01Z', '{}'),
            ('ver_c', ${productId}, '3.0', now() + interval '1 day', '{}')`
        const names = (maintenanceEnd: string | null, limit = 5) =>
          Effect.map(
            listCovered(first, {
              productId,
              maintenanceEnd: maintenanceEnd === null ? null : new Date(maintenanceEnd),
              limit
            }),
            (rows) => rows.map(({ version }) => version)
          )
        assert.deepStrictEqual(yield* names(null), ["2.0", "1.0"])
        assert.deepStrictEqual(yield* names(null, 1), ["2.0"])
        assert.deepStrictEqual(yield* names("2026-02-01T00:00:00Z"), ["2.0", "1.0"])
        assert.deepStrictEqual(yield* names("2026-01-31T23:59:59.999Z"), ["1.0"])
        assert.deepStrictEqual(yield* names("2025-01-01T00:00:00Z"), [])
      }))
  })
})
