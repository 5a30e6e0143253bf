/**
 * The calls of a device about its license: it is taken over, checked while the app runs, and given back.
 */
import { ofNobody, recordFor } from "../license/LicenseRecord.ts"
import type { SignedInUser } from "../license/LicenseRecord.ts"
import { isReleased } from "../license/States.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { flush } from "./Consumption.ts"
import type { FloatingSeat } from "./FloatingSeat.ts"
import { decisionOf, problemOf, ProvenRefusal } from "./Refusal.ts"
import type { Session } from "./Session.ts"
import { renewUser } from "./UserSigningIn.ts"

/** Asks whether the license still stands, and activates again where the device was released for its absence. */
const revalidate = async (session: Session, licenseKey: string, isCopied: boolean): Promise<void> => {
  const sentAt = session.record.version
  const answered = await session.requests.send("validate", licenseKey, {}, session.record).catch(
    (error: unknown) => {
      const isLapsed = error instanceof ProvenRefusal && error.code === "DEVICE_NOT_ACTIVATED" && !isReleased(error)
      if (!isLapsed || isCopied) throw error
      // The device was away for long, and its seat expired.
      return session.requests.send("activate", licenseKey, {}, session.record)
    }
  )
  await session.confirm(answered, sentAt, (record) => recordFor(record, licenseKey), { about: licenseKey })
}

/** Asks the service whether this device may run. Never rejects for what the service says, or for its silence. */
export const checkLicense = async (session: Session, floating: FloatingSeat): Promise<void> => {
  await session.sync()
  const { licenseKey } = session
  const isReturned = session.record.isGivenBack === true || session.hasReturnedSeat
  if (licenseKey === undefined || isReturned) return
  const learned = await session.requests.relearnKeys(session.record)
  if (learned.keys !== undefined) await session.update((record) => session.withLearned(record, learned))
  const { isCopied } = session
  await renewUser(session, licenseKey)
  try {
    if (session.record.isFloating === true) await floating.renew(licenseKey)
    else await revalidate(session, licenseKey, isCopied)
    await flush(session)
  } catch (error) {
    // A copied store is reported as that, and not as a device that was never activated.
    if (!(isCopied && problemOf(error).code === "DEVICE_NOT_ACTIVATED")) await session.refuse(error, licenseKey)
  }
}

/** Takes over a license that this device was activated with, for a person where one signed in. */
export const adoptLicense = async (
  session: Session,
  licenseKey: string | undefined,
  send: () => ReturnType<Session["requests"]["send"]>,
  user: SignedInUser | undefined
): Promise<void> => {
  await session.sync()
  const sentAt = session.record.version
  const answered = await send()
  const key = licenseKey ?? answered.data["license_key"]
  if (typeof key !== "string") {
    throw new CountersignError({
      code: "LICENSE_KEY_REPLACED",
      message: "The trial's license has another key now."
    })
  }
  await session.confirm(
    answered,
    sentAt,
    (before) => {
      const record = recordFor(before, key)
      return { ...record, user: user ?? record.user, isFloating: undefined, lease: undefined, seats: undefined }
    }
  )
}

/** Gives the seat of this device back, after the usage that waits was sent. Rejects where the service cannot be told. */
export const giveBack = async (session: Session, licenseKey: string): Promise<void> => {
  await flush(session)
  try {
    await session.requests.send("deactivate", licenseKey, {}, session.record)
  } catch (error) {
    // A device without a seat has none to release.
    if (decisionOf(error) === undefined) throw error
  }
  await session.update((record) => ({ ...ofNobody(record), isGivenBack: true }), { isWeighty: true, mustKeep: true })
}

/** The longest sleep: so often a window looks what others have learned. */
const longest = 10 * 60_000
/** The shortest time between two checks, whatever was signed. */
const shortest = 1000
/** The waits between checks that got no answer: the first, and the longest. */
const firstRetry = 30_000
const lastRetry = 15 * 60_000

/**
 * When the next check is due, in Unix milliseconds. `failures` counts the checks since it last granted something,
 * `random` from 0 to below 1 spreads the apps of a vendor.
 */
const nextCheck = (
  now: number,
  nextCheckAt: number | undefined,
  failures: number,
  random: number
): number => {
  if (failures === 0 && nextCheckAt !== undefined) return nextCheckAt + Math.max(0, nextCheckAt - now) * random / 10
  return now + Math.min(lastRetry, firstRetry * 2 ** Math.max(0, failures - 1)) * (0.5 + random / 2)
}

/** Checks while the app runs. Answers what ends it. */
export const watch = (session: Session, floating: FloatingSeat, check: () => Promise<unknown>): () => void => {
  const { clock, time } = session
  let failures = 0
  let cancel: (() => void) | undefined
  let isStopped = false

  /** When to ask next; `isDone`: the last check did not fail by itself. */
  const plan = (isDone: boolean) => {
    const { data, standing } = session
    const granted = isDone && standing.state === "active" && session.trouble === undefined
    failures = granted ? 0 : failures + 1
    const signed = Date.parse(String(data?.["next_check_at"]))
    return floating.isHeld && granted
      ? floating.dueAt(Math.random())
      : nextCheck(time.now(), Number.isNaN(signed) ? undefined : signed, failures, Math.random())
  }
  let due = plan(true)

  const sleep = (isDone: boolean) => {
    if (isStopped) return
    // A failed check says nothing of how long the standing lasts.
    const { until = Infinity } = isDone ? session.standing : {}
    // A moment after its end, so that the standing then is another one.
    const ms = Math.min(longest, due - time.now(), until + 1 - time.now())
    cancel = clock.after(
      Math.max(0, ms),
      () => void wake().catch((error: unknown) => session.options.onProblem?.(error))
    )
  }

  const wake = async () => {
    const isDue = time.now() >= due
    let isDone = false
    try {
      await (isDue ? check() : session.sync())
      isDone = true
    } finally {
      if (isDue || !isDone) due = Math.max(plan(isDone), time.now() + shortest)
      sleep(isDone)
    }
  }

  sleep(true)
  return () => {
    isStopped = true
    cancel?.()
  }
}
