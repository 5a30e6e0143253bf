import type {
  Countersign,
  ManagementScope,
  ReportKind,
  UsageGroup,
  UsageSummaryReport
} from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { TextField } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { useSettled } from "../lists/Settled.ts"
import { kinds, pathOf } from "../period/Kinds.ts"
import type { Asked } from "../period/Period.ts"
import { timeQuery, windowOf } from "../period/Period.ts"
import { useKept } from "../session/Kept.ts"
import { useLoad } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { may } from "../session/Session.ts"
import { Lead } from "./UseTable.tsx"

/** Somebody that a report can be about. */
export interface Candidate {
  readonly id: string
  readonly name: string | undefined
  /** Absent of who did not use anything in this time, or who was found by name. */
  readonly uses?: number
}

interface Search {
  readonly scope: ManagementScope
  readonly ask: (client: Countersign, text: string, signal: AbortSignal) => Promise<ReadonlyArray<Candidate>>
}

interface PickProps {
  readonly kind: ReportKind
  readonly asked: Asked
  /** What is picked: its group in the report of use, what it is called, and how its ids begin. */
  readonly group: UsageGroup
  readonly noun: string
  readonly idPattern: RegExp
  /** Finds those that used nothing, where the token may. */
  readonly search?: Search
}

/** How many are offered. */
const most = 50

/** How long a person pauses before it is searched, in milliseconds, and for how many characters at least. */
const pause = 200
const shortest = 2

const fits = (text: string) => ({ id, name = "" }: Candidate): boolean =>
  id === text || name.toLowerCase().includes(text.toLowerCase())

const used = ({ rows }: UsageSummaryReport): ReadonlyArray<Candidate> =>
  rows
    .flatMap(({ group, label, uses }) => group === undefined ? [] : [{ id: group, name: label, uses }])
    .toSorted((one, other) => other.uses - one.uses)

/** Whom a report is about: those who used something in this time, the most active first, or one that is found by its name or id. */
export const Pick = ({ asked, group, idPattern, kind, noun, search }: PickProps) => {
  const [text, setText] = useKept(`${kind} ${group}`, "")
  const { period } = asked
  const entered = text.trim()
  const settled = useSettled(entered, pause)
  const report = useLoad(
    (client, signal) => client.reports.usageSummary({ ...windowOf(period), group_by: group }, { signal }),
    [period.from, period.to, group],
    { when: period.wrong === undefined }
  )
  const found = useLoad(
    (client, signal) => search?.ask(client, settled, signal) ?? Promise.resolve([]),
    [settled],
    { when: search !== undefined && may(search.scope) && settled.length >= shortest }
  )
  return (
    <Panel flush>
      <div class="ask">
        <TextField
          label={`Which ${noun.toLowerCase()}?`}
          type="search"
          value={text}
          onChange={setText}
          placeholder="Name or ID"
          autocomplete="off"
          isLong
        />
      </div>
      <Loading of={report} lines={8}>
        {(of) => {
          const active = used(of)
          const near = entered === "" ? active : active.filter(fits(entered))
          const all = [
            ...near,
            ...(found.data ?? []).filter(({ id }) =>
              entered.length >= shortest && near.every((known) => known.id !== id)
            ),
            ...(idPattern.test(entered) && near.every(({ id }) => id !== entered)
              ? [{ id: entered, name: undefined }]
              : [])
          ]
          if (all.length === 0) {
            return entered === ""
              ? (
                <Empty title={`No ${noun.toLowerCase()} has usage in this period`}>
                  Search by name or ID, or select another period.
                </Empty>
              )
              : (
                <Empty title={found.isLoading ? "Searching…" : "No results"}>
                  Search by name, or enter a complete ID.
                </Empty>
              )
          }
          return (
            <Table
              label={kinds[kind].name}
              rows={all.slice(0, most)}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => pathOf(kind, timeQuery(asked, { [group]: id }))}
              columns={[
                { name: noun, cell: ({ id, name }: Candidate) => <Lead id={id} name={name} /> },
                {
                  name: `Uses, ${period.name}`,
                  isNumber: true,
                  cell: ({ uses }: Candidate) => uses === undefined ? "" : count(uses)
                }
              ]}
            />
          )
        }}
      </Loading>
    </Panel>
  )
}
