// Runs the daily tests on a machine that has too much to do: beside them run processes that never rest, up to a load
// average of twenty, and what the service does in the background is delayed by chance (fixtures/slowDatabase.ts). Three
// runs, each with a seed of its own, must be green in a row; `npm run test:slow -- 1 services/mail` is one run of one
// room, and COUNTERSIGN_TEST_SEED repeats a run. Ends at the first red one, with its seed.
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { randomInt } from "node:crypto"

const [first = "3", ...more] = process.argv.slice(2)
const isCount = /^\d+$/.test(first)
const runs = isCount ? Number(first) : 3
const files = isCount ? more : process.argv.slice(2)

/** The tests themselves are some six processes that want to run. */
const busy = 14

/** Ends by itself when who has started it is gone, however that ended. */
const program = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e7; i++);"

const neverRest = (): ReadonlyArray<ChildProcess> =>
  Array.from({ length: busy }, () => spawn(process.execPath, ["-e", program], { stdio: "ignore" }))

const run = (seed: string): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn("npx", ["vitest", "run", "--mode", "slow", ...files], {
      stdio: "inherit",
      env: { ...process.env, COUNTERSIGN_TEST_SEED: seed }
    })
    child.once("close", (code) => resolve(code ?? 1))
  })

const others = neverRest()
try {
  for (let number = 1; number <= runs; number++) {
    const seed = process.env["COUNTERSIGN_TEST_SEED"] ?? String(randomInt(1_000_000))
    const code = await run(seed)
    console.log(`Run ${number} of ${runs}, COUNTERSIGN_TEST_SEED=${seed}: ${code === 0 ? "green" : "red"}`)
    if (code === 0) continue
    process.exitCode = 1
    break
  }
} finally {
  for (const other of others) other.kill("SIGKILL")
}
