import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { LicenseRecord, PendingUse } from "../license/LicenseRecord.ts"
import { amountOf } from "../transport/Amounts.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { randomHex } from "../transport/Credentials.ts"
import type { VerifiedReceipt } from "../verify/verifyReceipt.ts"
import { decisionOf, problemOf, ProvenRefusal } from "./Refusal.ts"
import type { Session } from "./Session.ts"

/** A value that a feature carries for the app, of the type that the feature says. */
export type FeatureValue = boolean | number | string | ReadonlyArray<string>

/** A feature that the license grants, as the service signed it. */
export interface FeatureGrant {
  readonly code: string
  readonly enabled: boolean
  readonly value?: FeatureValue
  /** How many decimal places its amounts have: with 2, a `remaining` of 150 is 1.50. */
  readonly decimals?: number
  readonly quota?: number
  readonly consumed?: number
  readonly remaining?: number
}

/** The outcome of a recorded usage. */
export interface Use {
  readonly eventId: string
  /** Whether the service counted it; `pending`: it could not be reached, and the use is sent again until it is. */
  readonly state: "counted" | "pending"
}

/** The proof that a use is in the vendor's event log, as it was verified. */
export interface UsageReceipt extends VerifiedReceipt {
  /** The response as it came: what `/verify`, `verifyReceipt` and an auditor check again. */
  readonly text: string
}

/** How many uses may wait for the service. */
const mostPending = 1000

const isCount = (value: unknown): boolean => value === undefined || typeof value === "number"

const isValue = (value: unknown): boolean =>
  ["undefined", "boolean", "number", "string"].includes(typeof value) ||
  (Array.isArray(value) && value.every((text) => typeof text === "string"))

const isGrant = (value: unknown): value is FeatureGrant =>
  isMembers(value) && typeof value["code"] === "string" && typeof value["enabled"] === "boolean" &&
  isValue(value["value"]) && isCount(value["decimals"]) && isCount(value["quota"]) && isCount(value["consumed"]) &&
  isCount(value["remaining"])

/** The features that the signed data grants. */
export const featuresOf = (session: Session): ReadonlyArray<FeatureGrant> => {
  const features = session.data?.["features"]
  return Array.isArray(features) ? features.filter(isGrant) : []
}

const refusal = (code: string, message: string) => new CountersignError({ code, message })

/** An amount in the smallest steps of a feature: a text, such as `0.25`, by the decimal places that the service signed. */
const stepsOf = (session: Session, featureCode: string, amount: number | string): number => {
  if (typeof amount === "number") return amount
  const feature = featuresOf(session).find(({ code }) => code === featureCode)
  const steps = amountOf(amount, feature?.decimals)
  if (steps === undefined) {
    throw refusal("AMOUNT_INVALID", `"${amount}" is no amount with ${feature?.decimals ?? 0} decimal places.`)
  }
  return steps
}

/** The reason why a usage that cannot be sent now may not wait either; undefined if it may. */
const whyNot = (session: Session, use: PendingUse): CountersignError | undefined => {
  const feature = featuresOf(session).find(({ code }) => code === use.featureCode)
  if (feature?.enabled !== true) return refusal("FEATURE_NOT_ENTITLED", "The license does not grant this feature.")
  const { pending } = session.record
  if (pending.length > mostPending) return refusal("TOO_MANY_PENDING", `${mostPending} uses wait for the service.`)
  const waiting = pending.filter(({ featureCode }) => featureCode === use.featureCode)
    .reduce((sum, { amount }) => sum + amount, 0)
  return feature.remaining !== undefined && waiting > feature.remaining
    ? refusal(
      "FEATURE_QUOTA_EXCEEDED",
      "The rest of the feature's quota is already used by events that were not sent yet."
    )
    : undefined
}

const without = ({ eventId }: PendingUse) => (record: LicenseRecord): LicenseRecord => ({
  ...record,
  pending: record.pending.filter((use) => use.eventId !== eventId)
})

const settle = (session: Session, use: PendingUse) => session.update(without(use))

/** Sends one use, which has been written down. Rejects with why it was not counted. */
const send = async (session: Session, use: PendingUse): Promise<void> => {
  const sentAt = session.record.version
  const answered = await session.requests.send("consume", use.licenseKey, {
    feature_code: use.featureCode,
    amount: use.amount,
    event_id: use.eventId,
    ...(use.dimensions === undefined ? {} : { dimensions: use.dimensions })
  }, session.record)
  return session.confirm(answered, sentAt, without(use), { about: use.licenseKey, otherwise: without(use) })
}

