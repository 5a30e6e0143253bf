import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/fixtures/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores and one database server: more files at once only wait for each other.
    maxWorkers: 2
  }
})
