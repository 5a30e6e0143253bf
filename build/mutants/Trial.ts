import { join } from "node:path"
import { createVitest } from "vitest/node"
import type { CliOptions, TestModule, Vitest } from "vitest/node"
import type { Judge } from "./Judges.ts"
import { endKept, keptPool } from "./KeptWorker.ts"
import type { Mutant } from "./Mutants.ts"

/** What a test file said of a program. */
export type Verdict = "passed" | "failed" | "endless" | "not a program"

/** A verdict, and the failure behind it. */
interface Judgement {
  readonly verdict: Verdict
  readonly reason: string
}

/** Test files that are run again and again, on a program that changes. */
export interface Trial {
  /** Runs a test file on a mutant, or on the programs as they are, for at most so many milliseconds. */
  readonly judge: (mutant: Mutant | undefined, path: string, patience: number) => Promise<Judgement>
  readonly end: () => Promise<void>
}

/** What cannot even be loaded was never written by anyone who ran it once. */
const isUnloadable = (module: TestModule): boolean =>
  module.errors().some(({ message, name }) =>
    name === "SyntaxError" || name === "ReferenceError" || /Transform failed|PARSE_ERROR/.test(message)
  )

const settings = (root: string, judges: ReadonlyArray<Judge>): CliOptions => ({
  root,
  config: false,
  watch: false,
  include: judges.map(({ path }) => path),
  reporters: [{}],
  silent: true,
  pool: keptPool,
  runner: join(import.meta.dirname, "MutantRunner.ts"),
  setupFiles: ["test/fixtures/perFile.ts"],
  globalSetup: judges.some(({ needsServer }) => needsServer) ? ["test/fixtures/globalSetup.ts"] : [],
  isolate: false,
  // Its keys are what stands on disk, which a mutant does not.
  fsModuleCache: false,
  maxWorkers: 1,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // The same lives for each mutant: a survivor is one that these have not killed, whoever asks again.
  provide: { seed: process.env["COUNTERSIGN_TEST_SEED"] ?? "1", changedPrograms: [] },
  dangerouslyIgnoreUnhandledErrors: true
})

/** The failure that was seen last, in a line. */
const failureOf = (module: TestModule | undefined, errors: ReadonlyArray<unknown>): string => {
  const test = module === undefined ? undefined : [...module.children.allTests("failed")][0]
  const result = test?.result()
  const error = result?.errors?.[0] ?? module?.errors()[0] ?? errors[0]
  const text = typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
  return `${test?.fullName ?? module?.relativeModuleId ?? ""}: ${text}`
}

const runOne = async (vitest: Vitest, path: string): Promise<Judgement> => {
  const specification = vitest.getRootProject().createSpecification(path)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
  const module = testModules.find(({ moduleId }) => moduleId === path)
  const reason = failureOf(module, unhandledErrors)
  if (module !== undefined && isUnloadable(module)) return { verdict: "not a program", reason }
  const isGreen = module !== undefined && module.ok() && unhandledErrors.length === 0
  return { verdict: isGreen ? "passed" : "failed", reason }
}

/** Opens one run of Vitest: one process for the tests, and one PostgreSQL where one of them needs it. */
export const openTrial = async (root: string, judges: ReadonlyArray<Judge>): Promise<Trial> => {
  let tried: { readonly path: string; readonly text: string } | undefined
  const vitest = await createVitest(settings(root, judges), {
    plugins: [{
      name: "mutant",
      enforce: "pre",
      load: (id) => tried !== undefined && id.split("?")[0] === tried.path ? tried.text : undefined
    }]
  })
  const put = (mutant: Mutant | undefined): void => {
    const next = mutant && { path: join(root, mutant.path), text: mutant.text }
    const changed = [tried, next].flatMap((each) => each === undefined ? [] : [each.path])
    if (tried?.text === next?.text) return
    tried = next
    for (const path of changed) vitest.invalidateFile(path)
    vitest.getRootProject().provide("changedPrograms", changed)
  }
  const judge = async (mutant: Mutant | undefined, path: string, patience: number): Promise<Judgement> => {
    put(mutant)
    let isEndless = false
    const clock = setTimeout(() => {
      isEndless = true
      void endKept()
    }, patience)
    const judgement = await runOne(vitest, join(root, path))
    clearTimeout(clock)
    vitest.getRootProject().provide("changedPrograms", [])
    return isEndless ? { ...judgement, verdict: "endless" } : judgement
  }
  return {
    judge,
    end: async () => {
      await endKept()
      await vitest.close()
    }
  }
}
