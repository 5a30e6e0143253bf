import type { Countersign, ReportExport, ReportExportStatus } from "../../../client/api/index.ts"
import { labelOf, titleOf } from "../../../client/api/Labels.ts"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"

/** The newest exports of a status. */
interface Some {
  readonly newest: ReadonlyArray<ReportExport>
  readonly hasMore: boolean
}

/** The exports that are not ready, by their status. */
export type Exports = Readonly<Record<"queued" | "running" | "failed", Some>>

const atMost = 100

/** Loads the exports that are not ready. */
export const findExports = async (client: Countersign, signal: AbortSignal): Promise<Exports> => {
  const of = async (status: ReportExportStatus): Promise<Some> => {
    const { data, page_info } = await client.reportExports.list({ status, limit: atMost }, { signal }).withResponse()
    return { newest: data, hasMore: page_info.has_more }
  }
  const [queued, running, failed] = await Promise.all([of("queued"), of("running"), of("failed")])
  return { queued, running, failed }
}

const many = ({ hasMore, newest }: Some): string => `${count(newest.length)}${hasMore ? "+" : ""}`

/** How many failed ones are shown; the page of reports has them all. */
const shown = 3

/** The exports that run, wait, and failed. */
export const ExportsPanel = ({ of }: { readonly of: Loaded<Exports> }) => (
  <Panel title="Exports" whole aside={<a class="small" href="/console/reports">Reports</a>}>
    <Loading of={of} lines={3}>
      {({ failed, queued, running }) => (
        <>
          <div class="figures">
            <Figure label={titleOf("state", "running")} value={many(running)} />
            <Figure label={titleOf("state", "queued")} value={many(queued)} />
            <Figure
              label={titleOf("state", "failed")}
              value={many(failed)}
              tone={failed.newest.length > 0 ? "bad" : ""}
            />
          </div>
          {failed.newest.slice(0, shown).map(({ created_at, failure, id, report_kind }) => (
            <div key={id} class="row apart small">
              <span class="two">
                <span>{labelOf("report", report_kind)}</span>
                <span class="quiet">
                  {failure?.message ?? "Export failed"}, <Time at={created_at} />
                </span>
              </span>
              <Action
                label="Retry"
                small
                scope="report:export"
                says="Runs the export again with current data."
                perform={(client, options) =>
                  client.reportExports.retry(id, options)}
                done={() =>
                  "Export restarted."}
                onDone={of.reload}
              />
            </div>
          ))}
        </>
      )}
    </Loading>
  </Panel>
)
