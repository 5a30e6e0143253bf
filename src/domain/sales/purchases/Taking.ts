import { wireTime } from "../providers/SourceTime.ts"
import type { Adoptable, Command, Holding, Plan, StopReason } from "./Command.ts"
import { choicesOf } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import type { PurchaseState, Slot } from "./PurchaseState.ts"
import { isSameSaid, keptAfter, limitsOf } from "./Said.ts"
import type { Limits, Said } from "./Said.ts"
import { beganAt, isSoldBy } from "./Slots.ts"

/** Stops or resumes a license, where it is not so already. */
export const stopping = ({ license, stopped }: Holding, reason: StopReason | undefined): ReadonlyArray<Command> => {
  if (license.status === "revoked" || (reason === undefined) === (stopped === undefined)) return []
  return [
    reason === undefined
      ? { type: "resume", license_id: license.id }
      : { type: "stop", license_id: license.id, reason }
  ]
}

/** The limits that are bought otherwise than was said last, and that a license does not have yet. */
const limiting = (
  { id, overrides }: Pick<Holding["license"], "id" | "overrides">,
  says: Said,
  said?: Said
): ReadonlyArray<Command> => {
  const [limits, before] = [limitsOf(says), said === undefined ? undefined : limitsOf(said)]
  const names = Object.keys({ ...before, ...limits }) as ReadonlyArray<keyof Limits>
  const changed = names.filter((name) =>
    limits[name] !== before?.[name] && (overrides?.[name] ?? undefined) !== limits[name] &&
    // A limit of another meaning of the quantity is taken away, unless it is a person's.
    (limits[name] !== undefined || overrides?.[name] === before?.[name])
  )
  const replaces = before !== undefined && changed.some((name) => overrides?.[name] !== before[name])
  return changed.length === 0
    ? []
    : [{
      type: "limits",
      license_id: id,
      overrides: Object.fromEntries(changed.map((name) => [name, limits[name] ?? null])),
      ...(replaces ? { replaces } : {})
    }]
}

/** The policy that is bought, where that is another than was said last, and the license has not got it yet. */
const moving = (
  { id, policy_id }: Pick<Holding["license"], "id" | "policy_id">,
  says: Said,
  said?: Said
): ReadonlyArray<Command> =>
  policy_id === says.policy_id || said?.policy_id === says.policy_id
    ? []
    : [{
      type: "policy",
      license_id: id,
      policy_id: says.policy_id,
      ...(said !== undefined && said.policy_id !== policy_id ? { replaces: true } : {})
    }]

/** A license that was issued for a slot, brought to what is bought now, as far as that is something else than before. */
export const keeping = (
  holding: Holding,
  says: Said,
  sold: { readonly state: PurchaseState; readonly slot: Slot },
  standing: { readonly isOver: boolean; readonly isHeld: boolean; readonly stopped: StopReason | undefined }
): ReadonlyArray<Command> => {
  const { license, said } = holding
  if (!holding.is_own || license.status === "revoked") return []
  if (standing.isOver) return stopping(holding, standing.stopped)
  const kept = keptAfter(says, said, sold)
  return [
    // What its subscription suspends works again with that: until then, one that is bought again stays stopped.
    ...(standing.isHeld && standing.stopped === undefined ? [] : stopping(holding, standing.stopped)),
    ...moving(license, says, said),
    ...limiting(license, says, said),
    ...(said !== undefined && isSameSaid(said, kept)
      ? []
      : [{ type: "said", license_id: license.id, said: kept } as const])
  ]
}

/** Whether a license was issued for a slot. */
export const isOfSlot = (slot: Slot) => ({ reference }: Holding): boolean => reference.item.startsWith(`${slot.slot}.`)

/**
 * Whether a license of another subscription of the owner may be gone on with once that ends. What a person suspended stays so, and somebody who
 * pays gets another one.
 */
const isOfOwner = (productId: string, { license, of_record }: Adoptable): boolean =>
  of_record === undefined && license.product_id === productId && license.status !== "revoked" &&
  (license.status !== "suspended" || license.suspended_by === "subscription") && license.expires_at !== undefined

