import type { LicenseOverrides } from "../../catalog/terms/Rules.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import { entryFor, meaningOf } from "./Mapping.ts"
import type { Mapping, MappingEntry } from "./Mapping.ts"
import type { PurchaseState, Slot } from "./PurchaseState.ts"

/** The limits that a quantity sets. */
export type Limits = Pick<LicenseOverrides, "max_activations" | "max_floating_users" | "max_users">

/** When the licenses that a price was mapped to before become what it is mapped to now: as soon as they can, or with their next period. */
type Follows = "now" | "renewal"

/**
 * What a purchase said last of a license: what the next look compares with what it says then. Only the difference is written, so that what a
 * person changes meanwhile stands until the purchase says something else about the same thing.
 */
export interface Said {
  /** The ID of what was sold: of the price, or of what stands in its place. */
  readonly sold?: string | undefined
  readonly quantity: number
  readonly policy_id: string
  /** The meaning of the quantity. */
  readonly meaning: NonNullable<MappingEntry["quantity"]>
  /** The end of the period then; undefined of what has none. */
  readonly paid_until?: SourceTime | undefined
  /** The customer who paid; undefined while none is known. */
  readonly customer_id?: string | undefined
  /** Whether the license is to become what its price is mapped to by now; undefined where that is for new purchases alone. */
  readonly follows?: Follows | undefined
  /** What was said before the same place was sold as something else, which holds again where that is not paid. */
  readonly before?: Omit<Said, "before" | "customer_id"> | undefined
}

/** The ID by which what a slot is sold as is mapped. */
export const soldAs = ({ price, product, variant }: Pick<Slot, "price" | "product" | "variant">): string | undefined =>
  price ?? variant ?? product

const paidUntil = (state: PurchaseState, slot: Slot): SourceTime | undefined => slot.period_end ?? state.paid_through

/** The limits that a quantity sets by its meaning. */
export const limitsOf = ({ meaning, quantity }: Pick<Said, "meaning" | "quantity">): Limits =>
  meaning === "seats"
    ? { max_activations: quantity }
    : meaning === "floating_seats"
    ? { max_floating_users: quantity }
    : meaning === "users"
    ? { max_users: quantity }
    : {}

/** The saying of a purchase about the licenses of a slot by an entry of its mapping. */
export const saying = (state: PurchaseState, slot: Slot, entry: MappingEntry): Said => ({
  sold: soldAs(slot),
  quantity: slot.quantity,
  policy_id: entry.policy_id,
  meaning: meaningOf(entry),
  paid_until: paidUntil(state, slot)
})

/** Whether a slot is as what was paid for, while a change of it is not paid. */
const isOwed = ({ money }: Slot): boolean => money?.paid_as !== undefined && money.paid_as !== null

/** Whether a license becomes by now what its price is mapped to since it was sold. */
const isFollowing = (said: Pick<Said, "follows" | "paid_until">, state: PurchaseState, slot: Slot): boolean => {
  const until = paidUntil(state, slot)
  return said.follows === "now" ||
    (said.follows === "renewal" && !isOwed(slot) && until !== undefined && said.paid_until !== undefined &&
      until > said.paid_until)
}

/** What was said of what is sold now: last, or before a change of it that is not paid. */
const saidOf = (said: Said, slot: Slot): Said["before"] =>
  [said, isOwed(slot) ? said.before : undefined]
    .find((one) => one !== undefined && one.sold === soldAs(slot))

/**
 * The entry that a slot goes by: that of its price as it was when its licenses were sold, while the same is sold and they are not to follow
 * another one. What a price is mapped to anew is for those who buy it from then on.
 */
export const entryInForce = (
  entry: MappingEntry,
  said: ReadonlyArray<Said>,
  { slot, state }: { readonly state: PurchaseState; readonly slot: Slot }
): MappingEntry => {
  const last = said.flatMap((one) => saidOf(one, slot) ?? [])[0]
  return last === undefined || isFollowing(last, state, slot)
    ? entry
    : { ...entry, policy_id: last.policy_id, quantity: last.meaning }
}

/** The saying that is kept of a purchase: with the customer who had paid, and whether it waits for the next period to follow its price. */
export const keptAfter = (
  says: Said,
  said: Said | undefined,
  { slot, state }: { readonly state: PurchaseState; readonly slot: Slot }
): Said => {
  const last = said && saidOf(said, slot)
  const before = said === undefined || said.sold === says.sold ? said?.before : formerOf(said)
  return {
    ...says,
    // A period that began while a change is not paid is not one that was paid.
    ...(last !== undefined && isOwed(slot) ? { paid_until: last.paid_until } : {}),
    ...(said?.customer_id === undefined ? {} : { customer_id: said.customer_id }),
    ...(last?.follows !== undefined && !isFollowing(last, state, slot) ? { follows: last.follows } : {}),
    ...(before === undefined ? {} : { before })
  }
}

const formerOf = ({ before: _before, customer_id: _customer, ...said }: Said): Said["before"] => said

const members = [
  "sold",
  "quantity",
  "policy_id",
  "meaning",
  "paid_until",
  "customer_id",
  "follows"
] as const satisfies ReadonlyArray<Exclude<keyof Said, "before">>

const isSameOf = (one: Omit<Said, "before">, other: Omit<Said, "before">): boolean =>
  members.every((member) => one[member] === other[member])

/** Whether two sayings are the same. */
export const isSameSaid = (one: Said, other: Said): boolean =>
  isSameOf(one, other) &&
  (one.before === undefined || other.before === undefined
    ? one.before === other.before
    : isSameOf(one.before, other.before))

/** Whether an entry makes other licenses than those that were sold by it before. */
export const isOtherEntry = (entry: MappingEntry, said: Said): boolean =>
  entry.policy_id !== said.policy_id || meaningOf(entry) !== said.meaning

/** The slot of an item of a purchase, as references name it. */
export const slotOf = (state: PurchaseState, item: string): Slot | undefined =>
  state.slots.find(({ slot }) => item.startsWith(`${slot}.`))

/**
 * What a purchase had said of a license of which that was not kept: what its state says, as it was looked at last, and the policy that the
 * license has.
 */
export const saidBefore = (
  state: PurchaseState,
  mapping: Mapping,
  { customer_id, item, policy_id }: {
    readonly item: string
    readonly policy_id: string
    readonly customer_id: string | undefined
  }
): Said | undefined => {
  const slot = slotOf(state, item)
  const entry = slot === undefined ? undefined : entryFor(mapping, slot, state.origin)
  return slot === undefined || entry === undefined
    ? undefined
    : { ...saying(state, slot, entry), policy_id, customer_id }
}
