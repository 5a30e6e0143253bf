import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  findRequired,
  findSettings,
  insertSettings,
  lockSettings,
  updateSettings
} from "../../../../src/services/keys/settings/ServiceSettingsSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const values = {
  suggested_reasons: null,
  brand_accent: null,
  support_contact: null,
  renewal_url: null,
  mail_language: null,
  logo: undefined
} as const

describe("the statements of settings", () => {
  layer(Workers.layer)((it) => {
    it.effect("the settings are one row: of two first changes the second waits, and changes what the first has left", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        assert.deepStrictEqual(yield* findSettings(first), [])
        const change = (sql: Database, brand_name: string) =>
          Effect.gen(function*() {
            yield* insertSettings(sql)
            const before = yield* lockSettings(sql)
            yield* updateSettings(sql, { ...values, brand_name, required_reasons: ["license.revoked"] })
            return before
          })
        const [, after] = yield* waiting(change(first, "One"), change(second, "Two"))
        assert.deepStrictEqual(after.map(({ brand_name }) => brand_name), ["One"])
        assert.lengthOf(yield* findSettings(first), 1)
        assert.lengthOf(yield* findRequired(first, "license.revoked"), 1)
        assert.lengthOf(yield* findRequired(first, "license.suspended"), 0)
      }))
  })
})
