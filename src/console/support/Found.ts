import { isCountersignError } from "../../client/api/index.ts"
import type { Countersign, Customer, License } from "../../client/api/index.ts"
import { isKey, mayBeKey } from "../lists/SearchField.tsx"
import { may } from "../session/Session.ts"

/** What a text is about. */
export interface Found {
  readonly licenses: ReadonlyArray<License>
  readonly customers: ReadonlyArray<Customer>
}

const nothing: Found = { licenses: [], customers: [] }

/** How much is shown below the search. */
const shown = { licenses: 6, customers: 3 }

const orNone = async <A>(ask: Promise<A>, none: A): Promise<A> => {
  try {
    return await ask
  } catch (error) {
    if (isCountersignError(error, "NOT_FOUND")) return none
    throw error
  }
}

const ofKey = async (client: Countersign, key: string, signal: AbortSignal): Promise<Found | undefined> => {
  const license = await orNone<License | undefined>(client.licenses.lookup({ license_key: key }, { signal }), undefined)
  return license === undefined ? undefined : { licenses: [license], customers: [] }
}

/** The licenses that a request was about, be it granted or refused. */
const ofRequest = async (client: Countersign, request: string, signal: AbortSignal): Promise<Found> => {
  if (!may("report:read")) return nothing
  const activities = await client.activities.list({ request_id: request, limit: 50 }, { signal })
  const ids = new Set(activities.flatMap(({ license_id }) => license_id === undefined ? [] : [license_id]))
  const licenses = await Promise.all(
    [...ids].slice(0, shown.licenses).map((id) =>
      orNone<License | undefined>(client.licenses.get(id, {}, { signal }), undefined)
    )
  )
  return { licenses: licenses.filter((license) => license !== undefined), customers: [] }
}

/**
 * What a text is about: a license key by its hash, the id of a request by the activities that name it, anything else as
 * the lists of licenses and customers are searched. What may be a key is none before it may stand in an address.
 */
export const find = async (client: Countersign, given: string, signal: AbortSignal): Promise<Found> => {
  const text = given.trim()
  if (text === "") return nothing
  if (mayBeKey(text)) {
    const found = await ofKey(client, text, signal)
    if (found !== undefined || isKey(text)) return found ?? nothing
  }
  if (text.startsWith("req_")) return ofRequest(client, text, signal)
  const [licenses, customers] = await Promise.all([
    client.licenses.list({ q: text, limit: shown.licenses }, { signal }),
    may("customer:read") ? client.customers.list({ q: text, limit: shown.customers }, { signal }) : []
  ])
  return { licenses, customers }
}
