import { Failure } from "../../ground/session/Failure.tsx"
import { useAwaitingCount, useLoad } from "../../ground/session/Load.ts"
import { Placed } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { Ending, Figures, NeedsAttention, Quotas, Refusals } from "./Figures.tsx"
import { Setup } from "./Setup.tsx"
import { doneOf, readSetup, steps } from "./SetupSteps.ts"
import "./start.css"

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
