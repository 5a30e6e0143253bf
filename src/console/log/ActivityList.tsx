import type { ComponentChildren } from "preact"
import type { Activity } from "../../client/api/index.ts"
import { Badge } from "../ground/design/Badge.tsx"
import { Button } from "../ground/design/Button.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Time } from "../ground/design/Time.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import type { Pages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { useLoad } from "../ground/session/Load.ts"
import type { ActivityFilter } from "./ActivityFilter.ts"
import { aboutOf, actorOf, sentenceOf, toneOf } from "./ActivityWords.ts"

/** The name of whoever did it, and what kind of an actor that is. */
const Actor = ({ of }: { readonly of: Activity }) => {
  const { kind, name } = actorOf(of)
  return (
    <>
      <bdi class="strong">{name}</bdi>
      {kind === undefined ? null : <span class="quiet">({kind})</span>}
    </>
  )
}

/** The first line: who did what, with the outcome. */
export const Sentence = ({ of }: { readonly of: Activity }) => (
  <span class="row wraps sentence">
    <Actor of={of} />
    <span>{sentenceOf(of)}</span>
    {of.amount === undefined
      ? null
      : <span>{count(of.amount)}{of.feature_code === undefined ? "" : ` × ${of.feature_code}`}</span>}
    {of.result_class === "success" || of.code === undefined ? null : <Badge tone="bad">{of.code}</Badge>}
  </span>
)

/** The names of what it is about, each in the direction of its script. */
export const About = ({ of }: { readonly of: ReadonlyArray<string> }) => (
  <span class="small quiet wrap">
    {of.map((name, at) => (
      <span key={name}>
        {at === 0 ? "" : " · "}
        <bdi>{name}</bdi>
      </span>
    ))}
  </span>
)

/** An activity as a line of a list: a sentence with names, what it is about, and why. */
const Entry = ({ aside, isOfOne, of }: {
  readonly of: Activity
  /** Whether the list is about one license or customer, whose names are not repeated. */
  readonly isOfOne: boolean
  readonly aside?: ComponentChildren
}) => {
  const about = isOfOne ? [of.names?.resource, of.names?.device].filter((name) => name !== undefined) : aboutOf(of)
  return (
    <li class={toneOf(of)}>
      <span class="stack" style={{ gap: ".125rem" }}>
        <Sentence of={of} />
        {about.length === 0 ? null : <About of={about} />}
        {of.reason === undefined ? null : (
          <span class="wrap">
            Reason: <bdi>{of.reason}</bdi>
          </span>
        )}
        <span class="row wraps small quiet">
          <a class="target" href={`/console/activity/${of.id}`}>
            Details<span class="visually-hidden">of: {actorOf(of).name} {sentenceOf(of)}</span>
          </a>
          {of.request_id === undefined ? null : <code class="tiny request">{of.request_id}</code>}
          {aside}
        </span>
      </span>
      <span class="small quiet">
        <Time at={of.occurred_at} />
      </span>
    </li>
  )
}

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
