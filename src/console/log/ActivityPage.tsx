import { useState } from "preact/hooks"
import { Button } from "../ground/design/Button.tsx"
import { Id } from "../ground/design/Copy.tsx"
import { Empty, Note } from "../ground/design/Feedback.tsx"
import { Choice, TextField } from "../ground/design/Field.tsx"
import { count } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { timeZone } from "../ground/design/Time.tsx"
import { useFilters } from "../ground/lists/Filters.ts"
import { More } from "../ground/lists/More.tsx"
import { saveFile } from "../ground/lists/SaveFile.ts"
import { zoneOf } from "../ground/period/Period.ts"
import { Failure } from "../ground/session/Failure.tsx"
import { firstOf } from "../ground/session/Load.ts"
import { ask, errorOf } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { csvOf } from "./ActivityCsv.ts"
import { actions, filtersOf, outcomes, whos } from "./ActivityFilter.ts"
import type { ActivityFilter } from "./ActivityFilter.ts"
import { ActivityList, useActivities } from "./ActivityList.tsx"
import { actorOf } from "./ActivityWords.ts"
import "./activity.css"

/** How many entries a file has at most. */
const mostInFile = 10_000

type Filtering = ReturnType<typeof useFilters>

/** The filters, which stand in the address. */
const Fields = ({ query, set, setTyped }: Filtering) => {
  const zone = zoneOf(query["zone"])
  return (
    <div class="filters" role="search" aria-label="Filters">
      <Choice label="By" value={query["who"] ?? ""} options={whos} onChange={(who) => set({ who })} />
      <Choice label="Action" value={query["action"] ?? ""} options={actions} onChange={(action) => set({ action })} />
      <TextField
        label="On (ID)"
        value={query["on"] ?? ""}
        placeholder="lic_…, cus_…, pol_…"
        autocomplete="off"
        onChange={(on) => setTyped({ on })}
      />
      <TextField
        label="From"
        type="date"
        value={query["first"] ?? ""}
        onChange={(first) => setTyped({ first, zone })}
      />
      <TextField label="To" type="date" value={query["last"] ?? ""} onChange={(last) => setTyped({ last, zone })} />
      <Choice
        label="Time zone"
        value={zone}
        options={[...new Set([timeZone, "UTC", zone])].map((name) => [name, name])}
        onChange={(zone) => set({ zone })}
      />
      <Choice
        label="Outcome"
        value={query["outcome"] ?? ""}
        options={outcomes}
        onChange={(outcome) => set({ outcome })}
      />
    </div>
  )
}

/** The filters that only links set: one actor, one request. */
const Linked = ({ name, query }: { readonly query: Filtering["query"]; readonly name: string | undefined }) => {
  const { by = "", request = "" } = query
  if (by === "" && request === "") return null
  return (
    <div class="small quiet row wraps chosen">
      {by === "" ? null : (
        <span class="row wraps">
          By {name === undefined ? null : <bdi class="strong">{name}</bdi>}
          <Id of={by} />
        </span>
      )}
      {request === "" ? null : (
        <span class="row wraps">
          Of the request <Id of={request} />
        </span>
      )}
      <a href="/console/activity">Show all activity</a>
    </div>
  )
}

/** Saves the filtered list as a file, page after page. */
const Csv = ({ filter }: { readonly filter: ActivityFilter }) => {
  const [isBusy, setIsBusy] = useState(false)
  const [isCut, setIsCut] = useState(false)
  const [error, setError] = useState<Error>()
  const save = async () => {
    setIsBusy(true)
    setError(undefined)
    try {
      const found = await ask((client) =>
        firstOf(
          client.activities.list({ ...filter, include_names: true, include_changes: true, limit: 200 }),
          mostInFile + 1
        )
      )
      setIsCut(found.length > mostInFile)
      saveFile(new Blob([csvOf(found.slice(0, mostInFile))], { type: "text/csv" }), "activity.csv")
    } catch (cause) {
      setError(errorOf(cause))
    }
    setIsBusy(false)
  }
  return (
    <>
      <Button onClick={() => void save()} isBusy={isBusy}>{isBusy ? "Preparing…" : "Download CSV"}</Button>
      {isCut
        ? (
          <Note tone="warn" title="The file is cut.">
            <span>The newest {count(mostInFile)} entries are in the file. Choose fewer days for the others.</span>
          </Note>
        )
        : null}
      {error === undefined ? null : <Failure error={error} onRetry={() => void save()} />}
    </>
  )
}

/** Everything that was done: by whom, to what, why, and with which outcome. */
export const ActivityPage = () => {
  const filtering = useFilters()
  useTitle("Activity")
  const filter = filtersOf(filtering.query)
  const pages = useActivities(filter)
  const [first] = pages.rows ?? []
  const isFiltered = Object.keys(filter).length > 0
  return (
    <main class="page" id="main">
      <header>
        <h1>Activity</h1>
        <span class="row wraps">
          <Csv filter={filter} />
        </span>
      </header>
      <Fields {...filtering} />
      <Linked query={filtering.query} name={first === undefined ? undefined : actorOf(first).name} />
      <Panel footer={<More of={pages} />}>
        <ActivityList
          filter={filter}
          of={pages}
          empty={
            <Empty title={isFiltered ? "No matching activity" : "No activity yet"}>
              {isFiltered
                ? "Remove a filter or choose other days. Refused requests are kept for 90 days."
                : "Everything that people, API keys and apps do appears here."}
            </Empty>
          }
        />
      </Panel>
    </main>
  )
}
