import type { CustomerErasure } from "../../client/api/index.ts"
import { count, some } from "../design/Numbers.ts"

/** The effect of an erasure in words; `hasMore` is of licenses that were not counted. */
export const erasureText = (
  { events, exports }: Pick<CustomerErasure, "events" | "exports">,
  licenses: number,
  hasMore: boolean
): string => {
  const stay = hasMore
    ? `More than ${count(licenses)} licenses stay without the name and email`
    : licenses === 0
    ? "There is no license"
    : `${some(licenses, "license stays", "licenses stay")} without the name and email`
  const lost = events === 0
    ? "no event has personal data"
    : `${some(events, "event loses", "events lose")} personal data`
  const expired = exports === 0 ? "" : ` ${some(exports, "export expires", "exports expire")}.`
  return `${stay}; ${lost}.${expired}`
}
