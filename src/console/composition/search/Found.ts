import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign, Customer, License } from "../../../client/api/index.ts"
import { mayBeKey } from "../../ground/lists/KeyLike.ts"
import { may } from "../../ground/session/Session.ts"

/** The licenses and customers that a text finds. */
export interface Found {
  readonly licenses: ReadonlyArray<License>
  readonly customers: ReadonlyArray<Customer>
}

const nothing: Found = { licenses: [], customers: [] }

/** The most options of each kind. */
const shown = { licenses: 6, customers: 3 }

const orNone = async <A>(ask: Promise<A>, none: A): Promise<A> => {
  try {
    return await ask
  } catch (error) {
    if (isCountersignError(error, "NOT_FOUND")) return none
    throw error
  }
}

/** The licenses of a request, be it granted or refused. */
const ofRequest = async (client: Countersign, request: string, signal: AbortSignal): Promise<Found> => {
  if (!may("report:read")) return nothing
  const activities = await client.activities.list({ request_id: request, limit: 50 }, { signal })
  const ids = new Set(activities.flatMap(({ license_id }) => license_id === undefined ? [] : [license_id]))
  const licenses = await Promise.all(
    [...ids].slice(0, shown.licenses).map((id) =>
      orNone<License | undefined>(client.licenses.get(id, { include_names: true }, { signal }), undefined)
    )
  )
  return { licenses: licenses.filter((license) => license !== undefined), customers: [] }
}

/**
 * Searches for a text. The ID of a request is looked up in the activities; for anything else licenses are searched,
 * in a body, so that no URL has a key, complete or mistyped. Customers are listed by a URL, so not for a text that
 * may be a key.
 */
export const find = async (client: Countersign, given: string, signal: AbortSignal): Promise<Found> => {
  const text = given.trim()
  if (text === "") return nothing
  if (text.startsWith("req_")) return ofRequest(client, text, signal)
  const [{ licenses }, customers] = await Promise.all([
    client.licenses.search({ text, limit: shown.licenses }, { signal }),
    may("customer:read") && !mayBeKey(text)
      ? client.customers.list({ q: text, limit: shown.customers }, { signal })
      : []
  ])
  return { licenses, customers }
}
