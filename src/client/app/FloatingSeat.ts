import { hasOthers, otherHolders, ownSeat, recordFor, withoutSeat, withSeat } from "../license/LicenseRecord.ts"
import type { LicenseRecord } from "../license/LicenseRecord.ts"
import type { SignedAnswer } from "../license/SignedInUser.ts"
import { isReleased } from "../license/States.ts"
import { decisionOf, problemOf, ProvenRefusal } from "./Refusal.ts"
import type { Session } from "./Session.ts"

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
export class FloatingSeat {
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
