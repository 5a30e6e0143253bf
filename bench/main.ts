import { Effect, Logger } from "effect"
import type { Scope } from "effect"
import { runMain } from "../src/runtime/Program.ts"
import { against } from "./against/against.ts"
import { all } from "./all/all.ts"
import { busy } from "./busy/busy.ts"
import { cli } from "./cli/cli.ts"
import { client } from "./client/client.ts"
import { deliver } from "./deliver/deliver.ts"
import { environments } from "./environments/environments.ts"
import { exporting } from "./export/export.ts"
import { feed } from "./feed/feed.ts"
import type { BenchOptions } from "./harness/Options.ts"
import { readOptions, usage } from "./harness/Options.ts"
import { BenchError } from "./harness/ServiceProcess.ts"
import { idle } from "./idle/idle.ts"
import { large } from "./large/large.ts"
import { list } from "./list/list.ts"
import { purchases } from "./purchases/purchases.ts"
import { reports } from "./reports/reports.ts"
import { soak } from "./soak/soak.ts"
import { start } from "./start/start.ts"
import { statement } from "./statement/statement.ts"
import { terms } from "./terms/terms.ts"
import { validate } from "./validate/validate.ts"
import { activate, consume, lease } from "./writes/writes.ts"

type Benchmark = (options: BenchOptions) => Effect.Effect<unknown, BenchError, Scope.Scope>

const benchmarks: Readonly<Record<string, Benchmark>> = {
  validate,
  busy,
  environments,
  activate,
  consume,
  lease,
  terms,
  list,
  feed,
  export: exporting,
  reports,
  deliver,
  purchases,
  soak,
  large,
  start,
  cli,
  idle,
  statement,
  client,
  against,
  all
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
