import { useRoute } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import type { Job, JobRow, JobRowOutcome } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { oneOf, useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { useEvery } from "../../ground/lists/Settled.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { jobView, reasonedBy } from "./JobView.ts"

/** How often a running job is looked at, in milliseconds. */
const every = 1000

/** How often a screen reader is told of the progress, in milliseconds. */
const told = 5000

const outcomes: ReadonlyArray<readonly [JobRowOutcome | "", string]> = [
  ["", "All"],
  ...(["failed", "skipped", "done", "pending"] as const).map((outcome) => [outcome, titleOf("state", outcome)] as const)
]

const RowsOf = ({ id, tried }: { readonly id: string; readonly tried: number }) => {
  const { query, set } = useFilters()
  const outcome = oneOf(query["outcome"], outcomes)
  const rows = usePages<JobRow>(
    "rows",
    (client, page, signal) =>
      client.jobs.listRows(id, { limit: 50, ...(outcome === undefined ? {} : { outcome }), ...page }, { signal }),
    [id, outcome],
    { turn: tried }
  )
  return (
    <Panel
      title="Licenses"
      flush
      aside={
        <Choice
          label="Outcome"
          value={outcome ?? ""}
          options={outcomes}
          onChange={(outcome) => set({ outcome })}
        />
      }
      footer={<More of={rows} />}
    >
      <Rows of={rows} lines={6} empty={<Empty title="No license has this outcome" />}>
        {(shown) => (
          <Table
            label="Licenses of the job"
            rows={shown}
            keyOf={({ license_id }) => license_id}
            hrefOf={({ license_id }) => `/console/licenses/${license_id}`}
            columns={[
              {
                name: "Owner",
                cell: ({ license_id, owner }) => <TwoLines first={owner ?? "No owner"} second={license_id} />
              },
              { name: "Outcome", cell: ({ outcome }) => <State of={outcome} /> },
              { name: "Why", cell: ({ failure }) => <span class="small">{failure?.message}</span> }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}

/** How far a job is, and what can be done about it. */
const Progress = ({ job, onChange }: { readonly job: Job; readonly onChange: () => void }) => {
  const { ended, progress, share } = jobView(job)
  const said = job.state === "running" ? progress : `${titleOf("state", job.state)}. ${progress}`
  return (
    <Panel>
      <div class="stack">
        <div
          class="progress"
          role="progressbar"
          aria-label="Progress"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.floor(share * 100)}
        >
          <span style={{ width: `${share * 100}%` }} />
        </div>
        <span>{said}</span>
        <span class="visually-hidden" role="status">{useEvery(said, told)}</span>
        {job.state === "running"
          ? <span class="small quiet">You can close this page. The job continues without you.</span>
          : null}
        {ended === undefined ? null : <Note tone="warn">{ended}</Note>}
        <span class="row wraps">
          <Action
            label="Stop"
            scope="license:write"
            isOffered={job.state === "running"}
            says="The job changes no further license. Changed licenses stay changed."
            perform={(client, options) => client.jobs.stop(job.id, options)}
            done={({ done }) => `Stopped after ${done}.`}
            onDone={onChange}
          />
          <Again job={job} />
        </span>
      </div>
    </Panel>
  )
}

const Again = ({ job }: { readonly job: Job }) => (
  <Action
    label="Run again for the failed"
    scope="license:write"
    isOffered={job.state !== "running" && job.failed > 0 && job.repeated_by === undefined}
    asksWhy={reasonedBy[job.action] ?? true}
    says={`${some(job.failed, "license is", "licenses are")} tried again.`}
    {...(job.action === "revoke" ? { secondLook: "revoke_license" } : {})}
    perform={(client, options) => client.jobs.retry(job.id, options)}
    done={({ id }) => <a href={`/console/licenses/jobs/${id}`}>See what becomes of each license</a>}
  />
)

const About = ({ of }: { readonly of: Job }) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Asked by", <bdi>{of.author.name ?? of.author.id}</bdi>],
        ["Role", of.author.roles?.join(", ")],
        ["Reason", of.reason && <bdi>{of.reason}</bdi>],
        ["Began", <Time exactly at={of.created_at} />],
        ["Ended", of.ended_at && <Time exactly at={of.ended_at} />],
        ["Repeated by", of.repeated_by && <a href={`/console/licenses/jobs/${of.repeated_by}`}>a later job</a>],
        ["Repeats", of.repeats && <a href={`/console/licenses/jobs/${of.repeats}`}>an earlier job</a>],
        ["ID", <Id of={of.id} />]
      ]}
    />
  </Panel>
)

const JobOf = ({ id }: { readonly id: string }) => {
  const [isOver, setOver] = useState(false)
  const found = useLoad((client, signal) => client.jobs.get(id, { signal }), [id], isOver ? {} : { every })
  useEffect(() => setOver(found.data !== undefined && found.data.state !== "running"), [found.data?.state])
  const title = found.data === undefined ? "Job" : jobView(found.data).title
  useTitle(title)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/licenses">Licenses</a>
          <h1 class="row wraps">
            {title} {found.data === undefined ? null : <State of={found.data.state} />}
          </h1>
        </div>
      </header>
      <Loading of={found}>
        {(job) => (
          <div class="record">
            <div>
              <Progress job={job} onChange={found.reload} />
              <RowsOf id={id} tried={job.done + job.skipped + job.failed} />
            </div>
            <aside aria-label="Job details">
              <About of={job} />
            </aside>
          </div>
        )}
      </Loading>
    </main>
  )
}

/** The page of one job: its progress, and what became of each license. */
export const JobPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <JobOf key={id} id={id} />
}
