import { Data, Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import manifest from "../../package.json" with { type: "json" }
import { freshProgram } from "../../src/runtime/startBundle.mjs"

/** The service did not start or did not answer as it should. */
export class BenchError extends Data.TaggedError("BenchError")<{ readonly message: string }> {}

/** A service that is ready. */
export interface ServiceProcess {
  readonly pid: number
  readonly port: number
  /** Calls the management API with the bootstrap token; answers `data`. */
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<any>
}

/** The tree that this program stands in. */
export const ownTree = fileURLToPath(new URL("../..", import.meta.url))
/** The bootstrap token of a service that is measured. */
export const adminToken = "bench-token-0123456789abcdefghij"
/** The master key of a service that is measured. */
export const masterKey = Buffer.alloc(32, 7).toString("base64")

/** How long a first start may take where other programs have most of the machine. */
const startPatience = "3 minutes"

/** What a script that starts the service gives to node, without npm between: its process is the one to measure and stop. */
const argumentsOf = (script: string): ReadonlyArray<string> => script.split(/\s+/).slice(1)

const startArguments = argumentsOf(manifest.scripts.start)

/** What `npm start` tells node, before the name of the program. */
export const nodeOptions: ReadonlyArray<string> = startArguments.slice(0, -1)

/** What `npm start` of a tree gives to node. */
const startArgumentsOf = (tree: string): Effect.Effect<ReadonlyArray<string>, BenchError> =>
  Effect.try({
    try: () => argumentsOf(JSON.parse(readFileSync(join(tree, "package.json"), "utf8")).scripts.start),
    catch: (cause) => new BenchError({ message: `${tree} does not say how it starts: ${String(cause)}` })
  })

/** The environment of a service to measure, beside its database. */
export const serviceEnvironment = (dataDirectory: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  COUNTERSIGN_DATA_DIR: dataDirectory,
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
  COUNTERSIGN_LOG_FORMAT: "json"
})

/** Calls an API that answers `{data}` or `{error}`. */
const caller = (url: string): ServiceProcess["call"] => async (method, path, body, headers = {}) => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text === "" ? undefined : JSON.parse(text).data
}

/**
 * Starts the service as a child on a free port, on the given database, and stops it with the scope. With `profile` it
 * leaves a CPU profile in that directory when it ends. With `tree` it is the service of another tree, as its own
 * package.json starts it.
 */
export const startService = (
  databaseUrl: string,
  dataDirectory: string,
  profile: string | undefined,
  tree: string = ownTree
): Effect.Effect<ServiceProcess, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    // The source tree itself takes a third more memory and a sixth more time than what users start.
    if (tree === ownTree && freshProgram("main") === undefined) {
      return yield* new BenchError({ message: "The bundle was made of other sources: npm run prepare makes it anew." })
    }
    const startArguments = yield* startArgumentsOf(tree)
    const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...profiling, ...startArguments], {
          cwd: tree,
          env: { ...serviceEnvironment(dataDirectory), PORT: "0", DATABASE_URL: databaseUrl },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          const patience = setTimeout(() => child.kill("SIGKILL"), 15_000)
          child.once("exit", () => {
            clearTimeout(patience)
            resume(Effect.void)
          })
          child.kill("SIGTERM")
        })
    )
    const port = yield* Effect.callback<number, BenchError>((resume) => {
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (output.length < 10_000) output += text
        const found = /is ready at http:\/\/[^\s]+:(\d+)/.exec(output)
        if (found !== null) resume(Effect.succeed(Number(found[1])))
      })
      child.once("exit", () => resume(Effect.fail(new BenchError({ message: `The service ended:\n${output}` }))))
    }).pipe(
      Effect.timeoutOrElse({
        duration: startPatience,
        orElse: () => Effect.fail(new BenchError({ message: `The service was not ready within ${startPatience}` }))
      })
    )
    return { pid: child.pid!, port, call: caller(`http://127.0.0.1:${port}`) }
  })
