import type { Item } from "../providers/Fact.ts"
import type { Plan } from "../purchases/Command.ts"
import type { PurchaseState } from "../purchases/PurchaseState.ts"
import type { PurchaseHold, PurchaseInEvent, PurchaseStatus } from "./Purchase.ts"
import { partsOf } from "./PurchaseView.ts"
import type { PurchaseRow } from "./PurchaseView.ts"

/** The id by which a price is looked for in a mapping: of the price, or of what stands in its place. */
const priceOf = ({ price, product, variant }: Item): string | undefined => price ?? variant ?? product

/** What waits, as it is stored and shown. */
export const holdsOf = (holds: Plan["holds"]): ReadonlyArray<PurchaseHold> =>
  holds.map(({ code, item, message }) => {
    const price = item === undefined ? undefined : priceOf(item)
    return {
      code,
      message,
      ...(price === undefined ? {} : { price }),
      ...(item?.name === undefined ? {} : { name: item.name })
    }
  })

/** How far the work for a purchase is, by what waits. */
export const statusAfter = (holds: ReadonlyArray<PurchaseHold>): PurchaseStatus =>
  holds.length === 0 ? "done" : "waiting"

/** What an event of the feed says of a purchase. */
export const eventDataOf = (
  purchase: Pick<PurchaseRow, "id" | "connection_id" | "provider" | "name" | "status" | "holds" | "failure"> & {
    readonly state: PurchaseState | null
    readonly license_ids: ReadonlyArray<string>
  }
): typeof PurchaseInEvent.Type => ({
  id: purchase.id,
  connection_id: purchase.connection_id,
  provider: purchase.provider,
  ...partsOf(purchase.name),
  status: purchase.status,
  ...(purchase.state?.state === undefined ? {} : { state: purchase.state.state }),
  holds: purchase.holds,
  ...(purchase.failure === null ? {} : { failure: purchase.failure }),
  license_ids: purchase.license_ids
})
