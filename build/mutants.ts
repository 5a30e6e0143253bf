// Changes the programs of a room in small ways and runs its tests on each (npm run mutants -- domain/sales/purchases). What
// survives is what no test sees. docs/development/testing.md has the scores of the rooms.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { heard, soundJudges } from "./mutants/Hearing.ts"
import type { Outcome } from "./mutants/Hearing.ts"
import { courtOf } from "./mutants/Judges.ts"
import { mutantsOfRoom, sampled } from "./mutants/Mutants.ts"
import type { Mutant } from "./mutants/Mutants.ts"
import { remember, remembered } from "./mutants/Remembered.ts"
import { openTrial } from "./mutants/Trial.ts"

const root = join(import.meta.dirname, "..")

/** How many mutants of a room are tried, unless it is said otherwise. */
const usualLimit = 100

const usage = `npm run mutants -- <room or file> ...

  domain/sales/purchases             a room, or src/domain/sales/purchases/Fold.ts for one file
  --limit <n>                  how many mutants of each room (${usualLimit})
  --all                        all of them
  --only <id>                  this mutant alone; may be repeated
  --list                       lists them and runs nothing
  --also <part of a path>      test files that judge as well; may be repeated
  --verbose                    says what killed each`

/** Mutants that do what the program does, by the file they stand in: test/fixtures/equivalentMutants.json. */
const equivalents = (): ReadonlySet<string> => {
  const listed: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
    readFileSync(join(root, "test/fixtures/equivalentMutants.json"), "utf8")
  )
  return new Set(Object.values(listed).flatMap((ofFile) => Object.keys(ofFile)))
}

const shown = (text: string, sign: string): string =>
  text.split("\n").map((line) => `  ${sign} ${line.trim()}`).join("\n")

const described = ({ after, before, id, line, operator, path }: Mutant): string =>
  `${path}:${line}  ${id}  ${operator}\n${shown(before, "-")}\n${shown(after, "+")}`

const options = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean", default: false },
      also: { type: "string", multiple: true, default: [] },
      limit: { type: "string", default: String(usualLimit) },
      list: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      verbose: { type: "boolean", default: false }
    }
  })

type Options = ReturnType<typeof options>["values"]

const chosen = (room: string, { all, limit, only }: Options): ReadonlyArray<Mutant> => {
  const mutants = mutantsOfRoom(root, room)
  if (only.length > 0) return mutants.filter(({ id }) => only.includes(id))
  const known = equivalents()
  const meaning = mutants.filter(({ id }) => !known.has(id))
  return all ? meaning : sampled(meaning, Number(limit))
}

const reported = ({ killer, mutant, reason, verdict }: Outcome, isVerbose: boolean): void => {
  if (verdict === "passed") return console.log(`survived  ${described(mutant)}`)
  if (isVerbose) console.log(`${verdict}  ${described(mutant)}\n  by ${killer}: ${reason.split("\n")[0]}`)
}

/** Tries the mutants of a room; answers whether all are killed. */
const tryRoom = async (room: string, given: Options): Promise<boolean> => {
  const mutants = chosen(room, given)
  if (given.list || mutants.length === 0) {
    mutants.forEach((mutant) => console.log(described(mutant)))
    console.log(`${room}: ${mutants.length} mutants`)
    return true
  }
  const paths = [...new Set(mutants.map(({ path }) => path))]
  const court = courtOf(root, paths, given.also)
  const memory = remembered(root)
  const trial = await openTrial(root, court.judges)
  try {
    const judges = await soundJudges(trial, court, memory, (line) => console.log(line))
    console.log(`${room}: ${mutants.length} mutants, ${judges.length} test files judge`)
    if (court.blind.length > 0) {
      console.log(`These talk to what was built before, and cannot: ${court.blind.join(", ")}`)
    }
    const begun = performance.now()
    const outcomes = await heard(trial, judges, mutants, memory, (outcome) => reported(outcome, given.verbose))
    const seconds = (performance.now() - begun) / 1000
    const programs = outcomes.filter(({ verdict }) => verdict !== "not a program")
    const killed = programs.filter(({ verdict }) => verdict !== "passed")
    console.log(
      `${room}: killed ${killed.length} of ${programs.length}, ${(seconds / outcomes.length).toFixed(1)} s a mutant`
    )
    return killed.length === programs.length
  } finally {
    remember(root, memory)
    await trial.end()
  }
}

const { positionals, values } = options()
if (positionals.length === 0) console.log(usage)
for (const room of positionals) await tryRoom(room, values)
process.exit()
