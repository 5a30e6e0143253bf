import { parseArgs } from "node:util"

/** What may be asked of a benchmark. */
export interface BenchOptions {
  /** How long each side is under load, in seconds, warm-up not counted. */
  readonly seconds: number
  /** Callers at once, each with a connection of its own. */
  readonly callers: number
  /** Of export and reports: uses in the ledger. Of statement: events in the log. */
  readonly rows: number
  /** Of soak: how long it goes on, in minutes. */
  readonly minutes: number
  /** Of large: how many licenses and endpoints the large population has, and where it is kept for the next run. */
  readonly licenses: number
  readonly endpoints: number
  readonly keep: string | undefined
  /** One line of JSON instead of a table. */
  readonly json: boolean
  /** Where the service leaves a CPU profile. */
  readonly profile: string | undefined
  /** Of deliver: which scenarios and which senders; all of them when none is named. */
  readonly scenarios: ReadonlyArray<string>
  readonly senders: ReadonlyArray<string>
  /** Of against: the commit to compare with. */
  readonly commit: string | undefined
}

/** Of each benchmark where all are run. */
const secondsOfAll = 8
const rowsOfAll = 300_000

const scenarioNames = ["service", "steady", "burst", "hanging", "dead", "refusing", "backlog"]
const senderNames = ["countersign", "pg-boss", "graphile-worker", "bullmq"]

/** How to call it, for people. */
export const usage = `npm run bench -- <what> [options]

  validate   requests/s, latency, CPU and memory of validate, beside a bare handler and what one writes by hand
  busy       how a customer's validate fares beside a license that 100 callers ask about from another address
  environments
             how live's validate fares beside a loop that does in the test environment whatever it can
  activate   the same of activate, a fresh device in every request, beside a bare handler that does the same SQL
  consume    the same of consume, of one hot license and of many
  lease      the same of floating checkout and heartbeat
  terms      the same of validate and consume, with features, overrides and periods by terms, beside assignments
  list       how long pages of 100,000 licenses take, the first and the last, beside the SELECT alone
  feed       events/s that get their places in the feed, and how long after their commit at half of that rate
  reports    how long summaries of a month and pages of the ledger take, beside SELECT and COPY
  export     rows/s and memory of report exports, beside COPY of the same rows, and validate meanwhile
  deliver    deliveries/s, latency, WAL, commits and CPU of webhook delivery, beside a bare sender and job queues
  purchases  events/s of a payment provider, their latency, and how long after them their licenses are there
  soak       nothing measured: every writer and reader at 60 % of the capacity, and what must hold all the time
  large      everything that could grow with the tables, on 1,000,000 licenses and on 1,000; makes them in minutes
  statement  how long a statement of 10,000 uses takes in a log of so many events, and how large its file is
  start      how long a first start and a later one take until the service is ready
  cli        how long commands take that everybody runs: the token, helps, and a doctor that finds no database
  idle       CPU of the service and of PostgreSQL while nobody calls, and the statements between them, each minute
  client     requests/s of the client beside bare fetch, and verifications/s, on Node and in Chromium
  against <commit>
             validate, activate, consume, checkout, heartbeat, memory and start beside those of a commit, in turns
  all        what stands in the table of docs/reference/figures.md, one after the other: about 30 minutes

  --seconds <n>   time under load (default 20; of all ${secondsOfAll})
  --callers <n>   callers at once (default 64); busy, deliver, list, purchases, reports and start have their own
  --rows <n>      of export and reports: uses in the ledger (default 1000000; of all ${rowsOfAll}); of statement: events
  --minutes <n>   of soak: how long (default 30)
  --licenses <n>  of large: licenses; there are 3 devices and 10 events for each (default 1000000)
  --endpoints <n> of large: webhook endpoints (default 10000)
  --keep <dir>    of large: make the populations there, or use the ones that are there
  --json          one line of JSON instead of a table
  --profile <dir> leave a CPU profile of the service there
  --scenario <s>  of deliver, may be repeated: ${scenarioNames.join(", ")}
  --sender <s>    of deliver, may be repeated: ${senderNames.join(", ")}

It starts what it measures itself, with an embedded PostgreSQL in a temporary directory. With DATABASE_URL it uses that
database instead, and leaves what it made there.`

const bounded = (text: string, name: string, minimum: number, maximum: number): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new RangeError(`--${name} must be a whole number from ${minimum} to ${maximum}`)
  }
  return value
}

const among = (given: ReadonlyArray<string>, name: string, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (given.some((value) => !known.includes(value))) throw new RangeError(`--${name} is one of ${known.join(", ")}`)
  return given.length === 0 ? known : given
}

/** Reads the command line. Throws an error whose message is for people. */
export const readOptions = (args: ReadonlyArray<string>): { readonly what: string; readonly options: BenchOptions } => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { type: "string" },
      callers: { type: "string", default: "64" },
      rows: { type: "string" },
      minutes: { type: "string", default: "30" },
      licenses: { type: "string", default: "1000000" },
      endpoints: { type: "string", default: "10000" },
      keep: { type: "string" },
      json: { type: "boolean", default: false },
      profile: { type: "string" },
      scenario: { type: "string", multiple: true, default: [] },
      sender: { type: "string", multiple: true, default: [] }
    }
  })
  const [what = "", commit] = positionals
  const usual = what === "all" ? { seconds: secondsOfAll, rows: rowsOfAll } : { seconds: 20, rows: 1_000_000 }
  return {
    what,
    options: {
      seconds: bounded(values.seconds ?? String(usual.seconds), "seconds", 1, 600),
      callers: bounded(values.callers, "callers", 1, 1000),
      rows: bounded(values.rows ?? String(usual.rows), "rows", 1, 10_000_000),
      minutes: bounded(values.minutes, "minutes", 1, 1440),
      licenses: bounded(values.licenses, "licenses", 1000, 10_000_000),
      endpoints: bounded(values.endpoints, "endpoints", 10, 100_000),
      keep: values.keep,
      json: values.json,
      profile: values.profile,
      scenarios: among(values.scenario, "scenario", scenarioNames),
      senders: among(values.sender, "sender", senderNames),
      commit
    }
  }
}
