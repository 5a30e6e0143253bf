import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { runSql } from "../harness/Database.ts"
import { usageOf } from "../harness/ProcessUsage.ts"

/** What was used so far. */
export interface DeliveryCost {
  /** Bytes of write-ahead log. */
  readonly wal: number
  /** Transactions that wrote: each is a commit that waits for the disk. */
  readonly commits: number
  /** CPU of the sender and of its store, in seconds. */
  readonly sender: number
  readonly store: number
}

const ticksPerSecond = 100

const statOf = (pid: number): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  return [stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")), ...stat.slice(stat.lastIndexOf(")") + 2).split(" ")]
}

/** Seconds of the server that this process belongs to and all its children, those that ended included; NaN when it is not to be seen from here. */
const familyCpu = (child: number): number => {
  try {
    // From the name on: state, parent, ..., utime, stime, cutime, cstime at 12 to 15.
    const parent = Number(statOf(child)[2])
    const own = statOf(parent)
    if (own[0] !== "postgres") return Number.NaN
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "latin1").trim().split(" ")
    const ticks = own.slice(12, 16).reduce((sum, text) => sum + Number(text), 0)
    // One that ended in between counts with its parent the next time.
    return children.map((pid) => usageOf(Number(pid)).cpu).filter(Number.isFinite)
      .reduce((sum, cpu) => sum + cpu, ticks / ticksPerSecond)
  } catch {
    return Number.NaN
  }
}

/** Reads what PostgreSQL and the sender's process used so far. */
export const databaseCost = (databaseUrl: string, pid: number) =>
  Effect.map(
    runSql(databaseUrl, [[
      `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal,
        (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS pid,
        pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS commits`,
      []
    ]]),
    ([row]): DeliveryCost => ({
      wal: Number(row?.["wal"]),
      commits: Number(row?.["commits"]),
      sender: usageOf(pid).cpu,
      store: familyCpu(Number(row?.["pid"]))
    })
  )

/** The same of a sender that keeps its jobs in Redis. */
export const redisCost = (redis: number, pid: number): DeliveryCost => ({
  wal: Number.NaN,
  commits: Number.NaN,
  sender: usageOf(pid).cpu,
  store: usageOf(redis).cpu
})

/** What was used between two readings. */
export const costBetween = (before: DeliveryCost, after: DeliveryCost): DeliveryCost => ({
  wal: after.wal - before.wal,
  commits: after.commits - before.commits,
  sender: after.sender - before.sender,
  store: after.store - before.store
})
