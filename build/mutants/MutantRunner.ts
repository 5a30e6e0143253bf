import { inject, TestRunner } from "vitest"
import type { RunnerTask } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** The programs that are others than in the run before. */
    readonly changedPrograms: ReadonlyArray<string>
  }
}

/** What of a loaded module is used here. */
interface Loaded {
  readonly importers: ReadonlySet<string>
}

/** The modules that a worker of Vitest has loaded. */
interface LoadedModules {
  readonly fileToModulesMap: ReadonlyMap<string, Iterable<Loaded>>
  readonly getModuleById: (id: string) => Loaded | undefined
  readonly invalidateModule: (module: Loaded) => void
}

const isLoadedModules = (value: unknown): value is LoadedModules =>
  typeof value === "object" && value !== null && "fileToModulesMap" in value && "invalidateModule" in value

/** The modules of this worker, which Vitest does not declare. */
const loadedModules = (): LoadedModules => {
  const state: unknown = Reflect.get(globalThis, "__vitest_worker__")
  const modules: unknown = typeof state === "object" && state !== null
    ? Reflect.get(state, "evaluatedModules")
    : undefined
  if (!isLoadedModules(modules)) throw new Error("Vitest keeps its modules somewhere else")
  return modules
}

/** Forgets programs and everything that has loaded them, so that both are loaded again. */
const forget = (paths: ReadonlyArray<string>): void => {
  const modules = loadedModules()
  const forgotten = new Set(paths.flatMap((path) => [...modules.fileToModulesMap.get(path) ?? []]))
  for (const module of forgotten) {
    for (const id of module.importers) {
      const importer = modules.getModuleById(id)
      if (importer !== undefined) forgotten.add(importer)
    }
  }
  for (const module of forgotten) modules.invalidateModule(module)
}

/** Runs a test file on changed programs, up to the first test that fails. */
export default class MutantRunner extends TestRunner {
  #isReady = false

  override importFile(...args: Parameters<TestRunner["importFile"]>): unknown {
    if (!this.#isReady) forget(inject("changedPrograms"))
    this.#isReady = true
    return super.importFile(...args)
  }

  override onAfterRunTask(task: RunnerTask): void {
    super.onAfterRunTask(task)
    if (task.result?.state === "fail") this.cancel("test-failure")
  }
}
