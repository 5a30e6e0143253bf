import { useRef } from "preact/hooks"
import { State } from "../ground/design/Badge.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Table } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { durationOf, Time } from "../ground/design/Time.tsx"
import { may } from "../ground/session/Session.ts"
import { EndpointActions } from "./EndpointActions.tsx"
import { failureOf, isTrouble, outcomeOf } from "./Outcome.ts"
import type { Lane } from "./Outcome.ts"

/** The event types of an endpoint, in few words. */
const Takes = ({ kinds }: { readonly kinds: ReadonlyArray<string> }) => (
  <span class="tiny quiet clip" title={kinds.join(", ")}>{kinds.length === 0 ? "all events" : kinds.join(", ")}</span>
)

const Waiting = ({ of: { backlog, lane, state } }: { readonly of: Lane }) => {
  if (state === "paused") return <span class="quiet">until resumed</span>
  if (backlog === undefined) return <span class="quiet">–</span>
  return (
    <span class="two ends">
      <span class={backlog === 0 ? "quiet" : ""}>{backlog === 0 ? "nothing" : count(backlog)}</span>
      {lane?.oldest_undelivered_seconds === undefined
        ? null
        : <span class="tiny quiet">oldest: {durationOf(lane.oldest_undelivered_seconds)}</span>}
    </span>
  )
}

const Outcome = ({ of }: { readonly of: Lane }) => {
  const { disabled_at, failing_since, last_delivery_at, last_outcome } = of.endpoint
  const next = of.state === "disabled" || of.state === "paused" ? undefined : last_outcome?.next_attempt_at
  const retried = failureOf(of.lane)
  return (
    <span class="two">
      <span class={isTrouble(of) ? "trouble" : ""}>{outcomeOf(of)}</span>
      {isTrouble(of) && last_outcome?.advice !== undefined ? <span class="tiny">{last_outcome.advice}</span> : null}
      <span class="tiny quiet">
        {of.state === "disabled" && disabled_at !== undefined
          ? (
            <>
              disabled <Time at={disabled_at} />
            </>
          )
          : failing_since !== undefined
          ? (
            <>
              failing since <Time at={failing_since} />
            </>
          )
          : <Time at={last_delivery_at} />}
        {next === undefined ? null : (
          <>
            ; next attempt <Time at={next} />
          </>
        )}
        {of.state === "active" && retried !== undefined
          ? `; ${some(of.lane?.retries_pending ?? 0, "pending retry", "pending retries")}: ${retried.toLowerCase()}`
          : ""}
      </span>
    </span>
  )
}

/** Rows keep the order in which they first appeared, so that none moves under the pointer; new ones come first. */
const usePlaces = (lanes: ReadonlyArray<Lane>): ReadonlyArray<Lane> => {
  const places = useRef<ReadonlyArray<string>>([])
  const added = lanes.map(({ endpoint }) => endpoint.id).filter((id) => !places.current.includes(id))
  if (added.length > 0) places.current = [...added, ...places.current]
  const by = new Map(lanes.map((lane) => [lane.endpoint.id, lane]))
  return places.current.flatMap((id) => by.get(id) ?? [])
}

/** The endpoints, those with trouble first. */
export const Endpoints = ({ of, onChange }: { readonly of: ReadonlyArray<Lane>; readonly onChange: () => void }) => {
  const columns: ReadonlyArray<Column<Lane>> = [
    {
      name: "Endpoint",
      cell: ({ endpoint: { event_types, name, url } }) => (
        <span class="two">
          <bdi class="strong clip">{name}</bdi>
          <bdi class="small quiet clip">{url}</bdi>
          <Takes kinds={event_types} />
        </span>
      )
    },
    { name: "Status", cell: ({ state }) => <State of={state} /> },
    { name: "Last outcome", cell: (lane) => <Outcome of={lane} /> },
    ...(may("ops:read")
      ? [{ name: "Backlog", isNumber: true, cell: (lane: Lane) => <Waiting of={lane} /> }]
      : []),
    { name: "", cell: ({ endpoint }) => <EndpointActions of={endpoint} onChange={onChange} /> }
  ]
  return <Table label="Endpoints" rows={usePlaces(of)} keyOf={({ endpoint }) => endpoint.id} columns={columns} />
}
