import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import LongestFirst from "./test/fixtures/LongestFirst.ts"

/**
 * What takes long, or needs more than Node and PostgreSQL, stands in a folder of its own: browsers at many looks, guides
 * carried out, proxies, packaging, interpreters, upgrades, faults and attacks. `npm test` leaves it out, `npm run test:all`
 * takes it. Whoever writes a test sees by the folder what it costs.
 */
const world = "test/world/**"

/**
 * The mode `faults` runs the tests of faults in full, one after the other, because they measure times: those that end
 * processes and databases, and those of single proofs, which stand with what they test.
 */
const faults = [
  "test/faults/*.test.ts",
  "test/world/faults/*.test.ts",
  "test/services/log/Sequencer.test.ts",
  "test/runtime/node/UndiciTransport.test.ts",
  "test/domain/delivery/{LaneState,DeliveryWindow}.test.ts",
  "test/domain/delivery/pacing/ReceiverCapacity.test.ts"
]

/** The modes that measure: what they run, one file after the other, and what tells the tests to be thorough. */
const thorough: Readonly<Record<string, { readonly include: Array<string>; readonly env: Record<string, string> }>> = {
  faults: { include: faults, env: { FAULTS: "long" } },
  /** Attacks on the service, each judged by how a normal caller fares meanwhile. */
  attacks: { include: ["test/world/attacks/*.test.ts"], env: { ATTACKS: "long" } },
  /** Random histories of calls and of owners, for `HISTORIES_MINUTES` each, and each role at each door with a second look. */
  histories: { include: ["test/world/histories/*.test.ts"], env: { HISTORIES: "long" } }
}

export default defineConfig(({ mode }) => ({
  test: {
    include: thorough[mode]?.include ?? ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    exclude: mode === "test" || mode === "slow" ? [...configDefaults.exclude, world] : configDefaults.exclude,
    env: thorough[mode]?.env ?? {},
    // A green run is quiet: what a test prints is shown when it fails. The thorough modes print what they measure.
    silent: thorough[mode] === undefined ? "passed-only" : false,
    slowTestThreshold: thorough[mode] === undefined ? 120_000 : 300,
    globalSetup: ["test/fixtures/globalSetup.ts", "test/fixtures/transactionRule.ts"],
    setupFiles: ["test/fixtures/perFile.ts"],
    // A worker loads the libraries once. No test file replaces a module or a global, and what it starts ends with it.
    // What measures has a process of its own.
    isolate: thorough[mode] !== undefined,
    sequence: { sequencer: LongestFirst },
    // What hangs ends at last; what only waits for a busy machine does not.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One more than there are cores, because some of a test is waiting. On two cores the same tests took 42 s with two
    // workers, 47 s with three and 63 s with six, which warm up for themselves and contend. All share one database server,
    // whose connections are counted.
    maxWorkers: thorough[mode] === undefined ? Math.min(availableParallelism() + 1, 6) : 1,
    // A worker makes much that is gone at once: it collects in large steps, and on its own thread, because the cores are taken. A
    // tenth less than V8 takes by itself.
    execArgv: thorough[mode] === undefined
      ? ["--min-semi-space-size=32", "--max-semi-space-size=64", "--single-threaded-gc"]
      : []
  }
}))
