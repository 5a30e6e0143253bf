import type { Countersign, ManagementScope, UsageGroup } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { TextField } from "../../ground/design/Field.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { useSettled } from "../../ground/lists/Settled.ts"
import { kinds, pathOf } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { timeQuery, windowOf } from "../../ground/period/Period.ts"
import { useKept } from "../../ground/session/Kept.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { candidatesOf, shortestSearch } from "../figures/Candidates.ts"
import type { Candidate } from "../figures/Candidates.ts"
import { Lead } from "./FigureTable.tsx"

interface Search {
  readonly scope: ManagementScope
  readonly ask: (client: Countersign, text: string, signal: AbortSignal) => Promise<ReadonlyArray<Candidate>>
}

interface PickProps {
  readonly kind: SheetKind
  readonly selection: Selection
  /** The subject: its group in the usage summary, its name and the form of its ids. */
  readonly group: UsageGroup
  readonly noun: string
  readonly idPattern: RegExp
  /** Finds subjects without usage, where the token may. */
  readonly search?: Search
}

/** How long a typing pause is before the service is searched, in milliseconds. */
const pause = 200

/** The text if nothing is offered. */
const None = (
  { isSearched, isSearching, noun }: {
    readonly isSearched: boolean
    readonly isSearching: boolean
    readonly noun: string
  }
) =>
  isSearched
    ? <Empty title={isSearching ? "Searching…" : "No results"}>Search by name, or enter a complete ID.</Empty>
    : (
      <Empty title={`No ${noun.toLowerCase()} has usage in this period`}>
        Search by name or ID, or select another period.
      </Empty>
    )

/** Chooses the subject of a report: those with usage in the period, the most active first, or one found by name or id. */
export const Pick = ({ selection, group, idPattern, kind, noun, search }: PickProps) => {
  const [text, setText] = useKept(`${kind} ${group}`, "")
  const { period } = selection
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
    { when: search !== undefined && may(search.scope) && settled.length >= shortestSearch }
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
          const candidates = candidatesOf(of, entered, found.data ?? [], idPattern)
          if (candidates.length === 0) {
            return <None isSearched={entered !== ""} isSearching={found.isLoading} noun={noun} />
          }
          return (
            <Table
              label={kinds[kind].name}
              rows={candidates}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => pathOf(kind, timeQuery(selection, { [group]: id }))}
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
