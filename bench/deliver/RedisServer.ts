import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { connect } from "node:net"
import { delimiter, join } from "node:path"
import { BenchError } from "../harness/ServiceProcess.ts"

/** A Redis of the benchmark's own. */
export interface RedisServer {
  readonly pid: number
  readonly socket: string
  /** Forgets everything. */
  readonly clear: Effect.Effect<void>
}

const program = (): string | undefined =>
  (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "redis-server")).find(existsSync)

/** Every command is on disk before it is answered, as with PostgreSQL. */
const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]

/** Starts the installed Redis in the directory, on a socket, until the scope ends; undefined when there is none. */
export const startRedis = (directory: string): Effect.Effect<RedisServer | undefined, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const found = program()
    if (found === undefined) return undefined
    const home = join(directory, "redis")
    mkdirSync(home)
    const socket = join(home, "redis.sock")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(found, ["--port", "0", "--unixsocket", socket, "--dir", home, ...durable], { stdio: "ignore" })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGKILL")
        })
    )
    for (let waited = 0; !existsSync(socket); waited++) {
      if (waited > 100) return yield* new BenchError({ message: "Redis did not start within 10 s" })
      yield* Effect.sleep("100 millis")
    }
    const clear = Effect.callback<void>((resume) => {
      // It answers after the data is gone, or has been stopped already and has nothing left.
      const client = connect(socket, () => client.write("FLUSHALL\r\n"))
      client.once("data", () => client.end())
      client.on("error", () => {})
      client.once("close", () => resume(Effect.void))
    })
    return { pid: child.pid!, socket, clear }
  })
