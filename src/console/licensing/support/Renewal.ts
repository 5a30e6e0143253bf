import type { License, LicenseRenewRequest } from "../../../client/api/index.ts"
import { wholeOf } from "../../ground/design/Field.tsx"
import { currentTime, dateOf, momentOf, startOfDay } from "../../ground/design/Time.tsx"

const day = 86_400_000

/** How many days a license is renewed by at once. */
export const renewalDays = { min: 1, max: 99_999 }

/** The start that days are counted from. */
export type RenewFrom = "expiry" | "now"

/** A renewal as it is entered. */
export interface Renewal {
  readonly days: string
  readonly from: RenewFrom
  /** A date instead of days; empty for days. */
  readonly until: string
}

/** A renewal as its dialog shows it, and as it is sent. */
interface RenewalView {
  /** The consequence, or what is missing. */
  readonly says: string
  /** The end for each start. */
  readonly ends: Readonly<Record<RenewFrom, string>>
  readonly isReady: boolean
  readonly request: LicenseRenewRequest
}

/** The start that the service counts from by default. */
export const usualStart = ({ expires_at = "" }: Pick<License, "expires_at">, now = currentTime()): RenewFrom =>
  Date.parse(expires_at) <= now ? "now" : "expiry"

/** The consequence of a renewal of a license that expires. */
export const renewalView = (
  license: Pick<License, "expires_at">,
  { days, from, until }: Renewal,
  now = currentTime()
): RenewalView => {
  const usual = usualStart(license, now)
  const added = wholeOf(days, renewalDays)
  const endOf = (start: RenewFrom) => (start === "expiry" ? Date.parse(license.expires_at!) : now) + (added ?? 0) * day
  const dayOf = (start: RenewFrom) => dateOf(new Date(endOf(start)).toISOString())
  const isTooEarly = endOf(from) <= now
  const note = from === usual
    ? ""
    : from === "expiry"
    ? " The days since it expired are included."
    : " The remaining time is not added."
  return {
    says: until !== ""
      ? `The license expires on ${momentOf(startOfDay(until))}.`
      : added === undefined
      ? "Enter the number of days."
      : isTooEarly
      ? `The license would still be expired after ${added} days. Add more days, or count from now.`
      : `The license expires on about ${dayOf(from)}.${note}`,
    ends: {
      expiry: added === undefined ? "" : `: until about ${dayOf("expiry")}`,
      now: added === undefined ? "" : `: until about ${dayOf("now")}`
    },
    isReady: until !== "" || added !== undefined && !isTooEarly,
    request: until !== ""
      ? { expires_at: startOfDay(until) }
      : { extend_by_days: added ?? 0, ...(from === usual ? {} : { renew_from: from }) }
  }
}
