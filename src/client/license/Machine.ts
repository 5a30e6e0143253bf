import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { reasonOf, reasons, refusalReasons, runningStates } from "./States.ts"
import type { AppProblem, AppState, Reason } from "./States.ts"

/** Until when a license may run without the service; instants in Unix milliseconds. */
export interface Limits {
  /** `valid_until` of the last signed answer. */
  readonly validUntil?: number | undefined
  /** The end of the vendor's grace after it. */
  readonly graceUntil?: number | undefined
  /** `valid_until` of the offline envelope. */
  readonly offlineUntil?: number | undefined
  /** Whether the signed answer is about a trial, whose end no grace defers. */
  readonly isTrial?: boolean | undefined
}

/** The state of a license with its reason. */
export interface Standing {
  readonly state: AppState
  readonly reason: Reason
  readonly limits: Limits
  /** Until when it stands so if the service stays away, in Unix milliseconds; undefined where the app does not run. */
  readonly until?: number | undefined
  /** The error that led here. */
  readonly error?: AppProblem | undefined
}

/** The events in the life of a license in an app. */
export type AppEvent =
  /** The service answered, signed and verified; or such an answer was kept and verified again. */
  | { readonly type: "confirmed"; readonly status: string; readonly limits: Limits }
  /** An offline envelope or a file was verified, whose time may be over. */
  | { readonly type: "sealed"; readonly offlineUntil: number }
  /** The service refused, signed and verified; or such a refusal was kept and verified again. */
  | { readonly type: "refused"; readonly error: AppProblem }
  /** A response in the form of a refusal, without the signature of a trusted key. It proves nothing. */
  | { readonly type: "unsigned"; readonly error: AppProblem }
  /** Nobody answered, or not the service, or it decided nothing. */
  | { readonly type: "unreachable"; readonly error: AppProblem }
  /** Time has passed. */
  | { readonly type: "ticked" }
  /** This device gave its seat back. */
  | { readonly type: "deactivated" }
  /** The kept record is another device's. */
  | { readonly type: "copied"; readonly error: AppProblem }
  /** The kept record cannot be read, or does not verify. */
  | { readonly type: "damaged"; readonly error: AppProblem }

type EventType = AppEvent["type"]

/** One row of the published table. Of the rows for a state and an event, the first whose condition holds counts. */
export interface Transition {
  readonly from: ReadonlyArray<AppState>
  readonly event: EventType
  /** The condition, in words; empty where there is none. */
  readonly when: string
  /** The reason of the new state; `same`: as before. */
  readonly to: Reason | "same"
}

interface Row extends Transition {
  readonly holds: (standing: Standing, limits: Limits, event: AppEvent, now: number) => boolean
}

const row = (
  event: EventType,
  from: ReadonlyArray<AppState>,
  when: string,
  holds: Row["holds"],
  to: Row["to"]
): Row => ({ event, from, when, holds, to })

const always = () => true

/** States in which an offline envelope helps: an active app needs none, and the others were refused. */
const sealable: ReadonlyArray<AppState> = ["grace", "offline", "expired", "unlicensed"]

/** In which the clock may change something; the others wait for the service. */
const timed: ReadonlyArray<AppState> = [...runningStates, "expired"]
const decided: ReadonlyArray<AppState> = ["suspended", "revoked", "over-limit", "unlicensed"]
const everywhere: ReadonlyArray<AppState> = [...timed, ...decided]

/** Whether it is not yet later than a limit. */
const within = (limit: keyof Omit<Limits, "isTrial">) => (_: Standing, limits: Limits, __: AppEvent, now: number) =>
  limits[limit] !== undefined && now <= limits[limit]

const wasRefused: Row["holds"] = ({ reason }) => reason === "license_expired" || reason === "trial_used"
const isGood = "the offline envelope is good"
const isValid = "`valid_until` is not past"
const isGrace = "the vendor's grace is not over"

const isEnvelopeAll: Row["holds"] = (_, { graceUntil, offlineUntil }) =>
  offlineUntil !== undefined && graceUntil === undefined

/** The standing when both the envelope and the answer are too old or missing. */
const tooOld = (event: EventType): ReadonlyArray<Row> => [
  row(event, timed, isGrace, within("graceUntil"), "unreachable"),
  row(event, timed, "it is a trial", (_, { isTrial }) => isTrial === true, "trial_over"),
  row(event, timed, "an offline envelope is all that was had", isEnvelopeAll, "offline_over"),
  row(event, timed, "", always, "grace_over")
]

const stillValid = (event: EventType): ReadonlyArray<Row> => [
  row(event, ["active"], isValid, within("validUntil"), "same"),
  row(event, ["grace", "offline", "expired"], isValid, within("validUntil"), "confirmed")
]

/** The standing when no decision about the license came. */
const unheard = (event: EventType): ReadonlyArray<Row> => [
  row(event, decided, "", always, "same"),
  row(event, ["expired"], "the service said so", wasRefused, "same"),
  row(event, timed, isGood, within("offlineUntil"), "offline_envelope"),
  ...stillValid(event),
  ...tooOld(event)
]

const isRefusal = (code: string, detail: string | undefined): Row["holds"] => (_, __, event) =>
  event.type === "refused" && event.error.code === code && (detail === undefined || event.error.detail === detail)

