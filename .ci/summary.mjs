// Judges a run of all tests by Vitest's report and the status that it ended with, and prints the one closing line
// "N passed, N failed". A file that failed is run once more, alone and with the seed of the run: what fails again is red;
// what passes is printed as `flaky`, with both outputs, and mending it comes before anything else.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"

const [, , directory, status] = process.argv

/** A report; a run that was cut off leaves none. */
const read = (name) => {
  try {
    return JSON.parse(readFileSync(join(directory, name), "utf8"))
  } catch {
    return { testResults: [] }
  }
}

/** How many files may be run once more: where more failed, it is not chance. */
const most = 10

const { numPassedTests = 0, numPendingTests = 0, testResults } = read("all.json")
const failed = testResults.filter(({ status }) => status === "failed")

/** What Vitest's report says of what failed in a file. */
const sayings = ({ assertionResults, message }) =>
  [
    message,
    ...assertionResults.flatMap(({ failureMessages, fullName }) =>
      failureMessages.map((text) => `${fullName}\n${text}`)
    )
  ]
    .filter((text) => text !== "").join("\n")

/** Runs a file alone; answers how many of its tests failed, and how many passed. */
const again = (file, index) => {
  const name = `again-${index}.json`
  const { status } = spawnSync(
    "npm",
    [
      "run",
      "test:all",
      "--",
      file,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${join(directory, name)}`
    ],
    { stdio: "inherit" }
  )
  const { numFailedTests = 0, numFailedTestSuites = 0, numPassedTests = 0 } = read(name)
  return { passed: numPassedTests, failed: status === 0 ? 0 : numFailedTests || numFailedTestSuites || 1 }
}

let passed = numPassedTests
// An error outside of any file, or a run that was cut off, is red without a failed file.
let red = status === "0" && numPassedTests > 0 ? 0 : failed.length === 0 ? 1 : 0
const flaky = []
for (const [index, result] of failed.entries()) {
  const file = relative(process.cwd(), result.name)
  const before = result.assertionResults.filter(({ status }) => status === "failed").length
  if (failed.length > most) {
    red += before || 1
    continue
  }
  console.log(`\n${file} failed; once more, alone, with COUNTERSIGN_TEST_SEED=${process.env.COUNTERSIGN_TEST_SEED}:`)
  const { failed: still } = again(file, index)
  red += still
  if (still > 0) continue
  passed += before
  flaky.push(`flaky: ${file} failed in the whole run and passed alone. In the whole run it said:\n${sayings(result)}`)
}
// What stands outside of all tests is not run once more.
if (
  /^Transactions with an id were open|Unhandled (Errors|Rejection)/m.test(
    readFileSync(join(directory, "all.log"), "utf8")
  )
) red += 1
for (const text of flaky) console.log(`\n${text}`)
console.log(`\n${passed} passed, ${red} failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ""}`)
process.exit(red === 0 ? 0 : 1)
