import {
  hasOthers,
  ofNobody,
  otherHolders,
  ownSeat,
  recordFor,
  withoutSeat,
  withSeat
} from "../license/LicenseRecord.ts"
import type { LicenseRecord, SignedInUser } from "../license/LicenseRecord.ts"
import type { SignedAnswer } from "../license/SignedInUser.ts"
import { isReleased } from "../license/States.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { flush } from "./Consumption.ts"
import { decisionOf, problemOf, ProvenRefusal } from "./Refusal.ts"
import type { Session } from "./Session.ts"
import { renewUser } from "./UserSigningIn.ts"

/** The refusals that say that the lease has ended and another may be taken. Only signed ones count: anybody can send others. */
const lost: ReadonlySet<string> = new Set(["LEASE_NOT_FOUND", "LEASE_EXPIRED"])
const isLost = (error: unknown): boolean => error instanceof ProvenRefusal && lost.has(error.code)

const leaseOf = ({ data }: SignedAnswer, holder: string, record: LicenseRecord): LicenseRecord["lease"] => {
  const expiresAt = Date.parse(String(data["lease_expires_at"]))
  return { token: String(data["lease_token"]), expiresAt, holders: { ...record.lease?.holders, [holder]: expiresAt } }
}

/**
 * A floating seat: taken, kept by heartbeats, and given back. Windows on one device share its seat, unless the terms give each
 * process one and this one has a name.
 */
export class Floating {
  readonly #session: Session
  /** The name of this window among those that hold the seat. */
  readonly #holder: string
  #isHeld = false
  constructor(session: Session, holder: string) {
    this.#session = session
    this.#holder = holder
  }

  /** Whether this window holds the seat. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** When the next heartbeat is due, in Unix milliseconds: after a third of what is left of the lease. */
  dueAt(random: number): number {
    const { record, time } = this.#session
    const { expiresAt } = this.#own ?? record.lease ?? { expiresAt: 0 }
    const left = expiresAt - time.now()
    return time.now() + left * (0.3 + 0.06 * random)
  }

  /** The seat that is of this process alone. */
  get #own() {
    return ownSeat(this.#session.record, this.#session.options.processId)
  }

  get #token(): string | undefined {
    return (this.#own ?? this.#session.record.lease)?.token
  }

  /** Keeps the lease of an answer, and forgets an earlier refusal of the seat. */
  #keep(
    answered: SignedAnswer,
    sentAt: number,
    isOwn: boolean,
    change: (record: LicenseRecord) => LicenseRecord,
    about: { readonly about?: string } = {}
  ): Promise<void> {
    const session = this.#session
    const { processId } = session.options
    this.#isHeld = true
    session.seat = undefined
    return session.confirm(answered, sentAt, (before) => {
      const record = change(before)
      const lease = leaseOf(answered, this.#holder, record)!
      if (!isOwn) return { ...record, lease }
      return withSeat(record, processId!, { token: lease.token, expiresAt: lease.expiresAt }, session.time.now())
    }, about)
  }

  /** Takes a seat, or the one that this process or device has. Rejects where none was had. */
  async acquire(licenseKey: string): Promise<void> {
    const session = this.#session
    const sentAt = session.record.version
    const { processId } = session.options
    const members = processId === undefined ? {} : { process_id: processId }
    const answered = await session.requests.send("floating/checkout", licenseKey, members, session.record)
    const isOwn = processId !== undefined && answered.data["lease_unit"] === "process"
    await this.#keep(answered, sentAt, isOwn, (record) => ({
      ...recordFor(record, licenseKey),
      isFloating: true
    }))
  }

  /** Extends the lease, or takes another seat where it has ended. Rejects if neither is possible. */
  async renew(licenseKey: string): Promise<void> {
    const session = this.#session
    for (let token = this.#token; token !== undefined;) {
      const sentAt = session.record.version
      try {
        const answered = await session.requests.send("floating/heartbeat", licenseKey, {
          lease_token: token
        }, session.record)
        await this.#keep(answered, sentAt, this.#own !== undefined, (record) => record, { about: licenseKey })
        return
      } catch (error) {
        if (!isLost(error) || isReleased(problemOf(error))) throw error
      }
      // Another window may have had the token changed.
      await session.sync()
      const current = this.#token
      token = current === token ? undefined : current
    }
    await this.acquire(licenseKey)
  }

  /** Releases the seat, unless another window of this device shares it. Rejects if the service cannot be reached. */
  async release(licenseKey: string): Promise<void> {
    const session = this.#session
    this.#isHeld = false
    await session.sync()
    const isShared = Object.keys(otherHolders(session.record, this.#holder, session.time.now())).length > 0
    const { processId } = session.options
    const token = this.#token
    if (token !== undefined && (this.#own !== undefined || !isShared)) {
      try {
        await session.requests.send("floating/checkin", licenseKey, { lease_token: token }, session.record)
      } catch (error) {
        if (!isLost(error) && decisionOf(error) === undefined) throw error
      }
    }
    await session.update((before) => {
      const { lease, ...record } = withoutSeat(before, processId)
      // Another one may have taken a seat meanwhile.
      const holders = otherHolders(before, this.#holder, session.time.now())
      if (!hasOthers(record, holders, session.time.now())) return { ...record, answer: undefined, isGivenBack: true }
      // The others' answer says nothing of this process, whether its seat was there still or had run out.
      if (processId !== undefined) session.seat = "given_back"
      return lease === undefined ? record : { ...record, lease: { ...lease, holders } }
    })
  }
}

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
export const checkLicense = async (session: Session, floating: Floating): Promise<void> => {
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
export const watch = (session: Session, floating: Floating, check: () => Promise<unknown>): () => void => {
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
