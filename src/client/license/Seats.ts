import type { LicenseRecord, OwnSeat } from "./LicenseRecord.ts"
import { isReleased } from "./States.ts"
import type { AppProblem } from "./States.ts"

/** The seat that a process has for itself. */
export const ownSeat = ({ seats }: LicenseRecord, processId: string | undefined): OwnSeat | undefined =>
  processId !== undefined && seats !== undefined && Object.hasOwn(seats, processId) ? seats[processId] : undefined

const livingSeats = ({ seats = {} }: LicenseRecord, now: number) =>
  Object.entries(seats).filter(([, { expiresAt }]) => expiresAt > now)

/** A record in which a process has a seat for itself; those that ran out are left out. */
export const withSeat = (record: LicenseRecord, processId: string, seat: OwnSeat, now: number): LicenseRecord => ({
  ...record,
  seats: { ...Object.fromEntries(livingSeats(record, now)), [processId]: seat }
})

/** A record in which a process has no seat for itself any more. */
export const withoutSeat = (record: LicenseRecord, processId: string | undefined): LicenseRecord => ({
  ...record,
  seats: Object.fromEntries(Object.entries(record.seats ?? {}).filter(([name]) => name !== processId))
})

type Holders = NonNullable<LicenseRecord["lease"]>["holders"]

/** The other holders of the shared seat, and until when they hold it. */
export const otherHolders = ({ lease }: LicenseRecord, holder: string, now: number): Holders =>
  Object.fromEntries(Object.entries(lease?.holders ?? {}).filter(([name, until]) => name !== holder && until > now))

/** Whether another process holds the shared seat, or one of its own. */
export const hasOthers = (record: LicenseRecord, holders: Holders, now: number): boolean =>
  Object.keys(holders).length > 0 || livingSeats(record, now).length > 0

/** Whether a refusal is about a floating seat, and says nothing of the license or of the seats of others. */
export const isOfSeat = (problem: Pick<AppProblem, "code" | "detail">): boolean =>
  problem.code === "FLOATING_LIMIT_EXCEEDED" ||
  (problem.code !== "DEVICE_NOT_ACTIVATED" && isReleased(problem))
