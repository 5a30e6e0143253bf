import type { Customer, License } from "../../../client/api/index.ts"
import { licenseKeyFaultIn } from "../../../client/transport/Credentials.ts"
import { mayBeKey } from "../../ground/lists/KeyLike.ts"
import type { Found } from "./Found.ts"

/** An option of the search: a license, a customer, or the list of all licenses that match. */
export interface SearchOption {
  readonly href: string
  readonly license?: License
  readonly customer?: Customer
}

/**
 * The options for a text. The list of all licenses has the text in its URL, so it is not offered for a text that may
 * be a key; nor for the ID of a request, which the list does not know; nor while `isCurrent` is false, because the
 * shown answer belongs to an earlier text.
 */
export const searchOptions = (
  text: string,
  { customers, licenses }: Found,
  isCurrent = true
): ReadonlyArray<SearchOption> => {
  const hasList = isCurrent && licenses.length > 0 && !mayBeKey(text) && !text.startsWith("req_")
  return [
    ...licenses.map((license) => ({ href: `/console/licenses/${license.id}`, license })),
    ...customers.map((customer) => ({ href: `/console/customers/${customer.id}`, customer })),
    ...(hasList ? [{ href: `/console/licenses?q=${encodeURIComponent(text)}` }] : [])
  ]
}

/** The reason why nothing was found: a mistyped key, or a text that the search does not match. */
export const noResultsText = (text: string): string =>
  `No results. ${
    licenseKeyFaultIn(text) ??
      "Search matches words of a name or email, IDs of billing systems, and the last four characters of a key or the whole key."
  }`