/**
 * Whether such a license is one to go on with: it had ended before the purchase began, or its subscription is not renewed any more. What began
 * later goes on with what began before, and never the other way round, whichever of them is told of first.
 */
const isToGoOn = (state: PurchaseState, productId: string) => (adoptable: Adoptable): boolean =>
  isOfOwner(productId, adoptable) && state.began_at !== undefined &&
  (adoptable.began_at === undefined || adoptable.began_at <= state.began_at) &&
  (adoptable.is_ending === true || adoptable.license.expires_at! <= wireTime(state.began_at))

/** Of the licenses that could be taken over, those that may be: what is bought again gets another license where the mapping says so. */
export const takeableBy = (mapping: Mapping, adoptable: ReadonlyArray<Adoptable>): ReadonlyArray<Adoptable> =>
  choicesOf(mapping).bought_again === "continue"
    ? adoptable
    : adoptable.filter(({ of_record }) => of_record !== undefined)

/** How far the end of one subscription and the beginning of another may be apart where the end is told late, in milliseconds. */
const nearMillis = 86_400_000

/**
 * The licenses of subscriptions that ended within a day of when this one began. They are gone on with also where the end is told so late that
 * this one has a license of its own by then, as long as nobody has used that.
 */
export const endedNear = (state: PurchaseState, adoptable: ReadonlyArray<Adoptable>): ReadonlyArray<Adoptable> => {
  if (state.began_at === undefined) return []
  const began = Date.parse(wireTime(state.began_at))
  return adoptable.filter(({ ended_at, is_ending }) =>
    is_ending === true && ended_at !== undefined && Math.abs(Date.parse(wireTime(ended_at)) - began) <= nearMillis
  )
}

const referenceOf = ({ reference: { index, item } }: Pick<Holding, "reference">): string => `${item} ${index}`

/**
 * A plan that takes over licenses in the place of some that nobody has used, and which these are; undefined where it takes over none. Nothing
 * is issued by it: one that nobody has used is better than another one of that kind.
 */
export const planInPlaceOf = (
  holdings: ReadonlyArray<Holding>,
  isUnused: (holding: Holding) => boolean,
  planWithout: (holdings: ReadonlyArray<Holding>) => Plan
): (Plan & { readonly replaced: ReadonlyArray<{ readonly license_id: string; readonly by: string }> }) | undefined => {
  const adoptions = ({ commands }: Plan) =>
    new Map(
      commands.flatMap((command) =>
        command.type === "adopt" ? [[referenceOf(command), command.license_id] as const] : []
      )
    )
  const first = adoptions(planWithout(holdings.filter((holding) => !isUnused(holding))))
  const gone = holdings.filter((holding) => isUnused(holding) && first.has(referenceOf(holding)))
  if (gone.length === 0) return undefined
  const plan = planWithout(holdings.filter((holding) => !gone.includes(holding)))
  const taken = adoptions(plan)
  const isWhole = gone.every((holding) => taken.has(referenceOf(holding))) &&
    !plan.commands.some(({ type }) => type === "issue")
  return isWhole
    ? { ...plan, replaced: gone.map((one) => ({ license_id: one.license.id, by: taken.get(referenceOf(one))! })) }
    : undefined
}

/** Licenses that may be taken over, each once: of other slots, and those that the purchase may adopt. */
export interface Takeable {
  readonly handed: Array<Handed>
  readonly adoptable: Array<Adoptable>
}

/** A license of another slot, for the one that is named, or for one of the same product that came when its own was dropped. */
interface Handed {
  readonly holding: Holding
  readonly to: { readonly slot: number } | { readonly at: Slot["since"] }
}

/**
 * The licenses of slots that are something else by now than these were sold as, each with the slot that this is: slots are numbered in the order
 * in which they began, and an event that is older than those that are known may begin another one before them.
 */
