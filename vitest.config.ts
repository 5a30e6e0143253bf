import { defineConfig } from "vitest/config"

/** The mode `faults` runs the tests of faults in full, one after the other, because they measure times. */
export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === "faults" ? "test/faults/*.test.ts" : "test/**/*.test.ts"],
    env: mode === "faults" ? { FAULTS: "long" } : {},
    globalSetup: ["test/fixtures/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores and one database server: more files at once only wait for each other.
    maxWorkers: mode === "faults" ? 1 : 2
  }
}))
