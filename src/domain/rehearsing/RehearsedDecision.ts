import { findingsOf } from "../explaining/JudgedCall.ts"
import type { DecidingRules } from "../explaining/JudgedCall.ts"
import { granted, isOfLease } from "./DecidedCalls.ts"
import type { LoggedLicense, LoggedSeat, Moment } from "./RehearsedRecord.ts"
import type { SimulatedLeases } from "./SimulatedLeases.ts"
import type { SimulatedSeats } from "./SimulatedSeats.ts"

/** The seats of a license on one side of a rehearsal: as it was, or under the changed terms. */
export interface Side {
  readonly seats: SimulatedSeats
  readonly leases: SimulatedLeases
}

/** Codes of rules that are judged by what no record has: the product, and the seat to take. */
export const unseen: ReadonlySet<string> = new Set([
  "PRODUCT_MISMATCH",
  "SELF_SERVICE_NOT_ALLOWED",
  "SELF_SERVICE_LIMIT_EXCEEDED"
])

/** Whether a call was refused by a rule about a feature, which comes after all others. */
export const isOfFeature = (code: string): boolean => code.startsWith("FEATURE_")

/** The product of a license, which no recorded call has another name for. */
const unnamed = [{ code: "" }]

/** The code that the rules answer a call, but for those about its feature; undefined where they go by more than is known. */
export const decidedBy = (
  { leases, seats }: Side,
  license: LoggedLicense,
  rules: DecidingRules,
  moment: Moment
): string | undefined => {
  const { device, isVm, kind, operation } = moment
  const user = seats.standingOf(moment, rules)
  if (user === "unknown") return undefined
  const seat = seats.statusOf(device)
  const [first] = findingsOf(
    {
      license,
      state: license.state,
      products: unnamed,
      deviceStatus: leases.statusOf(device, seat),
      deviceFloating: leases.isLive(device) && seat !== "active",
      otherActiveDevices: seats.othersOf(device, kind),
      otherLiveLeases: leases.othersOf(device),
      lease: isOfLease(moment) ? leases.standingOf(device) : "unknown",
      selfService: undefined,
      user,
      feature: undefined
    },
    rules,
    { operation, binding: { is_container: kind === "container", is_vm: isVm } },
    new Date(moment.at)
  )
  return first?.refusal.error.code ?? granted
}

/** Puts a device as it is left that gives its seat back, or whose seat is taken. */
export const retire = ({ leases, seats }: Side, { id, status }: Pick<LoggedSeat, "id" | "status">): void => {
  seats.retire(id, status)
  leases.retire(id, status)
}
