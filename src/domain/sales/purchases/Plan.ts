import { isSuspending } from "../../licensing/licenses/SubscriptionStanding.ts"
import { unitsFor } from "../matching/UnitMapping.ts"
import type { Item } from "../providers/Fact.ts"
import type { Command, Hold, Holding, MappedPolicy, OwnerCommand, Plan, Planned, RecordName } from "./Command.ts"
import { hold, mostLicenses, unmapped } from "./Holds.ts"
import { choicesOf, entryFor } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import type { PurchaseState, Slot } from "./PurchaseState.ts"
import { entryInForce, saying, soldAs } from "./Said.ts"
import { hasUnpaidChange, orderRecord, paidSlot, subscriptionRecord } from "./SlotRecords.ts"
import { handedBy, isOfSlot, keeping, misplacedAmong, stopping, takeableBy, taking } from "./Taking.ts"
import type { Takeable } from "./Taking.ts"

/** The item of a slot: of another product it is another one. */
const itemOf = (slot: Slot, productId: string): string => `${slot.slot}.${productId}`

/** The id of a purchase at its provider. */
const externalId = ({ purchase }: PurchaseState): string => purchase.slice(purchase.indexOf("/") + 1)

/** The record of a slot. The first one has the id of the purchase, so that it is found by that. */
const recordOf = (state: PurchaseState, slot: Slot, productId: string): RecordName => ({
  kind: state.kind!,
  product_id: productId,
  external_id: slot.slot === 0 ? externalId(state) : `${externalId(state)}:${slot.slot}`
})

const only = (code: Hold["code"], item?: Item): Plan => ({ commands: [], holds: [hold(code, item)] })

const nothing: Plan = { commands: [], holds: [] }

/** What hinders a policy from being that of what was bought. */
const policyHold = (state: PurchaseState, slot: Slot, policy: MappedPolicy | undefined): Hold | undefined => {
  if (policy === undefined) return hold("policy_missing", slot)
  const isForSubscriptions = policy.license_type === "subscription"
  if (state.kind === "subscription") return isForSubscriptions ? undefined : hold("policy_of_order", slot)
  if (!isForSubscriptions) return undefined
  // Its orders do not say whether they begin a subscription: what they are mapped to does.
  return hold(state.provider === "lemon_squeezy" ? "awaits_subscription" : "policy_needs_subscription", slot)
}

/** What the record of a slot says, and why its licenses are stopped; a text where nothing is written. */
const standingOf = (state: PurchaseState, slot: Slot, record: RecordName, mapping: Mapping) => {
  if (state.kind === "order") {
    const standing = orderRecord(state, slot, mapping)
    return typeof standing === "string" ? standing : {
      command: { type: "order", record, values: standing.values } as const,
      stopped: standing.stopped,
      isOver: standing.stopped !== undefined,
      isHeld: false
    }
  }
  const values = subscriptionRecord(state, slot, mapping)
  return typeof values === "string" ? values : {
    command: { type: "subscription", record, values } as const,
    stopped: undefined,
    isOver: values.status === "canceled",
    isHeld: isSuspending(values.status)
  }
}

/**
 * Whether a purchase is paid for, and not about to end, although another one of the customer has taken over a license of it and is paid for as
 * well: such as a subscription that ended, was bought again, and is resumed at the provider.
 */
const isPaidTwice = (state: PurchaseState, held: Iterable<Holding>): boolean =>
  state.state === "active" && state.cancel_at === undefined &&
  [...held].some(({ is_elsewhere, is_own, license }) =>
    !is_own && is_elsewhere !== true && license.status !== "revoked"
  )

/** Whether another slot of the purchase has a license by now: its slot had been dropped. */
const isHandedOn = ({ is_own, license }: Holding, holdings: ReadonlyArray<Holding>): boolean =>
  !is_own && holdings.some((other) => other.is_own && other.license.id === license.id)

