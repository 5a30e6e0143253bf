import type { Activity, Countersign, PurchaseWithEvents } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { isBesideLive } from "../../ground/session/Environment.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { providerName, urlAtProvider } from "./Providers.ts"
import { storyOf } from "./Story.ts"
import type { Moment } from "./Story.ts"

/** The most licenses whose activity is shown, and the most of each. */
const mostLicenses = 5
const mostActivities = 50

const activitiesOf = async (
  client: Countersign,
  { licenses }: PurchaseWithEvents,
  signal: AbortSignal
): Promise<ReadonlyArray<Activity>> => {
  const ids = [...new Set(licenses.map(({ license_id }) => license_id))].slice(0, mostLicenses)
  const pages = await Promise.all(
    ids.map((license_id) => client.activities.list({ license_id, limit: mostActivities }, { signal }))
  )
  return pages.flat()
}

const StoryMoment = ({ of, provider }: { readonly of: Moment; readonly provider: string }) => {
  const url = of.eventId === undefined ? undefined : urlAtProvider(provider, undefined, of.eventId, isBesideLive())
  return (
    <li class={`${of.side} ${of.isQuiet ? "quiet" : ""}`}>
      <span class="small quiet">
        <Time at={of.at} exactly />
        <span class="who-said">{" · "}{of.side === "provider" ? providerName(provider) : "Countersign"}</span>
      </span>
      <span class={`wrap ${of.isRefused === true ? "trouble" : "strong"}`}>{of.title}</span>
      {of.why.map((text) => <span key={text} class="small wrap">{text}</span>)}
      {of.eventId === undefined ? null : url === undefined
        ? <code class="tiny quiet wrap">{of.eventId}</code>
        : <a class="tiny wrap target" href={url} target="_blank" rel="noreferrer">{of.eventId}</a>}
    </li>
  )
}

/** The story of a purchase in two columns: what the provider said, and what was done. */
export const PurchaseStory = ({ of, turn }: { readonly of: PurchaseWithEvents; readonly turn: number }) => {
  const activities = useLoad(
    (client, signal) => activitiesOf(client, of, signal),
    [of.id, of.updated_at, turn],
    { when: may("report:read") && of.licenses.length > 0 }
  )
  const moments = storyOf(of, activities.data ?? [])
  return (
    <Panel title="Events and licenses">
      {activities.error === undefined && !activities.isLoading
        ? null
        : <Loading of={activities} lines={2}>{() => null}</Loading>}
      {moments.length === 0
        ? <Empty title="No events">Events are kept for a limited time; the state of the purchase stays.</Empty>
        : (
          <div class="story">
            <div class="heads" aria-hidden="true">
              <span>{providerName(of.provider)} said</span>
              <span>Countersign did</span>
            </div>
            <ol aria-label="Events and licenses">
              {moments.map((moment) => <StoryMoment key={moment.key} of={moment} provider={of.provider} />)}
            </ol>
          </div>
        )}
    </Panel>
  )
}
