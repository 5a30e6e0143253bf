import type { Customer } from "../../client/api/index.ts"
import { Icon } from "../ground/design/Icon.tsx"
import { mayBeKey } from "../ground/lists/KeyLike.ts"
import { useSettled } from "../ground/lists/Settled.ts"
import { firstOf, useLoad } from "../ground/session/Load.ts"

/** How long a typing pause is before the service is searched, in milliseconds. */
const pause = 150

/** How many customers are offered. */
const most = 8

/** The customers that a text finds. The service searches: no list is held here. A license key is sent in no address. */
export const useFoundCustomers = (text: string, isAllowed = true) => {
  const settled = useSettled(text, pause)
  const { data, error, isLoading } = useLoad(
    async (client, signal) => ({
      text: settled,
      customers: isAllowed && !mayBeKey(settled)
        ? await firstOf(client.customers.list({ q: settled, limit: most }, { signal }), most)
        : []
    }),
    [settled],
    { when: settled !== "" }
  )
  return { data, error, isLoading, isCurrent: data?.text === text, customers: data?.customers ?? [] }
}

/** A customer in a line of a list. */
export const CustomerLine = ({ of }: { readonly of: Customer }) => (
  <>
    <Icon name="customers" />
    <bdi class="grow clip strong">{of.name}</bdi>
    <bdi class="quiet small clip">{of.email ?? of.code}</bdi>
  </>
)

/** The words of a search that failed, or found nothing. */
export const NothingFound = ({ error, isEmpty }: { readonly error: Error | undefined; readonly isEmpty: boolean }) => (
  <>
    {error === undefined ? null : <p class="none wrong">Customers could not be searched. Type to try again.</p>}
    {isEmpty && error === undefined ? <p class="none quiet">No results</p> : null}
  </>
)
