import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteSuppression,
  findReason,
  findRecipient,
  findSuppression,
  insertSuppression,
  updateSuppressionsErased
} from "../../../src/services/mail/MailSuppressionSql.ts"
import type { NewSuppression } from "../../../src/services/mail/MailSuppressionSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const digest = new Uint8Array([1])

const suppression = (id: string, more: Partial<NewSuppression> = {}): NewSuppression => ({
  id,
  digest,
  address: "Ada@example.com",
  reason: "bounced",
  actor: { type: "system", id: "countersign" },
  ...more
})

describe("the statements of suppressed addresses", () => {
  layer(Workers.layer)((it) => {
    it.effect("an address is suppressed once for a reason, also by two at once", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const [one, two] = yield* waiting(
          insertSuppression(first, suppression("sup_1")),
          insertSuppression(second, suppression("sup_2"))
        )
        assert.deepStrictEqual([one.length, two.length], [1, 0])
        assert.lengthOf(yield* insertSuppression(first, suppression("sup_3", { reason: "opted_out" })), 1)
        const reasonOf = (...reasons: ReadonlyArray<NewSuppression["reason"]>) =>
          Effect.map(findReason(first, digest, reasons), (rows) => rows.map(({ reason }) => reason))
        assert.deepStrictEqual(yield* reasonOf("opted_out", "bounced"), ["opted_out"])
        assert.deepStrictEqual(yield* reasonOf("bounced", "by_hand"), ["bounced"])
        assert.deepStrictEqual(yield* reasonOf("by_hand"), [])
        assert.lengthOf(yield* deleteSuppression(second, "sup_3"), 1)
        assert.lengthOf(yield* deleteSuppression(second, "sup_3"), 0)
      }))

    it.effect("an erasure forgets the addresses of the customer, and those that mails to the customer went to", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const license = yield* makeRows(first).license()
        yield* first`INSERT INTO customers (id, name, code, email, metadata) VALUES ('cus_1', 'Ada', 'ada', 'ada@erased.example', '{}')`
        yield* first`UPDATE licenses SET customer_id = 'cus_1', customer_email = 'of@license.example' WHERE id = ${license}`
        const made = [
          suppression("sup_customer", { address: "Ada@erased.example" }),
          suppression("sup_license", { address: "OF@license.example" }),
          suppression("sup_mail", { address: "former@erased.example", customerId: "cus_1" }),
          suppression("sup_other", { address: "other@example.com" })
        ]
        for (const [at, row] of made.entries()) {
          yield* insertSuppression(first, { ...row, digest: new Uint8Array([2, at]), reply: "550 No such user" })
        }
        assert.deepInclude((yield* findRecipient(first, license))[0], {
          email: "of@license.example",
          customer_id: "cus_1",
          language: null
        })
        assert.lengthOf(yield* updateSuppressionsErased(first, "cus_1"), 3)
        for (const { id } of made) {
          const isLeft = id === "sup_other"
          assert.deepInclude((yield* findSuppression(first, id))[0], {
            address: isLeft ? "other@example.com" : null,
            reply: isLeft ? "550 No such user" : null
          })
        }
      }))
  })
})
