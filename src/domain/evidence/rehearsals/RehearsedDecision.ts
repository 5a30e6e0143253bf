import { findingsOf } from "../../licensing/explaining/JudgedCall.ts"
import type { DecidingRules } from "../../licensing/explaining/JudgedCall.ts"
import type { UserStanding } from "../../licensing/users/UserStanding.ts"
import { unknownUser } from "../../licensing/users/UserStanding.ts"
import { granted, isOfLease, several } from "../recording/DecidedUse.ts"
import type { LoggedLicense, LoggedSeat, Moment } from "../recording/DecidedUse.ts"
import type { UnknownReason } from "./PolicyRehearsal.ts"
import type { SimulatedLeases } from "./SimulatedLeases.ts"
import type { SimulatedSeats } from "./SimulatedSeats.ts"
import type { SimulatedUsers } from "./SimulatedUsers.ts"

/** The seats of a license on one side of a rehearsal: as it was, or under the changed terms. */
export interface Side {
  readonly seats: SimulatedSeats
  readonly leases: SimulatedLeases
  /** Of the changed terms: who has a seat for users, and the seats of devices as they were. */
  readonly changes?: { readonly users: SimulatedUsers; readonly actual: SimulatedSeats }
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

/** Codes of a license that is not in force, for which sign-ins are refused, too. */
const outOfForce: ReadonlySet<string> = new Set(["LICENSE_EXPIRED", "LICENSE_INACTIVE"])

/** Codes of rules that come before those about users. */
const beforeUsers: ReadonlySet<string> = new Set([
  ...outOfForce,
  "CONTAINER_NOT_ALLOWED",
  "DEVICE_BLACKLISTED",
  "VM_NOT_ALLOWED"
])

/** Whether a license is in force under rules, so that people may sign in. */
export const isInForce = (license: LoggedLicense, rules: DecidingRules, at: number): boolean =>
  findingsOf(
    {
      license,
      state: license.state,
      products: unnamed,
      deviceStatus: undefined,
      deviceFloating: false,
      otherActiveDevices: 0,
      otherLiveLeases: 0,
      lease: "unknown",
      selfService: undefined,
      feature: undefined
    },
    rules,
    { operation: "validate" },
    new Date(at)
  ).length === 0

/** How the user of a call stands; `unknown` where that goes by more than is known. */
const userOf = (
  { changes, seats }: Side,
  rules: DecidingRules,
  moment: Moment
): UserStanding | "unknown" | undefined => {
  const { device, operation, result, userId } = moment
  // These need nobody who is signed in.
  if (rules.max_users === undefined || operation === "deactivate" || operation === "checkin") return undefined
  if (changes === undefined) return seats.standingOf(moment, rules, false)
  if (userId !== several) {
    const seat = changes.users.seatOf(userId)
    // Whoever could not sign in before would have.
    if (seat === "unknown" || (userId === undefined && outOfForce.has(result))) return "unknown"
    if (seat === "refused") return unknownUser(undefined)
  }
  return seats.standingOf(moment, rules, changes.actual.userOf(device) !== undefined)
}

/** The code that the rules answer a call, but for those about its feature; undefined where they go by more than is known. */
export const decidedBy = (
  side: Side,
  license: LoggedLicense,
  rules: DecidingRules,
  moment: Moment
): string | undefined => {
  const { leases, seats } = side
  const { device, isVm, kind, operation } = moment
  const user = userOf(side, rules, moment)
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
      user: user === "unknown" ? undefined : user,
      feature: undefined
    },
    rules,
    { operation, binding: { is_container: kind === "container", is_vm: isVm } },
    new Date(moment.at)
  )
  const code = first?.refusal.error.code ?? granted
  return user === "unknown" && !beforeUsers.has(code) ? undefined : code
}

/** Puts a device as it is left that gives its seat back, or whose seat is taken. */
export const retire = ({ leases, seats }: Side, { id, status }: Pick<LoggedSeat, "id" | "status">): void => {
  seats.retire(id, status)
  leases.retire(id, status)
}

/** The outcome of calls under the changed terms. */
export interface RehearsedOutcome {
  readonly device: string
  readonly calls: number
  /** `granted`, or the code of the refusal, as it was. */
  readonly before: string
  /** The same under the changed terms; undefined where that is not known. */
  readonly after: string | undefined
  readonly unknown?: UnknownReason
}

/** The outcome of calls, with the reason why it is not known. */
export const outcomeOfCalls = (
  outcome: Omit<RehearsedOutcome, "unknown">,
  unknown: UnknownReason | undefined
): RehearsedOutcome => unknown === undefined ? outcome : { ...outcome, unknown }
