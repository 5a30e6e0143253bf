import type { Court, Judge } from "./Judges.ts"
import type { Mutant } from "./Mutants.ts"
import type { Remembered } from "./Remembered.ts"
import type { Trial, Verdict } from "./Trial.ts"

/** What became of a mutant: the test file that has killed it, if one has. */
export interface Outcome {
  readonly mutant: Mutant
  readonly verdict: Verdict
  readonly killer: string | undefined
  readonly reason: string
}

/** How long a test file may take at first, and how many times what it took before, in milliseconds. */
const patience = { first: 600_000, least: 60_000, times: 20 }

/** Runs each test file once on the programs as they are; answers those that pass, and remembers what they take. */
export const soundJudges = async (
  trial: Trial,
  { judges }: Court,
  { seconds }: Remembered,
  report: (line: string) => void
): Promise<ReadonlyArray<Judge>> => {
  const sound: Array<Judge> = []
  for (const judge of judges) {
    const begun = performance.now()
    const { reason, verdict } = await trial.judge(undefined, judge.path, patience.first)
    seconds[judge.path] = (performance.now() - begun) / 1000
    if (verdict === "passed") sound.push(judge)
    else report(`${judge.path} fails without a mutant and does not judge: ${reason}`)
  }
  return sound
}

const nameOf = (path: string): string => path.split("/").at(-1)?.split(".")[0] ?? path

/** The order in which test files judge: who has killed this mutant, who kills most in its file for its time. */
const inOrder = (
  mutant: Mutant,
  judges: ReadonlyArray<Judge>,
  { killers, seconds }: Remembered,
  kills: ReadonlyMap<string, number>
): ReadonlyArray<Judge> => {
  const rank = ({ path }: Judge): number => {
    if (killers[mutant.id] === path) return -1
    const expected = (kills.get(`${mutant.path} ${path}`) ?? 0) + (nameOf(path) === nameOf(mutant.path) ? 5 : 1)
    return (seconds[path] ?? 0) / expected
  }
  return judges.filter(({ loads }) => loads.has(mutant.path)).toSorted((a, b) => rank(a) - rank(b))
}

/** Has every mutant judged until a test file kills it. */
export const heard = async (
  trial: Trial,
  judges: ReadonlyArray<Judge>,
  mutants: ReadonlyArray<Mutant>,
  memory: Remembered,
  report: (outcome: Outcome) => void
): Promise<ReadonlyArray<Outcome>> => {
  const kills = new Map<string, number>()
  const outcomes: Array<Outcome> = []
  for (const mutant of mutants) {
    let outcome: Outcome = { mutant, verdict: "passed", killer: undefined, reason: "" }
    for (const { path } of inOrder(mutant, judges, memory, kills)) {
      const limit = Math.max(patience.least, (memory.seconds[path] ?? 0) * 1000 * patience.times)
      const begun = performance.now()
      const { reason, verdict } = await trial.judge(mutant, path, limit)
      if (verdict === "passed") {
        // The first run of a file has also loaded and compiled what it runs on.
        memory.seconds[path] = Math.min(memory.seconds[path] ?? Infinity, (performance.now() - begun) / 1000)
        continue
      }
      outcome = { mutant, verdict, killer: path, reason }
      if (verdict === "not a program") break
      memory.killers[mutant.id] = path
      kills.set(`${mutant.path} ${path}`, (kills.get(`${mutant.path} ${path}`) ?? 0) + 1)
      break
    }
    report(outcome)
    outcomes.push(outcome)
  }
  return outcomes
}
