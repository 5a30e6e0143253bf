import { Console, Effect } from "effect"
import type { Scope } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { temporaryDirectory } from "../harness/Database.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError, ownTree, serviceEnvironment } from "../harness/ServiceProcess.ts"

const compileCache = join(ownTree, "node_modules", ".cache", "countersign")

/** How many times each kind of start is measured. */
const repetitions = 3

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const isReady = (port: number): Effect.Effect<boolean> =>
  Effect.promise(() => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status === 200, () => false))

/** Runs `npm start` of a tree until it is ready; the scope stops it. */
const startByNpm = (
  tree: string,
  dataDirectory: string,
  port: number
): Effect.Effect<void, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    let output = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        // In a group of its own: npm and the shell between do not all pass signals on.
        spawn("npm", ["start", "--silent"], {
          cwd: tree,
          detached: true,
          env: { ...process.env, ...serviceEnvironment(dataDirectory), DATABASE_URL: "", PORT: String(port) },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          child.once("close", () => resume(Effect.void))
          process.kill(-child.pid!, "SIGTERM")
        })
    )
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        if (output.length < 10_000) output += text
      })
    }
    const end = performance.now() + 60_000
    while (!(yield* isReady(port))) {
      if (child.exitCode !== null || performance.now() > end) {
        return yield* new BenchError({ message: `npm start did not become ready:\n${output}` })
      }
      yield* Effect.sleep("10 millis")
    }
  })

/** The seconds from `npm start` of a tree until /readyz answers 200. The service is stopped before this answers. */
export const timeToReady = (dataDirectory: string, tree: string = ownTree) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const begin = performance.now()
    return yield* Effect.scoped(
      Effect.map(startByNpm(tree, dataDirectory, port), () => (performance.now() - begin) / 1000)
    )
  })

/** Leaves what `npm ci` does in a fresh clone: the bundle, and what Node has compiled of it while it was made. */
const prepare = Effect.sync(() => {
  rmSync(compileCache, { recursive: true, force: true })
  execFileSync(process.execPath, [join(ownTree, "build/startBundle.mjs")], { cwd: ownTree })
})

/** Measures first starts, as from a fresh clone, and later ones, with the embedded PostgreSQL. */
export const start = ({ json }: BenchOptions) =>
  Effect.gen(function*() {
    const first: Array<number> = []
    const later: Array<number> = []
    for (let turn = 0; turn < repetitions; turn++) {
      const directory = yield* temporaryDirectory
      yield* prepare
      first.push(yield* timeToReady(directory))
      later.push(yield* timeToReady(directory))
    }
    const found = { first, later }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    const cells = (seconds: ReadonlyArray<number>) => seconds.map((second) => figure(second, 2))
    yield* print(
      "npm start until /readyz answers 200, in seconds",
      ["", ...first.map((_, index) => `run ${index + 1}`), "asked for"],
      [["first start", ...cells(first), "2.00"], ["later start", ...cells(later), "1.00"]],
      ["A first start makes a data directory, as in a fresh clone after npm ci."]
    )
    return found
  })
