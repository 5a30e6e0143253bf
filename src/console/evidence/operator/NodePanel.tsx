import { count } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { durationOf, Time } from "../../ground/design/Time.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { labelOf, poolsOf, quantileOf, valueOf } from "./Metrics.ts"
import type { Metrics } from "./Metrics.ts"

/** The metrics now and a while before. */
export interface Measured {
  readonly now: Metrics
  readonly before: Metrics | undefined
}

const mebibytes = (bytes: number): string => `${count(bytes / 2 ** 20)} MiB`

const momentOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The load of the process that answered; other processes report their own. */
export const NodePanel = ({ of }: { readonly of: Loaded<Measured> }) => (
  <Panel title="This process" aside={<span class="small quiet">the node that responded</span>}>
    <Loading of={of} lines={5}>
      {({ before, now }) => {
        const started = valueOf(now, "process_start_time_seconds")
        const used = valueOf(now, "nodejs_heap_used_bytes")
        const limit = valueOf(now, "nodejs_heap_limit_bytes")
        const late = quantileOf(now, "nodejs_eventloop_delay_seconds", 0.99, before)
        const resident = valueOf(now, "process_resident_memory_bytes")
        const open = valueOf(now, "http_server_active_requests")
        return (
          <Facts
            of={[
              ["Started", started === undefined ? undefined : <Time at={momentOf(started)} />],
              ["Node.js", labelOf(now, "countersign_build_info", "node")],
              ["Active requests", open === undefined ? undefined : count(open)],
              [
                "Event loop",
                late === undefined ? undefined : Number.isFinite(late)
                  ? `p99 delay ${durationOf(late)}`
                  : "blocked for several seconds"
              ],
              ["Memory", resident === undefined ? undefined : mebibytes(resident)],
              [
                "Heap",
                used === undefined || limit === undefined ? undefined : `${mebibytes(used)} of ${mebibytes(limit)}`
              ]
            ]}
          />
        )
      }}
    </Loading>
  </Panel>
)

/** The database, as the process that answered uses it. */
export const DatabasePanel = ({ of }: { readonly of: Loaded<Measured> }) => (
  <Panel title="Database">
    <Loading of={of} lines={4}>
      {({ before, now }) => {
        const slow = quantileOf(now, "db_client_operation_duration_seconds", 0.99, before)
        const wait = quantileOf(now, "db_client_connection_wait_time_seconds", 0.99, before)
        const within = (seconds: number | undefined) =>
          seconds === undefined || !Number.isFinite(seconds) ? undefined : `p99 ${durationOf(seconds)}`
        return (
          <Facts
            of={[
              ["PostgreSQL", labelOf(now, "countersign_build_info", "postgres")],
              ["Query latency", within(slow)],
              ["Connection wait", within(wait)],
              ...poolsOf(now).map(({ most, name, pending, used }) =>
                [
                  `Pool ${name}`,
                  `${count(used)} of ${count(most)} in use${pending === 0 ? "" : `, ${count(pending)} waiting`}`
                ] as const
              )
            ]}
          />
        )
      }}
    </Loading>
  </Panel>
)
