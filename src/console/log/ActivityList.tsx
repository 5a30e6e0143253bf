import type { ComponentChildren } from "preact"
import type { Activity } from "../../client/api/index.ts"
import { Button } from "../ground/design/Button.tsx"
import { some } from "../ground/design/Numbers.ts"
import { usePages } from "../ground/lists/Pages.ts"
import type { Pages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { useLoad } from "../ground/session/Load.ts"
import type { ActivityFilter } from "./ActivityFilter.ts"
import { Entry } from "./Entry.tsx"

/** How often newer entries are looked for, in milliseconds, and how many are counted. */
const lookEvery = 10_000
const mostNewer = 20

/** A list of activities, with the names of what they are about. */
export const useActivities = (
  filter: ActivityFilter & { readonly license_id?: string; readonly customer_id?: string },
  { limit = 50, turn = 0 }: { readonly limit?: number; readonly turn?: number } = {}
): Pages<Activity> =>
  usePages<Activity>(
    "activities",
    (client, page, signal) => client.activities.list({ ...filter, include_names: true, limit, ...page }, { signal }),
    [filter],
    { turn }
  )

/** How many activities there are above a list that is shown. It does not move under the pointer. */
const useNewer = (filter: ActivityFilter, { rows }: Pages<Activity>): number => {
  const [first] = rows ?? []
  const found = useLoad(
    (client, signal) =>
      client.activities.list({
        ...filter,
        ...(first === undefined ? {} : { from: first.occurred_at }),
        limit: mostNewer
      }, {
        signal
      }),
    [JSON.stringify(filter), first?.id],
    { every: lookEvery, later: true, when: rows !== undefined && filter.to === undefined }
  )
  const shown = new Set((rows ?? []).map(({ id }) => id))
  return (found.data ?? []).filter(({ id }) => !shown.has(id)).length
}

/** The button above a list that has become longer. */
const Newer = ({ filter, of }: { readonly filter: ActivityFilter; readonly of: Pages<Activity> }) => {
  const count = useNewer(filter, of)
  return (
    <div class="newer" role="status">
      {count === 0 ? null : (
        <Button small onClick={of.reload}>
          {count >= mostNewer ? `${mostNewer}+ new` : some(count, "new entry", "new entries")}
        </Button>
      )}
    </div>
  )
}

/** Activities, newest first, each as a sentence. */
export const ActivityList = ({ asideOf, empty, filter, isOfOne = false, of }: {
  readonly filter: ActivityFilter
  readonly of: Pages<Activity>
  readonly empty: ComponentChildren
  readonly isOfOne?: boolean
  /** The actions that are offered for an entry. */
  readonly asideOf?: (activity: Activity) => ComponentChildren
}) => (
  <>
    <Newer filter={filter} of={of} />
    <Rows of={of} lines={6} empty={empty}>
      {(rows) => (
        <ol class="timeline">
          {rows.map((activity) => (
            <Entry key={activity.id} of={activity} isOfOne={isOfOne} aside={asideOf?.(activity)} />
          ))}
        </ol>
      )}
    </Rows>
  </>
)