/** What one slot needs, its licenses of another product included, which end; as what was paid for, where a change of it is not. */
const planOfSlot = (
  state: PurchaseState,
  bought: Slot,
  mapping: Mapping,
  planned: Planned,
  takeable: Takeable
): Plan => {
  const slot = paidSlot(bought) ?? { ...bought, dropped_at: bought.since }
  const plan = planOfPaid(state, slot, mapping, planned, takeable)
  return hasUnpaidChange(bought) ? { ...plan, holds: [...plan.holds, hold("unpaid_change", bought)] } : plan
}

const planOfPaid = (
  state: PurchaseState,
  slot: Slot,
  mapping: Mapping,
  planned: Planned,
  takeable: Takeable
): Plan => {
  const holdings = planned.holdings.filter(isOfSlot(slot))
  const mapped = entryFor(mapping, slot, state.origin)
  const said = holdings.flatMap((holding) => holding.is_own && holding.said !== undefined ? [holding.said] : [])
  const sold = mapped && entryInForce(mapped, said, { state, slot })
  // A policy that is gone sells nothing any more.
  const entry = planned.policies.some(({ id }) => id === sold?.policy_id) ? sold : mapped
  const policy = planned.policies.find(({ id }) => id === entry?.policy_id)
  const hindrance = entry === undefined ? unmapped(slot) : policyHold(state, slot, policy)
  if (entry === undefined || policy === undefined || hindrance !== undefined) {
    return withoutPolicy(state, slot, mapping, holdings, hindrance!)
  }
  const record = recordOf(state, slot, policy.product_id)
  const standing = standingOf(state, slot, record, mapping)
  if (typeof standing === "string") return standing === "nothing" ? nothing : only(standing, slot)
  const item = itemOf(slot, policy.product_id)
  const held = new Map(
    holdings.filter(({ reference }) => reference.item === item).map((holding) => [holding.reference.index, holding])
  )
  const count = entry.quantity === "licenses" ? slot.quantity : 1
  if (count > mostLicenses) return only("too_many_licenses", slot)
  const says = saying(state, slot, entry)
  const licenses = Array.from({ length: count }, (_, index): ReadonlyArray<Command> => {
    const holding = held.get(index)
    if (holding !== undefined && !isHandedOn(holding, planned.holdings)) {
      return keeping(holding, says, { state, slot }, standing)
    }
    // What had ended before it was known owes nobody a license, and ends those that it has in another place.
    if (standing.isOver && !takeable.handed.some(({ to }) => "slot" in to && to.slot === slot.slot)) return []
    return taking(state, slot, { reference: { item, index }, record, says }, takeable)
  })
  const surplus = [...held.values()].filter(({ is_own, reference }) => is_own && reference.index >= count)
  const commands = [
    ...ended(state, slot, mapping, holdings.filter(({ reference }) => reference.item !== item)),
    ...licenses.flat(),
    ...surplus.flatMap((holding) => stopping(holding, "surplus"))
  ]
  // A subscription that was over before anything was issued for it leaves no trace.
  const others = [...held.values()].filter((holding) => !isHandedOn(holding, planned.holdings))
  const holds = !standing.isOver && isPaidTwice(state, others) ? [hold("paid_twice", slot)] : []
  return held.size === 0 && licenses.flat().length === 0
    ? { commands, holds }
    : { commands: [standing.command, ...commands], holds }
}

/** What a slot still does for its licenses, although nothing can be issued for it: they end and pause with it. */
const withoutPolicy = (
  state: PurchaseState,
  slot: Slot,
  mapping: Mapping,
  holdings: ReadonlyArray<Holding>,
  hindrance: Hold
): Plan => {
  const own = holdings.filter(({ is_own }) => is_own)
  const products = [...new Set(own.map(({ license }) => license.product_id))]
  // Another item in the slot, which nothing is made of, ends what the one before was: its licenses do not go on for it.
  const isOther = hindrance.code === "unmapped" &&
    own.every(({ said }) => said?.sold !== undefined && said.sold !== soldAs(slot))
  const left = isOther ? { ...slot, dropped_at: slot.dropped_at ?? slot.sold_since } : slot
  const standings = products.map((productId) =>
    [productId, standingOf(state, left, recordOf(state, slot, productId), mapping)] as const
  )
  const commands = standings.flatMap(([productId, standing]): ReadonlyArray<Command> => {
    if (typeof standing === "string") return []
    const stops = own.filter(({ license }) => license.product_id === productId)
      .flatMap((holding) => stopping(holding, standing.stopped))
    return [standing.command as Command].concat(stops)
  })
  const isIgnored = hindrance.code === "unmapped" && choicesOf(mapping).unmapped === "ignore"
  const isOver = slot.dropped_at !== undefined || state.state === "canceled" || state.state === "incomplete_expired" ||
    state.state === "failed"
  // A price that sells units alone gives no license.
  const isUnits = hindrance.code === "unmapped" && unitsFor(mapping.units, slot, state.origin).length > 0
  return { commands, holds: isIgnored || isOver || isUnits ? [] : [hindrance] }
}

