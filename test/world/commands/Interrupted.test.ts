import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { eventually } from "../../fixtures/Session.ts"

/** What the list of a run names, of one kind. */
const named = (list: string, what: string): ReadonlyArray<string> =>
  existsSync(list)
    ? readFileSync(list, "utf8").split("\n").filter((line) => line.startsWith(`${what} `)).map((line) =>
      line.slice(what.length + 1)
    )
    : []

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The process id of the PostgreSQL that a run has in its directory. */
const serverOf = (directory: string): number =>
  Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

describe("a run of the tests that is interrupted", () => {
  it.concurrent.each(["SIGINT", "SIGKILL"] as const)("by %s leaves no process and no directory", async (signal) => {
    const list = join(temporaryDirectory(), "started")
    const program = ["node_modules/vitest/vitest.mjs", "run", "--mode", "all", "test/world/http/Draining.test.ts"]
    const run = spawn(process.execPath, program, {
      cwd: root,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: process.env["HOME"] ?? "",
        COUNTERSIGN_TEST_STARTED: list
      },
      stdio: "ignore"
    })
    guardProcess(run)
    const service = await eventually("the run has started a service", () => named(list, "process")[0])
    const [directory = ""] = named(list, "directory")
    const server = serverOf(directory)
    assert.isTrue(isAlive(Number(service)) && isAlive(server))

    run.kill(signal)
    await eventually("nothing of it is left", () => !existsSync(list))
    // What has ended is there until somebody has taken note of it.
    await eventually("its service and its PostgreSQL have ended", () => !isAlive(Number(service)) && !isAlive(server))
    assert.isFalse(existsSync(directory), "its directory is gone")
  })
})
