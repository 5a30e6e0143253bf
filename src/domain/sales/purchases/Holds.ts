import type { Item } from "../providers/Fact.ts"
import type { Hold } from "./Command.ts"

/** As many licenses as a quantity may be; what is more waits for somebody who looks. */
export const mostLicenses = 1000

/** What is told of an item that waits. */
const itemShown = ({ id, name, price, product, quantity, variant }: Item): Item => ({
  ...(id === undefined ? {} : { id }),
  ...(price === undefined ? {} : { price }),
  ...(variant === undefined ? {} : { variant }),
  ...(product === undefined ? {} : { product }),
  ...(name === undefined ? {} : { name }),
  quantity
})

const reasons: Readonly<Record<Hold["code"], string>> = {
  unmapped: "No entry of the mapping matches what was bought: map its price to a policy.",
  policy_missing: "The policy of the mapping no longer exists: choose another one.",
  policy_needs_subscription:
    "The policy is for subscriptions, and this was paid once: choose one of another license_type.",
  policy_of_order:
    "The policy is not for subscriptions, and this is one: choose one with the license_type subscription.",
  awaits_subscription: "This is the first order of a subscription, whose own event is not there yet.",
  awaits_payment: "The purchase is not paid yet.",
  awaits_period: "No event has said its period yet.",
  unknown_state: "The provider says a status that this service does not know.",
  too_many_licenses:
    `More than ${mostLicenses} licenses were bought at once: issue them yourself, or map the quantity to seats.`,
  owner_differs:
    "The license belongs to another owner than who pays by now: have it follow who pays, issue another one, or keep it as it is " +
    "(POST /api/v1/billing/purchases/{id}/owner).",
  paid_twice:
    "Another purchase pays for the license by now, and this one is paid again: cancel one of them at the provider, or issue another license " +
    "for this one (POST /api/v1/billing/purchases/{id}/owner).",
  unpaid_change:
    "A change of the purchase was billed and is not paid: what was paid for continues, and the change is made once it is paid.",
  event_ahead:
    "An event is of a time that is more than a day ahead of this service, and is looked at when that has come: check the clock here, or at the " +
    "provider.",
  sold_elsewhere:
    "Another connection has a subscription of the same ID that began in the same second. If both are to one site, keep that connection and change " +
    "its secret, API key or mapping; take the address of this one away from the provider. If they are to two sites, this is another purchase: " +
    "issue its license (POST /api/v1/billing/purchases/{id}/owner).",
  nothing_bought: "No event has said yet what was bought.",
  units_unknown_license:
    "The license that the metadata name does not exist, or is of another product: give the units to a license yourself, or correct the metadata " +
    "and try again.",
  units_no_license:
    "The units are for a license, and the customer has none of the product that works: issue or transfer one and try again, or have the entry " +
    "give them to the customer.",
  units_several_licenses:
    "The units are for a license, and the customer has several of the product: name one in the metadata (license_id), or have " +
    "the entry give them to the customer, for all licenses to share.",
  units_no_customer: "The units are for the customer, and the provider names none.",
  units_refused: "The units cannot be given."
}

/** What waits, and why. */
export const hold = (code: Hold["code"], item?: Item): Hold => ({
  code,
  message: reasons[code],
  ...(item === undefined ? {} : { item: itemShown(item) })
})

const unnamed = "The events name no price. At Stripe, let the payment link or session make an invoice " +
  "(invoice_creation), or map the payment link or metadata."

/** What waits for an entry of the mapping. */
export const unmapped = (slot: Item): Hold => {
  const isNamed = (slot.price ?? slot.variant ?? slot.product) !== undefined
  return isNamed ? hold("unmapped", slot) : { ...hold("unmapped", slot), message: unnamed }
}
