import { Effect } from "effect"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { BenchError, ownTree } from "../harness/ServiceProcess.ts"

/** A tree of a commit, with what its `npm ci` makes. */
export interface Checkout {
  /** The first twelve hexadecimal digits of the commit. */
  readonly commit: string
  readonly tree: string
}

const run = (directory: string, command: string, args: ReadonlyArray<string>): Effect.Effect<string, BenchError> =>
  Effect.callback((resume) => {
    execFile(command, args, { cwd: directory, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resume(
        error === null
          ? Effect.succeed(stdout.trim())
          : Effect.fail(new BenchError({ message: `${command} ${args.join(" ")}:\n${stderr || error.message}` }))
      ))
  })

/** Trees are not kept under node_modules, where Node takes no types out of programs: `npm ci` there would make no bundle, and `npm start` would not start. */
const kept = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "countersign-against")

/** Brings a commit of this repository into a tree of its own, with its packages. It is kept for the next run in the cache of its user. */
export const checkOut = (name: string): Effect.Effect<Checkout, BenchError> =>
  Effect.gen(function*() {
    const hash = yield* run(ownTree, "git", ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`])
    const commit = hash.slice(0, 12)
    const tree = join(kept, commit)
    if (existsSync(tree)) return { commit, tree }
    // What is there under the last name is whole, also where an earlier run was stopped.
    const unfinished = `${tree}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(kept, { recursive: true })
    yield* run(ownTree, "git", ["clone", "--quiet", "--shared", "--no-checkout", ownTree, unfinished])
    yield* run(unfinished, "git", ["checkout", "--quiet", "--detach", hash])
    renameSync(unfinished, tree)
    // Packages that were made for one path hold it: they are installed where they stay.
    return yield* run(tree, "npm", ["ci"]).pipe(
      Effect.as({ commit, tree }),
      Effect.onError(() => Effect.sync(() => rmSync(tree, { recursive: true, force: true })))
    )
  })
