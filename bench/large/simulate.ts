import { figure, print } from "../harness/Report.ts"

/** What one operation costs, in microseconds of CPU. */
interface OperationCost {
  readonly service: number
  readonly database: number
}

/** What was measured, and the model is made of. */
export interface MeasuredCosts {
  readonly validate: OperationCost
  readonly consume: OperationCost
  /** The place of an event in the feed: what the one sequencer of a cluster spends on it. */
  readonly sequence: OperationCost
  /** One POST to an endpoint. */
  readonly delivery: OperationCost
  /** What a process costs while nobody asks: polls, sweeps and heartbeats, in microseconds each second. */
  readonly idle: OperationCost
  /** Sessions that a process holds at the database under load. */
  readonly sessions: number
  /** Bytes of tables and indexes for each event, whatever hangs on it included. */
  readonly bytesOfEvent: number
}

/** What is asked for: shares of one verification, on average. */
export interface Mix {
  /** Uses, activations and checkouts for each validate. Each writes one event and is counted as a consume. */
  readonly writes: number
  /** Deliveries for each event. */
  readonly deliveries: number
}

/** Machines: processes of the service, each with a core of its own, and cores and sessions of one PostgreSQL. */
interface Machines {
  readonly processes: number
  readonly databaseCores: number
  readonly sessions: number
}

/** How much of a core is planned for: above it, waiting grows faster than work. */
const planned = 0.7

/** The busiest second of a day beside its mean. */
const peak = 3

const daySeconds = 86_400

/** How many verifications a second each part allows. */
export interface Limits {
  readonly service: number
  readonly database: number
  readonly sequencer: number
  readonly sessions: number
}

/** The parts in the order in which a table names them, and what each is. */
const parts: Readonly<Record<keyof Limits, string>> = {
  service: "CPU of the service",
  database: "CPU of PostgreSQL",
  sequencer: "the one sequencer",
  sessions: "sessions of PostgreSQL"
}

const cpuOf = (costs: MeasuredCosts, mix: Mix, side: keyof OperationCost): number =>
  costs.validate[side] + mix.writes * (costs.consume[side] + mix.deliveries * costs.delivery[side])

/**
 * The most verifications a second that each part allows. The CPU of a consume was measured with its event's way into the
 * feed, so the sequencer's share is in it already; alone it bounds the cluster, because it runs in one process, one batch
 * after the other, waiting for PostgreSQL within each.
 */
const limitsOf = (costs: MeasuredCosts, mix: Mix, { databaseCores, processes, sessions }: Machines): Limits => ({
  service: Math.max(0, (processes * (planned * 1e6 - costs.idle.service)) / cpuOf(costs, mix, "service")),
  database: Math.max(
    0,
    (databaseCores * planned * 1e6 - processes * costs.idle.database) / cpuOf(costs, mix, "database")
  ),
  sequencer: planned * 1e6 / (costs.sequence.service + costs.sequence.database) / mix.writes,
  // A process without its sessions does not run at all.
  sessions: processes * costs.sessions <= sessions ? Number.POSITIVE_INFINITY : 0
})

/** The part that is at its end first, and at how many verifications a second. */
const bottleneckOf = (limits: Limits): { readonly part: keyof Limits; readonly perSecond: number } =>
  (Object.keys(parts) as ReadonlyArray<keyof Limits>)
    .map((part) => ({ part, perSecond: limits[part] }))
    .reduce((least, next) => next.perSecond < least.perSecond ? next : least)

/** Machines that carry so many verifications a second, the fewest of each. */
const needsOf = (costs: MeasuredCosts, mix: Mix, perSecond: number) => {
  const processes = Math.max(
    1,
    Math.ceil(perSecond * cpuOf(costs, mix, "service") / (planned * 1e6 - costs.idle.service))
  )
  return {
    processes,
    databaseCores: Math.max(
      1,
      Math.ceil((perSecond * cpuOf(costs, mix, "database") + processes * costs.idle.database) / (planned * 1e6))
    ),
    sessions: processes * costs.sessions,
    sequencers: perSecond * mix.writes * (costs.sequence.service + costs.sequence.database) / (planned * 1e6)
  }
}

const mix: Mix = { writes: 0.05, deliveries: 1 }
const databases = [4, 16, 64]
const counts = [1, 2, 4, 8, 16, 32, 64, 128]
const sessionsAtMost = 1000
const days = [1e3, 1e6, 1e9]

/** Prints what so many processes carry, and what so many verifications a day need. */
export const printSimulation = (costs: MeasuredCosts) => [
  print(
    `Simulated: verifications a second by processes of the service and cores of one PostgreSQL, ${
      figure(mix.writes * 100)
    } writes for 100 validates, ${mix.deliveries} delivery for a write, ${
      figure(planned * 100)
    } % of a core planned for, ${sessionsAtMost} sessions`,
    ["processes", ...databases.flatMap((cores) => [`${cores} cores`, "bound by"])],
    counts.map((processes) =>
      [String(processes)].concat(databases.flatMap((databaseCores) => {
        const { part, perSecond } = bottleneckOf(
          limitsOf(costs, mix, { processes, databaseCores, sessions: sessionsAtMost })
        )
        return [figure(perSecond), parts[part]]
      }))
    ),
    []
  ),
  print(
    `Simulated: what so many verifications a day need, with ${peak} times the mean in the busiest second`,
    ["a day", "peak 1/s", "processes", "PostgreSQL cores", "sessions", "sequencers", "GiB a month"],
    days.map((perDay) => {
      const perSecond = perDay / daySeconds * peak
      const needs = needsOf(costs, mix, perSecond)
      return [
        figure(perDay),
        figure(perSecond, 2),
        figure(needs.processes),
        figure(needs.databaseCores),
        figure(needs.sessions),
        figure(needs.sequencers, 3),
        figure(perDay * mix.writes * costs.bytesOfEvent * 30 / 2 ** 30, 1)
      ]
    }),
    ["A part of a sequencer is enough where the figure is below 1; above it, one log cannot take the events."]
  )
]
