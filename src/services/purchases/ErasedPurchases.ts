import { Effect } from "effect"
import { erasedBody } from "../../domain/billing/ErasedBody.ts"
import type { Database } from "../persistence/Database.ts"
import { lockPurchasesOf, updateBody, updatePayerErased } from "./ErasedPurchaseSql.ts"
import { makePurchaseStory } from "./PurchaseStory.ts"
import { listEventsAbout } from "./RoutingSql.ts"

const text = new TextDecoder()
const utf8 = new TextEncoder()

/** Erases what the purchases of a customer, and the events of their provider, tell of a person; in the surrounding transaction. */
export const makeErasedPurchases = (sql: Database) => {
  const story = makePurchaseStory(sql)
  return Effect.fnUntraced(function*(customerId: string) {
    for (const purchase of yield* lockPurchasesOf(sql, customerId)) {
      const objects = yield* story.objects(purchase)
      for (const { body, event_id } of yield* listEventsAbout(sql, purchase.connection_id, objects)) {
        yield* updateBody(sql, purchase.connection_id, event_id, utf8.encode(erasedBody(text.decode(body))))
      }
    }
    yield* updatePayerErased(sql, customerId)
  })
}
