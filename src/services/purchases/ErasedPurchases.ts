import { Effect } from "effect"
import { erasedBody, erasedFacts } from "../../domain/billing/ErasedBody.ts"
import type { Database } from "../persistence/Database.ts"
import { lockEventsAbout, lockPurchasesOf, updateErased, updatePayerErased } from "./ErasedPurchaseSql.ts"
import { makePurchaseStory } from "./PurchaseStory.ts"

const text = new TextDecoder()
const utf8 = new TextEncoder()

/** Erases what the purchases of a customer, and the events of their provider, tell of a person; in the surrounding transaction. */
export const makeErasedPurchases = (sql: Database) => {
  const story = makePurchaseStory(sql)
  return Effect.fnUntraced(function*(customerId: string) {
    for (const purchase of yield* lockPurchasesOf(sql, customerId)) {
      const objects = yield* story.objects(purchase)
      for (const { body, facts, sequence } of yield* lockEventsAbout(sql, purchase.connection_id, objects)) {
        yield* updateErased(sql, {
          sequence,
          body: body && utf8.encode(erasedBody(text.decode(body))),
          facts: facts && erasedFacts(facts)
        })
      }
    }
    yield* updatePayerErased(sql, customerId)
  })
}
