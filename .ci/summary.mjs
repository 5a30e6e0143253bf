// Prints vitest's JSON report, and the status it ended with, as the one closing line "N passed, N failed".
import { readFileSync } from "node:fs"

const [, , file, status] = process.argv

/** The report; a run that was cut off leaves none. */
const report = () => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return {}
  }
}

const { numFailedTests = 0, numFailedTestSuites = 0, numPassedTests = 0, numPendingTests = 0 } = report()
// A file that does not load, or an error outside of any test, fails the run without a failed test.
const failed = numFailedTests || numFailedTestSuites || (status === "0" && numPassedTests > 0 ? 0 : 1)
console.log(`${numPassedTests} passed, ${failed} failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ""}`)
