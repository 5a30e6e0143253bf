import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertWork } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { deleteWork, listDue } from "../../../../src/services/sales/purchases/PurchaseSql.ts"
import { insertPurchases } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { updateAhead, updateSettling } from "../../../../src/services/sales/purchases/SettlingSql.ts"
import { connected } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statements of purchases that wait for a time", () => {
  layer(Workers.layer)((it) => {
    it.effect("has a purchase be due again when it has been known for 10 seconds, or something new is told, and no later one", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const connection_id = yield* connected(first, "bcn_1")
        const id = "pur_1"
        yield* insertPurchases(first, [{ id, connection_id, name: "subscription/sub_1" }])
        const isDue = Effect.map(listDue(first, 100), (rows) => rows.some((row) => row.id === id))
        yield* insertWork(first, [id])
        yield* deleteWork(first, id)
        assert.lengthOf(yield* updateSettling(first, id), 1)
        assert.isFalse(yield* isDue)
        yield* insertWork(first, [id])
        assert.isTrue(yield* isDue, "something new was told")
        yield* deleteWork(first, id)
        assert.lengthOf(yield* updateSettling(first, id), 1)
        yield* first`UPDATE purchases SET next_attempt_at = next_attempt_at - interval '10 seconds' WHERE id = ${id}`
        assert.isTrue(yield* isDue, "it has been known for 10 seconds")
        yield* deleteWork(first, id)
        yield* first`UPDATE purchases SET created_at = created_at - interval '10 seconds' WHERE id = ${id}`
        assert.lengthOf(yield* updateSettling(first, id), 0)
        assert.isFalse(yield* isDue)
      }))

    it.effect("has a purchase be due again a day before an instant", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const connection_id = yield* connected(first, "bcn_2")
        const id = "pur_2"
        yield* insertPurchases(first, [{ id, connection_id, name: "subscription/sub_1" }])
        const isDue = Effect.map(listDue(first, 100), (rows) => rows.some((row) => row.id === id))
        const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
        yield* updateAhead(first, id, inHours(25))
        assert.isFalse(yield* isDue)
        yield* updateAhead(first, id, inHours(23))
        assert.isTrue(yield* isDue)
      }))
  })
})
