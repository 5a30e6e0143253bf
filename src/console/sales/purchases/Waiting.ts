import type { MatchedBy, Purchase, PurchaseHold, QuantityMeaning } from "../../../client/api/index.ts"
import { some } from "../../ground/design/Numbers.ts"

/** The holds that the provider's next event resolves. */
const passing: ReadonlySet<string> = new Set([
  "awaits_subscription",
  "awaits_payment",
  "awaits_period",
  "nothing_bought"
])

/** Whether a hold waits for a person. */
export const needsPerson = ({ code }: Pick<PurchaseHold, "code">): boolean => !passing.has(code)

/** Whether a purchase waits for a person: it failed, or something of it cannot be done without one. */
export const waitsForPerson = ({ holds, status }: Pick<Purchase, "holds" | "status">): boolean =>
  status === "failed" || status === "waiting" && holds.some(needsPerson)

/** The payer of a purchase, by the best name that is known. */
export const payerOf = ({ external_id, payer }: Pick<Purchase, "external_id" | "payer">): string =>
  payer.name ?? payer.email ?? external_id

/** The state of the payment of a purchase in a list: one whose money is back, or disputed, may go on by its provider's word. */
export const paymentOf = (
  { dispute, refund, state }: Pick<Purchase, "dispute" | "refund" | "state">
): string | undefined => refund === "full" ? "refunded" : dispute === "none" ? state : "disputed"

/** The items of a purchase that are still part of it. */
export const itemsOf = ({ items }: Pick<Purchase, "items">) =>
  items.filter(({ dropped_at }) => dropped_at === undefined)

/** An item that was bought, in few words: the name or ID of its price, and how many. */
export const itemText = (item: Purchase["items"][number]): string => {
  const name = item.name ?? item.price ?? item.variant ?? item.product ?? "no price named"
  return item.quantity === 1 ? name : `${item.quantity} × ${name}`
}

/** The kind of an ID that the items of purchases have; undefined where none has it. */
export const matchedBy = (purchases: ReadonlyArray<Pick<Purchase, "items">>, value: string): MatchedBy | undefined =>
  (["price", "variant", "product"] as const).find((by) =>
    purchases.some(({ items }) => items.some((item) => item[by] === value))
  )

/** A mapping as it is being entered. */
export interface Draft {
  readonly by: MatchedBy
  readonly value: string
  readonly quantity: QuantityMeaning
  /** The type of the policy that was selected. */
  readonly licenseType: string | undefined
}

/** A waiting purchase that becomes licenses by a mapping that is being entered. */
interface Becoming {
  readonly payer: string
  readonly licenses: number
  readonly text: string
}

const quantityText = (quantity: number, meaning: QuantityMeaning): string => {
  switch (meaning) {
    case "seats":
      return some(quantity, "device")
    case "floating_seats":
      return some(quantity, "floating seat")
    case "users":
      return some(quantity, "user")
    case "licenses":
      return some(quantity, "license")
    case "none":
      return ""
  }
}

/**
 * The waiting purchases that become licenses by a mapping, before it is saved, and how many still do not because the policy
 * is not for their kind. Those that the mapping does not concern are left out.
 */
export const becomingOf = (purchases: ReadonlyArray<Purchase>, { by, licenseType, quantity, value }: Draft) => {
  const becoming: Array<Becoming> = []
  let mismatched = 0
  for (const purchase of purchases) {
    if (by === "payment_link" || by === "metadata") continue
    const items = itemsOf(purchase).filter((item) => item[by] === value)
    if (items.length === 0 || !purchase.holds.some(needsPerson)) continue
    if ((purchase.kind === "subscription") !== (licenseType === "subscription")) {
      mismatched += 1
      continue
    }
    const many = items.reduce((sum, item) => sum + item.quantity, 0)
    const licenses = quantity === "licenses" ? many : items.length
    const more = quantityText(many, quantity)
    const payer = payerOf(purchase)
    becoming.push({ payer, licenses, text: more === "" ? payer : `${payer} (${more})` })
  }
  return { becoming, licenses: becoming.reduce((sum, { licenses }) => sum + licenses, 0), mismatched }
}
