import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"

/** What a process has used so far. */
export interface ProcessUsage {
  /** User and system time, in seconds. */
  readonly cpu: number
  /** Resident memory now, and the most it ever was, in MiB. */
  readonly rss: number
  readonly peakRss: number
}

// Linux counts in hundredths of a second for every program, whatever the kernel's own tick is.
const ticksPerSecond = 100

const kibibytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN)

/** Reads proc(5) of a process; NaN where there is no such thing. */
export const usageOf = (pid: number): ProcessUsage => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name, in parentheses, may hold anything: count from its end. utime and stime are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    return {
      cpu: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      rss: kibibytes(status, "VmRSS") / 1024,
      peakRss: kibibytes(status, "VmHWM") / 1024
    }
  } catch {
    return { cpu: Number.NaN, rss: Number.NaN, peakRss: Number.NaN }
  }
}

/** The children of a process that run; none where there is no proc(5). */
export const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Has the peak of a process of our own begin anew, where proc(5) can; answers what it has used so far. */
export const forgetPeak = (pid: number): Effect.Effect<ProcessUsage> =>
  Effect.sync(() => {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, "5")
    } catch {
      // Then the peak is that of the whole life, which is never too low.
    }
    return usageOf(pid)
  })