const rows: ReadonlyArray<Row> = [
  row(
    "confirmed",
    everywhere,
    "its `status` is `grace_period`",
    (_, __, event) => event.type === "confirmed" && event.status === "grace_period",
    "renewal_due"
  ),
  row("confirmed", everywhere, "", always, "confirmed"),
  row("sealed", sealable, isGood, within("offlineUntil"), "offline_envelope"),
  row("sealed", ["unlicensed"], "nothing else is known", ({ reason }) => reason === "no_license", "offline_over"),
  row("sealed", everywhere, "", always, "same"),
  ...refusalReasons.map(([code, detail, reason]) =>
    row(
      "refused",
      everywhere,
      detail === undefined ? `\`${code}\`` : `\`${code}\`, detail \`${detail}\``,
      isRefusal(code, detail),
      reason
    )
  ),
  row(
    "refused",
    everywhere,
    "`LICENSE_INACTIVE`, any other detail",
    isRefusal("LICENSE_INACTIVE", undefined),
    reasonOf({ code: "LICENSE_INACTIVE" })!
  ),
  row("refused", everywhere, "any other code", always, "same"),
  ...unheard("unsigned"),
  ...unheard("unreachable"),
  row("ticked", decided, "", always, "same"),
  row("ticked", ["expired"], "the service said so", wasRefused, "same"),
  row("ticked", ["offline"], isGood, within("offlineUntil"), "same"),
  ...stillValid("ticked"),
  row("ticked", ["active", "grace", "expired"], isGood, within("offlineUntil"), "offline_envelope"),
  ...tooOld("ticked"),
  row("deactivated", everywhere, "", always, "given_back"),
  row("copied", everywhere, "", always, "other_device"),
  row("damaged", everywhere, "", always, "store_unreadable")
]

/** The table of the machine, as docs/reference/app-states.md shows it. */
export const transitions: ReadonlyArray<Transition> = rows.map(({ event, from, to, when }) => ({
  event,
  from,
  to,
  when
}))

/** How a license stands of which nothing is known. */
export const initial: Standing = { state: "unlicensed", reason: "no_license", limits: {} }

const limitsAfter = ({ limits }: Standing, event: AppEvent): Limits => {
  switch (event.type) {
    case "confirmed":
      return { ...event.limits, offlineUntil: limits.offlineUntil }
    case "sealed":
      return { ...limits, offlineUntil: event.offlineUntil }
    case "deactivated":
    case "copied":
    case "damaged":
      return {}
    default:
      return limits
  }
}

const errorAfter = (standing: Standing, event: AppEvent, isSame: boolean): AppProblem | undefined => {
  if (event.type === "confirmed" || event.type === "deactivated") return undefined
  if (!("error" in event)) return standing.error
  // The reason of a refusal matters more than that no request succeeded since.
  return isSame && !runningStates.includes(standing.state) ? standing.error ?? event.error : event.error
}

const untilOf = (reason: Reason, limits: Limits): number | undefined => {
  switch (reasons[reason].state) {
    case "active":
      return limits.validUntil
    case "grace":
      return limits.graceUntil
    case "offline":
      return limits.offlineUntil
    default:
      return undefined
  }
}

/**
 * How a license stands after an event, at an instant in Unix milliseconds. It depends on nothing else, and does nothing: the
 * whole of what {@link transitions} shows.
 */
export const next = (standing: Standing, event: AppEvent, now: number): Standing => {
  const limits = limitsAfter(standing, event)
  const { to } = rows.find((candidate) =>
    candidate.event === event.type && candidate.from.includes(standing.state) &&
    candidate.holds(standing, limits, event, now)
  )!
  const reason = to === "same" ? standing.reason : to
  return {
    state: reasons[reason].state,
    reason,
    limits,
    until: untilOf(reason, limits),
    error: errorAfter(standing, event, to === "same")
  }
}

/** An instant of signed data in Unix milliseconds; undefined where it is none. */
export const instantOf = (value: unknown): number | undefined => {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** Until when signed data may be relied on without the service. A trial's end, which is known, is the end. */
export const limitsOf = (data: JsonMembers, graceMs: number): Limits => {
  const validUntil = instantOf(data["valid_until"])
  if (validUntil === undefined) return {}
  const isTrial = data["license_type"] === "trial"
  const end = isTrial ? Math.max(validUntil, instantOf(data["expires_at"]) ?? Infinity) : Infinity
  return { validUntil, graceUntil: Math.min(validUntil + graceMs, end), isTrial }
}

/** Whether signed data is of the test environment, whose clock may be moved. */
export const isOfTest = (data: JsonMembers): boolean => data["environment"] === "test"

/** The value of a signed custom field; a time is a text. */
export type CustomFieldValue = boolean | number | string

/** The value of a custom field in the signed data; undefined where there is none. */
export const customFieldOf = (data: JsonMembers | undefined, code: string): CustomFieldValue | undefined => {
  const fields = data?.["custom_fields"]
  const value = isMembers(fields) && Object.hasOwn(fields, code) ? fields[code] : undefined
  return typeof value === "boolean" || typeof value === "number" || typeof value === "string" ? value : undefined
}
