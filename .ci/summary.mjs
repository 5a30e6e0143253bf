// Prints vitest's JSON report as the one closing line "N passed, N failed".
import { readFileSync } from "node:fs"

const { numFailedTests = 0, numFailedTestSuites = 0, numPassedTests = 0, numPendingTests = 0 } = JSON.parse(
  readFileSync(process.argv[2], "utf8")
)
const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites
console.log(`${numPassedTests} passed, ${failed} failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ""}`)