/** The refusals after which a usage will never be counted. */
const final: ReadonlySet<string> = new Set([
  "FEATURE_NOT_ENTITLED",
  "FEATURE_QUOTA_EXCEEDED",
  "IDEMPOTENCY_CONFLICT",
  "LICENSE_KEY_INVALID"
])

/** Whether a use will never be counted: the service signed that, or could not read it, which it says before it decides. */
const isForGood = (error: unknown): boolean =>
  error instanceof ProvenRefusal ? final.has(error.code) : problemOf(error).code === "VALIDATION_ERROR"

/**
 * Uses up some of a metered feature. The use is written down before it is sent, so that it is sent again after a crash, with
 * the same event id, and counted once. Rejects with a {@link CountersignError} if it is refused, and with the store's error if
 * it cannot be written down.
 */
export const consume = async (
  session: Session,
  { dimensions, eventId = randomHex(), featureCode, given }: Pick<PendingUse, "dimensions" | "featureCode"> & {
    readonly given: number | string
    readonly eventId?: string | undefined
  }
): Promise<Use> => {
  await session.sync()
  const { licenseKey } = session
  if (licenseKey === undefined) throw refusal("NO_LICENSE", "There is no license whose feature could be used.")
  const use = { licenseKey, featureCode, amount: stepsOf(session, featureCode, given), eventId, dimensions }
  const isNew = session.record.pending.every((pending) => pending.eventId !== eventId)
  if (isNew) {
    await session.update((record) => ({ ...record, pending: [...record.pending, use] }), { mustKeep: true })
  }
  try {
    await send(session, use)
    return { eventId, state: "counted" }
  } catch (error) {
    const isFinal = isForGood(error)
    const isAboutLicense = decisionOf(error) !== undefined
    // A refusal about a feature says nothing of the license.
    if (!isFinal || isAboutLicense) await session.refuse(error, licenseKey)
    const isDecided = isFinal || isAboutLicense
    const reason = isDecided || !session.isRunning ? error : whyNot(session, use)
    if (reason === undefined) return { eventId, state: "pending" }
    await settle(session, use)
    throw reason
  }
}

/** Sends pending usage, oldest first, until the service cannot be reached. A final refusal is reported, and its usage dropped. */
export const flush = async (session: Session): Promise<void> => {
  for (const use of session.record.pending) {
    try {
      await send(session, use)
    } catch (error) {
      if (isForGood(error)) {
        session.options.onProblem?.(error)
        await settle(session, use)
      } else if (decisionOf(error) === undefined) return
    }
  }
}

/** A refund of a use. */
export interface Refund {
  readonly eventId: string
  readonly amount: number
  /** How much of the use is refunded by now. */
  readonly refunded: number
}

/** The refusals of a refund that are about the use, and say nothing of the license. */
const aboutUse: ReadonlySet<string> = new Set(["REFUND_NOT_ALLOWED", "NOT_FOUND", "STATE_CONFLICT", "VALIDATION_ERROR"])

const refundOf = ({ refund }: Readonly<Record<string, unknown>>, eventId: string): Refund => {
  if (isMembers(refund) && typeof refund["amount"] === "number" && typeof refund["refunded"] === "number") {
    return { eventId, amount: refund["amount"], refunded: refund["refunded"] }
  }
  throw refusal("INVALID_ANSWER", "The response has no refund.")
}

/**
 * Gives a use back, whole or in part. Only the service can: nothing of it waits. A use that still waits is sent before it is refunded.
 * Rejects with a {@link CountersignError} if it is refused or nobody can be asked.
 */
export const refund = async (
  session: Session,
  { eventId, featureCode, given }: Pick<PendingUse, "eventId" | "featureCode"> & {
    readonly given: number | string | undefined
  }
): Promise<Refund> => {
  await session.sync()
  const { licenseKey } = session
  if (licenseKey === undefined) throw refusal("NO_LICENSE", "There is no license whose usage could be refunded.")
  const amount = given === undefined ? {} : { amount: stepsOf(session, featureCode, given) }
  const pending = session.record.pending.find((use) => use.eventId === eventId && use.featureCode === featureCode)
  try {
    if (pending !== undefined) await send(session, pending)
    const sentAt = session.record.version
    const members = { feature_code: featureCode, event_id: eventId, ...amount }
    const answered = await session.requests.send("usage/refund", licenseKey, members, session.record)
    await session.confirm(answered, sentAt, (record) => record, { about: licenseKey })
    return refundOf(answered.data, eventId)
  } catch (error) {
    if (!isForGood(error) && !aboutUse.has(problemOf(error).code)) await session.refuse(error, licenseKey)
    throw error
  }
}
