import { Effect } from "effect"
import { distributionOf } from "./Distribution.ts"
import type { Carry, LoadAnswer, LoadQuestion } from "./load.ts"
import type { BenchOptions } from "./Options.ts"
import { usageOf } from "./ProcessUsage.ts"
import { figure, print } from "./Report.ts"
import { BenchError } from "./ServiceProcess.ts"
import type { Worker } from "./Worker.ts"

/** Rounds of each side, one after the other, so that what disturbs the machine disturbs both. */
export const rounds = 5

/** Long enough for the compiler to have seen both sides. */
const warmUpSeconds = 8

/** What is put under load: a process and what it is asked. */
export interface Target {
  readonly port: number
  readonly pid: number
  readonly requests: ReadonlyArray<Uint8Array>
  readonly carry?: Carry
}

type Load = Worker<LoadQuestion, LoadAnswer>

/** Makes loads on a target, each of which goes on with the requests as the last one left them. */
export const loadOn = (load: Load, target: Target, callers: number) => {
  let { requests } = target
  return Effect.fnUntraced(function*(seconds: number) {
    const answer = yield* load.ask({ port: target.port, requests, carry: target.carry, callers, seconds })
    requests = answer.carried ?? requests
    if (answer.failed > 0) {
      return yield* new BenchError({ message: `${answer.failed} requests failed, the first with:\n${answer.failure}` })
    }
    return answer
  })
}

/** What one side did in all of its rounds. CPU in milliseconds a request, latencies in milliseconds, memory in MiB. */
export interface Summary {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly maximum: number
  readonly cpuPerRequest: number
  readonly rss: number
  readonly peakRss: number
}

const summaryOf = (pid: number, answers: ReadonlyArray<LoadAnswer>, cpu: number): Summary => {
  const succeeded = answers.reduce((sum, answer) => sum + answer.succeeded, 0)
  const seconds = answers.reduce((sum, answer) => sum + answer.seconds, 0)
  const { maximum, p50, p99 } = distributionOf(answers.map(({ latencies }) => latencies))
  const { peakRss, rss } = usageOf(pid)
  return {
    requestsPerSecond: succeeded / seconds,
    p50,
    p99,
    maximum,
    cpuPerRequest: cpu * 1000 / succeeded,
    rss,
    peakRss
  }
}

/** Loads all targets in turns, after a warm-up of each, and answers what each did, in their order. */
export const loadInTurns = (
  load: Load,
  targets: ReadonlyArray<Target>,
  { callers, seconds }: Pick<BenchOptions, "callers" | "seconds">
) =>
  Effect.gen(function*() {
    const sides = targets.map((target) => ({
      pid: target.pid,
      run: loadOn(load, target, callers),
      answers: new Array<LoadAnswer>(),
      cpu: 0
    }))
    for (const { run } of sides) yield* run(warmUpSeconds)
    for (let turn = 0; turn < rounds; turn++) {
      for (const side of sides) {
        const before = usageOf(side.pid).cpu
        side.answers.push(yield* side.run(seconds / rounds))
        side.cpu += usageOf(side.pid).cpu - before
      }
    }
    return sides.map(({ answers, cpu, pid }) => summaryOf(pid, answers, cpu))
  })

/** Prints one row for each named summary, and the remarks. */
export const printSummaries = (
  title: string,
  rows: ReadonlyArray<readonly [name: string, summary: Summary]>,
  remarks: ReadonlyArray<string>
): Effect.Effect<void> =>
  print(
    title,
    ["", "requests/s", "p50 ms", "p99 ms", "max ms", "CPU us/request", "RSS MiB", "peak MiB"],
    rows.map(([name, side]) => [
      name,
      figure(side.requestsPerSecond),
      figure(side.p50, 1),
      figure(side.p99, 1),
      figure(side.maximum, 1),
      figure(side.cpuPerRequest * 1000),
      figure(side.rss),
      figure(side.peakRss)
    ]),
    remarks
  )
