import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { sendersOf } from "../deliver/Senders.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure } from "../harness/Report.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import { figureRows, order } from "./FigureRows.ts"
import type { Results } from "./FigureRows.ts"
import { figureTable } from "./FigureTable.ts"
import { thisMachine } from "./Machine.ts"
import type { Machine } from "./Machine.ts"

/** How long one benchmark may take. */
const patience = "20 minutes"

const program = fileURLToPath(new URL("../main.ts", import.meta.url))
const bundling = fileURLToPath(new URL("../../build/startBundle.mjs", import.meta.url))

/** Makes the bundle that `npm start` runs: where the source has changed since `npm ci`, it would run the source tree. */
const bundle = Effect.callback<void, BenchError>((resume) => {
  spawn(process.execPath, [bundling], { stdio: ["ignore", "ignore", "inherit"] }).once("close", (code) =>
    resume(
      code === 0 ? Effect.void : Effect.fail(new BenchError({ message: "the bundle that npm start runs was not made" }))
    ))
})

/** Runs one benchmark as a program of its own, which no other one has warmed up; answers what it prints. */
const runOne = (what: string, args: ReadonlyArray<string>): Effect.Effect<unknown, BenchError> =>
  Effect.scoped(Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program, what, "--json", ...args], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGTERM")
        })
    )
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    const code = yield* Effect.callback<number | null>((resume) => {
      child.once("close", (code) => resume(Effect.succeed(code)))
    })
    if (code !== 0) return yield* new BenchError({ message: `it ended with ${code}; the reason is above` })
    return yield* Effect.try({
      try: (): unknown => JSON.parse(output.trim().split("\n").at(-1)!),
      catch: () => new BenchError({ message: "it printed no figures" })
    })
  })).pipe(Effect.timeoutOrElse({
    duration: patience,
    orElse: () => Effect.fail(new BenchError({ message: `it was not done after ${patience}` }))
  }))

const heading = (machine: Machine, minutes: number, { callers, rows, seconds }: BenchOptions): string => {
  const { commit, cores, date, memory, node, postgres, processor, system } = machine
  const state = commit === undefined
    ? "of an unknown commit"
    : `of commit ${commit.id}${commit.isClean ? "" : ", changed"}`
  return `Measured on ${date} ${state}, by one run of \`npm run bench -- all\` (${
    figure(minutes)
  } minutes): ${cores} cores (${processor}), ${
    figure(memory)
  } GiB, ${system}, Node ${node}, PostgreSQL ${postgres}; ${callers} callers, ${seconds} s a side, ${
    figure(rows)
  } uses in reports and exports.`
}

/** Runs what is in the table of figures, one after the other, and prints the table. What fails is named below it. */
export const all = (options: BenchOptions) =>
  Effect.gen(function*() {
    const begin = performance.now()
    yield* bundle
    const machine = yield* thisMachine
    const common = [`--seconds=${options.seconds}`, `--callers=${options.callers}`, `--rows=${options.rows}`]
    const hasPeers = (yield* Effect.result(sendersOf(options.senders)))._tag === "Success"
    const senders = hasPeers ? options.senders : ["countersign"]
    const chosen = [
      ...["service", "steady", "burst", "hanging", "dead"].map((name) => `--scenario=${name}`),
      ...senders.map((name) => `--sender=${name}`)
    ]
    const results: { [What in keyof Results]?: Results[What] } = {}
    const failures: Array<string> = []
    for (const what of order) {
      const began = performance.now()
      const found = yield* Effect.result(runOne(what, [...common, ...what === "deliver" ? chosen : []]))
      if (found._tag === "Success") Object.assign(results, { [what]: found.success })
      else failures.push(`\`${what}\`: ${found.failure.message}`)
      const outcome = found._tag === "Success" ? "" : `, failed: ${found.failure.message}`
      yield* Console.error(`${what}: ${figure((performance.now() - began) / 1000)} s${outcome}`)
    }
    if (options.json) yield* Console.log(JSON.stringify({ machine, results, failures }))
    else {
      const minutes = (performance.now() - begin) / 60_000
      yield* Console.log([
        heading(machine, minutes, options),
        figureTable(figureRows(results)),
        ...failures.map((failure) => `Failed: ${failure}.`),
        ...hasPeers ? [] : ["The job queues beside `deliver` were not installed (`npm ci --prefix bench`)."]
      ].join("\n\n"))
    }
    if (failures.length > 0) return yield* new BenchError({ message: `Failed: ${failures.join("; ")}` })
    return { machine, results }
  })
