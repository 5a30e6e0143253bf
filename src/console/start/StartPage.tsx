import { Skeleton } from "../design/Feedback.tsx"
import { Failure } from "../session/Failure.tsx"
import { useAwaitingCount, useLoad } from "../session/Load.ts"
import { may } from "../session/Session.ts"
import { useTitle } from "../session/Title.ts"
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
  // The way to the first sale stands above the figures, which do not move once they are read.
  const isPlaced = !maySetUp() || setup.isAnswered || setup.error !== undefined
  const isLoading = !isPlaced || data === undefined && error === undefined
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
      {isSettingUp && setup.data !== undefined ? <Setup of={setup.data} onChange={setup.reload} /> : null}
      {error === undefined ? null : <Failure error={error} onRetry={overview.reload} />}
      {isEmpty ? null : (
        <>
          {data === undefined || isLoading ? null : <NeedsAttention of={data} awaiting={awaiting} />}
          {isLoading ? <Skeleton lines={4} /> : <Figures of={data} />}
          {data === undefined || isLoading ? null : (
            <div class="start-lists">
              <Ending of={data} />
              <Refusals of={data} />
              <Quotas of={data} />
            </div>
          )}
        </>
      )}
    </main>
  )
}
