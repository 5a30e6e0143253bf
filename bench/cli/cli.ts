import { Console, Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { temporaryDirectory } from "../harness/Database.ts"
import { medianOf } from "../harness/Distribution.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** How many times each command is measured. */
const repetitions = 10

/** What is run after `npm run -s countersign --`; the last one ends because there is no database. */
const commands = ["token", "--help", "api listLicenses --help", "seed --help", "doctor"]

/** How long a command took, from outside, and the processor time of npm, its shell and the program, in seconds. */
interface Taken {
  readonly elapsed: number
  readonly processor: number
}

const runOnce = (command: string, dataDirectory: string): Taken => {
  const env = { ...process.env, COUNTERSIGN_DATA_DIR: dataDirectory, DATABASE_URL: "" }
  const begun = performance.now()
  // Of the children that have ended this tells only the sum, so a shell of each command's own tells it.
  const { stdout } = spawnSync("bash", ["-c", `npm run -s countersign -- ${command} >/dev/null 2>&1; times`], {
    cwd: root,
    encoding: "utf8",
    env
  })
  const elapsed = (performance.now() - begun) / 1000
  const [, children = ""] = stdout.trim().split("\n")
  const processor = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0
  )
  return { elapsed, processor }
}

/** Measures commands of the bundle that `npm ci` makes. */
export const cli = ({ json }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    execFileSync(process.execPath, [join(root, "build/startBundle.mjs")], { cwd: root })
    const found = commands.map((command) => {
      // Node keeps what the first run compiles.
      runOnce(command, directory)
      const taken = Array.from({ length: repetitions }, () => runOnce(command, directory))
      return {
        command,
        elapsed: medianOf(taken.map(({ elapsed }) => elapsed)),
        processor: medianOf(taken.map(({ processor }) => processor))
      }
    })
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* print(
      `npm run -s countersign, median of ${repetitions}, in seconds`,
      ["", "elapsed", "processor"],
      found.map(({ command, elapsed, processor }) => [command, figure(elapsed, 2), figure(processor, 2)]),
      ["npm's own share is in them: about half of the token's."]
    )
    return found
  })
