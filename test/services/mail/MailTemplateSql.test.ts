import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteTemplate,
  findBrand,
  findPersonEmail,
  findPreviewed,
  findTemplate,
  insertTemplate,
  listTemplates,
  lockTemplate
} from "../../../src/services/mail/CustomerMailSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const name = { kind: "license_issued", language: "de" } as const

describe("the statements of templates of mails", () => {
  layer(Workers.layer)((it) => {
    it.effect("of two writers of one template the second replaces that of the first", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const written = (subject: string) => ({ subject, body: "x" })
        yield* waiting(insertTemplate(first, name, written("one")), insertTemplate(second, name, written("two")))
        assert.deepInclude((yield* findTemplate(first, name))[0], { subject: "two", body: "x" })
        assert.deepStrictEqual(yield* listTemplates(first), [name])
        assert.lengthOf(yield* findTemplate(first, { ...name, language: "en" }), 0)
        assert.lengthOf(yield* deleteTemplate(first, name), 1)
        assert.lengthOf(yield* deleteTemplate(second, name), 0)
      }))

    it.effect("a template is changed by one after the other, also where there is none", () =>
      Effect.gen(function*() {
        const { first, passing, second, waiting } = yield* Workers
        const other = { ...name, language: "fr" } as const
        yield* waiting(lockTemplate(first, name), lockTemplate(second, name))
        yield* passing(lockTemplate(first, name), lockTemplate(second, other))
      }))

    it.effect("a preview is told of a license and of the brand, and nobody else's address", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* makeRows(first).license()
        yield* first`UPDATE licenses SET customer_name = 'Ada' WHERE id = ${id}`
        assert.deepInclude((yield* findPreviewed(first, id))[0], { customer_name: "Ada", expires_at: null })
        assert.lengthOf(yield* findBrand(first), 0)
        assert.lengthOf(yield* findPersonEmail(first, "per_nobody"), 0)
      }))
  })
})
