import type { LicenseRecord } from "./LicenseRecord.ts"
import { problemOf } from "./Questions.ts"
import type { Answered } from "./Questions.ts"
import type { Session } from "./Session.ts"
import { isReleased, reasonOf } from "./States.ts"

/** What says that the lease is no more, and another one may be had. */
const lost: ReadonlySet<string> = new Set(["LEASE_NOT_FOUND", "LEASE_EXPIRED"])

const leaseOf = ({ data }: Answered, holder: string, record: LicenseRecord): LicenseRecord["lease"] => {
  const expiresAt = Date.parse(String(data["lease_expires_at"]))
  return { token: String(data["lease_token"]), expiresAt, holders: { ...record.lease?.holders, [holder]: expiresAt } }
}

/** A floating seat: taken, kept by heartbeats, and given back. Windows on one device share its seat. */
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
    const left = (record.lease?.expiresAt ?? 0) - time.now()
    return time.now() + left * (0.3 + 0.06 * random)
  }

  /** Takes a seat, or the one that this device has. Rejects where none was had. */
  async acquire(licenseKey: string): Promise<void> {
    const session = this.#session
    const asked = session.record.version
    const answered = await session.questions.ask("floating/checkout", licenseKey, {}, session.record)
    this.#isHeld = true
    await session.confirm(answered, asked, (record) => ({
      ...record,
      licenseKey,
      isFloating: true,
      lease: leaseOf(answered, this.#holder, record)
    }))
  }

  /** Keeps the seat; takes it anew where it was lost. Rejects where neither can be done. */
  async renew(licenseKey: string): Promise<void> {
    const session = this.#session
    for (let token = session.record.lease?.token; token !== undefined;) {
      const asked = session.record.version
      try {
        const answered = await session.questions.ask("floating/heartbeat", licenseKey, {
          lease_token: token
        }, session.record)
        this.#isHeld = true
        await session.confirm(answered, asked, (record) => ({
          ...record,
          lease: leaseOf(answered, this.#holder, record)
        }))
        return
      } catch (error) {
        const problem = problemOf(error)
        if (!lost.has(problem.code) || isReleased(problem)) throw error
      }
      // Another window may have had the token changed.
      await session.sync()
      const current = session.record.lease?.token
      token = current === token ? undefined : current
    }
    await this.acquire(licenseKey)
  }

  /** Gives the seat back, unless another window of this device holds it. Rejects where the service could not be told. */
  async release(licenseKey: string): Promise<void> {
    const session = this.#session
    this.#isHeld = false
    await session.sync()
    const { [this.#holder]: _, ...others } = session.record.lease?.holders ?? {}
    const isShared = Object.values(others).some((until) => until > session.time.now())
    const { token } = session.record.lease ?? {}
    if (token !== undefined && !isShared) {
      try {
        await session.questions.ask("floating/checkin", licenseKey, { lease_token: token }, session.record)
      } catch (error) {
        const problem = problemOf(error)
        if (!lost.has(problem.code) && reasonOf(problem) === undefined) throw error
      }
    }
    await session.update(({ lease, ...record }) =>
      isShared && lease !== undefined
        ? { ...record, lease: { ...lease, holders: others } }
        : { ...record, answer: undefined, isGivenBack: true }
    )
  }
}
