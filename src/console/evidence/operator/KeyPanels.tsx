import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Countersign, ReportExport, ReportExportStatus, SigningKey } from "../../../client/api/index.ts"
import { labelOf, titleOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Figure, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { currentTime, Day, Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { isLimited, may } from "../../ground/session/Session.ts"

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

/** A year, in milliseconds. */
const year = 365 * 86_400_000

/** How many keys are loaded at a time. */
const some = 20

/** Whether a key has signed for longer than a year. */
const isOld = ({ created_at, status }: SigningKey): boolean =>
  status === "active" && currentTime() - Date.parse(created_at) > year

/** Whether the token may see the signing keys, which are of all products. */
export const maySeeSigningKeys = (): boolean => may("admin") && !isLimited()

/** Asks for the signing keys, where the token may. */
export const useSigningKeys = (): Pages<SigningKey> =>
  usePages<SigningKey>(
    "signing keys",
    (client, page, signal) => client.signingKeys.list({ limit: some, ...page }, { signal }),
    [],
    { when: maySeeSigningKeys() }
  )

/** The keys that sign answers, checkpoints and manifests. */
export const SigningKeysPanel = ({ of }: { readonly of: Pages<SigningKey> }) => {
  const active = of.rows?.find(({ status }) => status === "active")
  return (
    <Panel
      title="Signing keys"
      flush
      whole
      aside={
        <Action
          label="Rotate key"
          asksWhy
          small
          weight="danger"
          scope="admin"
          typed="rotate"
          says={consequenceOf("rotateSigningKey")}
          secondLook="rotate_signing_key"
          perform={(client, options) => client.signingKeys.rotate(options)}
          done={({ kid }) => (
            <span>
              <code>{kid}</code> is now the active key.
            </span>
          )}
          onDone={of.reload}
        />
      }
      footer={<More of={of} />}
    >
      {active !== undefined && isOld(active)
        ? (
          <Note tone="warn" title="Active key older than one year">
            Rotate it once all apps in use fetch public keys or include the next one.
          </Note>
        )
        : null}
      <Rows of={of} lines={2} empty={null}>
        {(keys) => (
          <Table
            label="Signing keys"
            rows={keys}
            keyOf={({ kid }) => kid}
            columns={[
              { name: "Key", cell: ({ kid }) => <Id of={kid} /> },
              { name: "Status", cell: ({ status }) => <State of={status} /> },
              {
                name: "Created",
                cell: ({ created_at }) => (
                  <>
                    <Day at={created_at} />{" "}
                    <span class="quiet">
                      (<Time at={created_at} />)
                    </span>
                  </>
                )
              },
              {
                name: "Ended",
                cell: ({ retired_at, revoked_at }) =>
                  retired_at === undefined && revoked_at === undefined ? null : <Day at={revoked_at ?? retired_at} />
              }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}
