import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { availableParallelism, cpus, release, totalmem, type } from "node:os"
import { fileURLToPath } from "node:url"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const git = (...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

/** Where and on what figures were measured. */
export interface Machine {
  /** The day, in UTC. */
  readonly date: string
  readonly cores: number
  readonly processor: string
  /** In GiB. */
  readonly memory: number
  readonly system: string
  readonly node: string
  readonly postgres: string
  /** The commit, and whether the files were those of the commit; undefined outside a repository. */
  readonly commit: { readonly id: string; readonly isClean: boolean } | undefined
}

/** This machine and this commit, with the PostgreSQL that is measured on. */
export const thisMachine = Effect.scoped(Effect.gen(function*() {
  const url = yield* benchDatabase(yield* temporaryDirectory)
  const [server] = yield* runSql(url, [["SELECT current_setting('server_version') AS version", []]])
  const id = git("rev-parse", "--short", "HEAD")
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memory: totalmem() / 2 ** 30,
    system: `${type()} ${release()}`,
    node: process.versions.node,
    postgres: String(server!["version"]).split(" ")[0]!,
    commit: id === undefined ? undefined : { id, isClean: git("status", "--porcelain") === "" }
  } satisfies Machine
}))
