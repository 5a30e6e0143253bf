import { defineConfig } from "vitest/config"

/**
 * The mode `faults` runs the tests of faults in full, one after the other, because they measure times: those that end
 * processes and databases, and those of single proofs, which stand with what they test.
 */
const faults = [
  "test/faults/*.test.ts",
  "test/services/{Isolation,Outage,Sequencer}.test.ts",
  "test/http/HostileReceivers.test.ts",
  "test/runtime/UndiciTransport.test.ts",
  "test/domain/{LaneState,DeliveryWindow}.test.ts"
]

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "faults" ? faults : ["test/**/*.test.ts"],
    env: mode === "faults" ? { FAULTS: "long" } : {},
    globalSetup: ["test/fixtures/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores and one database server: more files at once only wait for each other.
    maxWorkers: mode === "faults" ? 1 : 2
  }
}))
