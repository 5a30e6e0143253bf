import type { Overview } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { currentTime, Day } from "../../ground/design/Time.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useAwaitingCount, useLoad } from "../../ground/session/Load.ts"
import { Placed } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { Setup } from "./Setup.tsx"
import {
  activityHref,
  attentionOf,
  barsOf,
  countedText,
  doneOf,
  endingHref,
  largestOf,
  readSetup,
  steps
} from "./SetupSteps.ts"
import "./start.css"

/** How many days ahead the list of licenses that end looks. */
const endingDays = 30

/** Small bars, one for each day. The number beside them says the same in words. */
const Bars = ({ of }: { readonly of: ReadonlyArray<number> }) => {
  const most = largestOf(of)
  return (
    <svg class="bars" viewBox={`0 0 ${Math.max(1, of.length) * 4} 24`} preserveAspectRatio="none" aria-hidden="true">
      {of.map((value, at) => {
        const height = value === 0 ? 0 : Math.max(1, (value / most) * 24)
        return <rect key={at} x={at * 4} y={24 - height} width="3" height={height} />
      })}
    </svg>
  )
}

/** The figures of the window, each a link to what it counts. */
const Figures = ({ of }: { readonly of: Overview | undefined }) => {
  const shown = (value: number | undefined) => value === undefined ? "–" : count(value)
  const isCounted = of?.days.some(({ active_licenses }) => active_licenses !== undefined) ?? false
  const figures = [
    ["Licenses issued", shown(of?.issued), "issued", of && activityHref({ action: "license.created" }, of)],
    [
      "Active licenses",
      countedText(of?.active_licenses),
      "active_licenses",
      may("license:read") ? "/console/licenses?status=active" : undefined
    ],
    ["Activations", shown(of?.activations), "activations", of && activityHref({ action: "license.activated" }, of)],
    ["Refusals", shown(of?.refusals), "refusals", of && activityHref({ outcome: "refused" }, of)]
  ] as const
  return (
    <div class="figures start-figures">
      {figures.map(([label, value, member, href]) => (
        <Panel key={label}>
          <Figure label={href === undefined ? label : <a href={href}>{label}</a>} value={value} />
          {of === undefined || (member === "active_licenses" && !isCounted) ? null : <Bars of={barsOf(of, member)} />}
        </Panel>
      ))}
    </div>
  )
}

/** The purchases and endpoints that wait for a person. */
const NeedsAttention = ({ awaiting, of }: {
  readonly of: Overview
  /** How many approvals wait for the person. */
  readonly awaiting: number
}) => {
  const all = attentionOf(of, awaiting)
  return all.length === 0 ? null : (
    <Panel title="Needs attention">
      <ul class="stack">
        {all.map(({ href, text }) => (
          <li key={text}>
            <a href={href}>
              <bdi>{text}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The licenses that end first, with their owners. */
const Ending = ({ of: { ending, ending_licenses } }: { readonly of: Overview }) =>
  ending === undefined ? null : (
    <Panel
      title={`Ending within ${endingDays} days`}
      aside={
        <a class="small" href={endingHref(currentTime(), endingDays)}>
          {countedText(ending_licenses)} {ending_licenses?.count === 1 ? "license" : "licenses"}
        </a>
      }
    >
      {ending.length === 0 ? <Empty title="No license ends soon" /> : (
        <ul class="pairs">
          {ending.map(({ expires_at, license_id, owner, policy, product }) => (
            <li key={license_id}>
              <a class="clip" href={`/console/licenses/${license_id}`}>
                <bdi class="strong">{owner ?? "No owner"}</bdi>
              </a>
              <span class="small quiet wrap below">
                <bdi>{product}</bdi> · <bdi>{policy}</bdi>
              </span>
              <Day at={expires_at} isQuiet />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )

/** The reasons of refusals, each a link to those. */
const Refusals = ({ of }: { readonly of: Overview }) => (
  <Panel title="Refusals by reason">
    {of.refusals_by_code.length === 0 ? <Empty title="No refusals" /> : (
      <ul class="pairs">
        {of.refusals_by_code.map(({ code, count: times }) => (
          <li key={code}>
            <a class="clip" href={activityHref({ outcome: "refused" }, of)}>
              <code>{code}</code>
            </a>
            <span>{count(times)}</span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
)

/** The features whose quota was reached. */
const Quotas = ({ of }: { readonly of: Overview }) => (
  <Panel title="Quotas reached">
    {of.quotas_reached.length === 0 ? <Empty title="No quota was reached" /> : (
      <ul class="pairs">
        {of.quotas_reached.map(({ count: times, feature_code, product_id = "" }) => (
          <li key={`${feature_code} ${product_id}`}>
            <a
              class="clip"
              href={activityHref(
                { action: "license.quota_reached", ...(product_id === "" ? {} : { on: product_id }) },
                of
              )}
            >
              <bdi>{feature_code}</bdi>
            </a>
            <span>{count(times)}</span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
)

/** How often the figures are read again while the page is looked at, in milliseconds. */
const readEvery = 60_000

/** Whether the caller may do what the first sale takes. */
const maySetUp = (): boolean =>
  may("product:write") && may("license:write") && may("license:read") && may("product:read")

/** The first page: what matters today, and until the first activation the way there. */
export const StartPage = () => {
  useTitle("Start")
  const setup = useLoad((client, signal) => readSetup(client, signal), [], { when: maySetUp() })
  const overview = useLoad((client, signal) => client.reports.overview({}, { signal }), [], { every: readEvery })
  const { data, error } = overview
  const isSettingUp = setup.data !== undefined && doneOf(setup.data) < steps.length
  const isEmpty = setup.data !== undefined && doneOf(setup.data) === 0
  const awaiting = useAwaitingCount()
  return (
    <main class="page" id="main">
      <header>
        <h1>Start</h1>
        <span class="row wraps">
          <span class="small quiet">Last 30 days</span>
          {may("license:write") && !isEmpty
            ? <a class="button main" href="/console/licenses/new">Issue license</a>
            : null}
        </span>
      </header>
      <Placed after={[setup, overview, awaiting]} lines={4}>
        {isSettingUp && setup.data !== undefined ? <Setup of={setup.data} onChange={setup.reload} /> : null}
        {error === undefined ? null : <Failure error={error} onRetry={overview.reload} />}
        {isEmpty ? null : (
          <>
            {data === undefined ? null : <NeedsAttention of={data} awaiting={awaiting.data ?? 0} />}
            <Figures of={data} />
            {data === undefined ? null : (
              <div class="start-lists">
                <Ending of={data} />
                <Refusals of={data} />
                <Quotas of={data} />
              </div>
            )}
          </>
        )}
      </Placed>
    </main>
  )
}
