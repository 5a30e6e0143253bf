import { Effect, Result } from "effect"
import { table } from "./config/ConfigTable.ts"
import { child } from "./processes/Child.ts"

/** How many processes the environment asks for; 1 where it asks for nothing, or for what the configuration refuses. */
const asked = (): number => {
  const parsed = table.processes.parse((process.env[table.processes.name] ?? "").trim() || table.processes.default)
  return Result.getOrElse(parsed, () => 1)
}

/** Runs the service until it is told to stop: this process, or as many as it is to run. */
export const run = Effect.gen(function*() {
  const count = child === undefined ? asked() : 1
  if (count > 1) {
    const parent = yield* Effect.promise(() => import("./processes/Parent.ts"))
    return yield* parent.run(count)
  }
  const server = yield* Effect.promise(() => import("./Server.ts"))
  return yield* server.run
})