/** The end of licenses that a slot had when it was sold as something of another product. */
const ended = (
  state: PurchaseState,
  slot: Slot,
  mapping: Mapping,
  holdings: ReadonlyArray<Holding>
): ReadonlyArray<Command> => {
  const own = holdings.filter(({ is_own }) => is_own)
  return [...new Set(own.map(({ license }) => license.product_id))].flatMap((productId): ReadonlyArray<Command> => {
    const past = { ...slot, dropped_at: slot.sold_since }
    const standing = standingOf(state, past, recordOf(state, slot, productId), mapping)
    if (typeof standing === "string") return []
    const ofProduct = own.filter(({ license }) => license.product_id === productId)
    return state.kind === "order"
      ? ofProduct.flatMap((holding) => stopping(holding, "dropped"))
      : [standing.command]
  })
}

/** The payer, as far as they are known. */
export const payerCommand = ({ payer: { email, id, name } }: PurchaseState): ReadonlyArray<OwnerCommand> =>
  (id ?? email ?? name) === undefined ? [] : [{
    type: "owner",
    ...(id === undefined ? {} : { external_id: id }),
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name })
  }]

/** The payer, where a license is new, or may be another's by now. */
const ownerOf = (
  state: PurchaseState,
  planned: Planned,
  commands: ReadonlyArray<Command>
): ReadonlyArray<OwnerCommand> => {
  const { email, id } = state.payer
  const isNew = commands.some(({ type }) => type === "issue" || type === "adopt")
  const isAsked = planned.holdings.some(({ is_own, license }) =>
    is_own && (id !== undefined || (email !== undefined && license.customer_email !== email))
  )
  return isNew || isAsked ? payerCommand(state) : []
}

/**
 * What is to be done for a purchase, and what waits: from what it has become, what its connection makes of purchases, and
 * the licenses as they are. Once it is done, the same plan has nothing more to change. Of policy and limits what the purchase says
 * otherwise than before is written, so that what a person changes of them holds until then; a license that a person revoked
 * stays revoked, and none is issued in its place.
 */
export const planOf = (state: PurchaseState, mapping: Mapping, planned: Planned): Plan => {
  if (state.is_beginning === true) return nothing
  if (state.kind === undefined || state.slots.length === 0) return only("nothing_bought")
  const isMapped = (slot: Slot) => entryFor(mapping, slot, state.origin) !== undefined
  const misplaced = misplacedAmong(state.slots, planned.holdings, isMapped)
  const isInPlace = ({ license }: Holding) => !misplaced.some(({ holding }) => holding.license.id === license.id)
  const placed = { ...planned, holdings: planned.holdings.filter(isInPlace) }
  const takeable = {
    adoptable: [...takeableBy(mapping, planned.adoptable)],
    handed: [...misplaced, ...handedBy(state.slots, placed.holdings)]
  }
  const plans = state.slots.map((slot) => planOfSlot(state, slot, mapping, placed, takeable))
  // What is handed over is so before the slot that had it ends.
  const isTaking = ({ commands }: Plan) => commands.some(({ type }) => type === "adopt")
  const commands = [...plans.filter(isTaking), ...plans.filter((plan) => !isTaking(plan))].flatMap((plan) =>
    plan.commands
  )
  return {
    commands: [...ownerOf(state, planned, commands), ...commands],
    holds: plans.flatMap(({ holds }) => holds)
  }
}
