import { Effect, Logger } from "effect"
import type { Scope } from "effect"
import { runMain } from "../src/runtime/Program.ts"
import { deliver } from "./deliver.ts"
import { exporting } from "./export.ts"
import { feed } from "./feed.ts"
import { list } from "./list.ts"
import type { BenchOptions } from "./Options.ts"
import { readOptions, usage } from "./Options.ts"
import { reports } from "./reports.ts"
import { BenchError } from "./ServiceProcess.ts"
import { soak } from "./soak.ts"
import { start } from "./start.ts"
import { validate } from "./validate.ts"
import { activate, consume, lease } from "./writes.ts"

const benchmarks: Readonly<Record<string, (options: BenchOptions) => Effect.Effect<void, BenchError, Scope.Scope>>> = {
  validate,
  activate,
  consume,
  lease,
  list,
  feed,
  export: exporting,
  reports,
  deliver,
  soak,
  start
}

const run = Effect.gen(function*() {
  const { options, what } = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (cause) => new BenchError({ message: `${(cause as Error).message}\n\n${usage}` })
  })
  const benchmark = Object.hasOwn(benchmarks, what) ? benchmarks[what] : undefined
  if (benchmark === undefined) return yield* new BenchError({ message: usage })
  return yield* Effect.scoped(benchmark(options))
})

runMain(Effect.provide(run, Logger.layer([])))