export const misplacedAmong = (
  slots: ReadonlyArray<Slot>,
  holdings: ReadonlyArray<Holding>,
  isMapped: (slot: Slot) => boolean
): ReadonlyArray<Handed> => {
  const own = holdings.filter(({ is_own, license }) => is_own && license.status !== "revoked")
  const isAt = ({ said }: Holding, slot: Slot) => said?.sold !== undefined && isSoldBy(slot, said.sold)
  return own.flatMap((holding) => {
    const place = slots.find((slot) => isOfSlot(slot)(holding))
    if (holding.said?.sold === undefined || (place !== undefined && isAt(holding, place))) return []
    const to = slots.find((slot) =>
      slot !== place && slot.dropped_at === undefined && isAt(holding, slot) && isMapped(slot) &&
      !own.some((other) =>
        isOfSlot(slot)(other) && isAt(other, slot) && other.license.product_id === holding.license.product_id
      )
    )
    return to === undefined ? [] : [{ holding, to: { slot: to.slot } }]
  })
}

/** The licenses of slots that were dropped, which those have that came in their place. */
export const handedBy = (slots: ReadonlyArray<Slot>, holdings: ReadonlyArray<Holding>): ReadonlyArray<Handed> =>
  slots.flatMap((slot) =>
    slot.dropped_at === undefined
      ? []
      : holdings.filter((holding) => isOfSlot(slot)(holding) && holding.is_own && holding.license.status !== "revoked")
        .map((holding) => ({ holding, to: { at: slot.dropped_at! } }))
  )

/** Whether a license of another slot is for this one. */
const isHandedTo = (slot: Slot, productId: string) => ({ holding, to }: Handed): boolean =>
  ("slot" in to ? to.slot === slot.slot : to.at === beganAt(slot)) && holding.license.product_id === productId

/** Takes what fits out of a list; undefined where nothing does. */
const taken = <A>(list: Array<A>, isFit: (one: A) => boolean): A | undefined => {
  const found = list.findIndex(isFit)
  return found < 0 ? undefined : list.splice(found, 1)[0]
}

/** What a license needs that is to be: one that is there already is taken over, else one is issued. */
export const taking = (
  state: PurchaseState,
  slot: Slot,
  { record, reference, says }: Pick<Extract<Command, { readonly type: "issue" }>, "record" | "reference"> & {
    readonly says: Said
  },
  { adoptable, handed }: Takeable
): ReadonlyArray<Command> => {
  const { product_id } = record
  const left = taken(handed, isHandedTo(slot, product_id))
  if (left !== undefined) {
    const { license, said } = left.holding
    return [
      { type: "adopt", license_id: license.id, reference, record, said: says },
      ...moving(license, says, said),
      ...limiting(license, says, said)
    ]
  }
  const moved = taken(
    adoptable,
    ({ license, of_record }) =>
      of_record === record.external_id && license.product_id === product_id && license.status !== "revoked"
  )
  // It stays as the vendor's own program had made it, until the purchase says something else.
  if (moved !== undefined) {
    return [{ type: "adopt", is_moving_in: true, license_id: moved.license.id, reference, record, said: says }]
  }
  const adopted = state.kind === "subscription" ? taken(adoptable, isToGoOn(state, product_id)) : undefined
  return adopted === undefined
    ? [{ type: "issue", reference, record, policy_id: says.policy_id, overrides: limitsOf(says), said: says }]
    : [
      { type: "adopt", license_id: adopted.license.id, reference, record, said: says },
      ...moving(adopted.license, says, adopted.said),
      ...limiting(adopted.license, says, adopted.said)
    ]
}

/**
 * Whether a plan issues a license to a customer who has one of the same product that another subscription pays for still: where that one is
 * about to end, this is the license to go on with.
 */
export const mayGoOn = ({ commands }: Plan, adoptable: ReadonlyArray<Adoptable>): boolean => {
  const taken = new Set(commands.flatMap((command) => command.type === "adopt" ? [command.license_id] : []))
  const working = adoptable.filter(({ license }) => !taken.has(license.id) && license.status !== "expired")
  return commands.some((command) =>
    command.type === "issue" && command.record.kind === "subscription" &&
    working.some((one) => isOfOwner(command.record.product_id, one))
  )
}
