import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const imports = /^(?:import|export)\s(?!type\b)(?:[^"'`;]*?\sfrom\s)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm

/** What every program of the checkout imports, without types. */
const importsOf = (root: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    globSync("{src,test,build,packages,examples}/**/*.{ts,tsx}", {
      cwd: root,
      exclude: (path) => path.includes("node_modules")
    }).map((path) => {
      const found = readFileSync(join(root, path), "utf8").matchAll(imports)
      const named = [...found].map(([, from, lazily]) => from ?? lazily ?? "")
      return [path, named.map((name) => relative(root, join(root, dirname(path), name)))]
    })
  )

/** Everything that a program loads. */
const loadedBy = (graph: ReadonlyMap<string, ReadonlyArray<string>>, path: string): ReadonlySet<string> => {
  const loaded = new Set([path])
  for (const each of loaded) graph.get(each)?.forEach((next) => loaded.add(next))
  return loaded
}

/** A test file that may notice mutants. */
export interface Judge {
  readonly path: string
  readonly loads: ReadonlySet<string>
  readonly needsServer: boolean
}

/** Where a test talks to a process, which runs what was built before. */
const distant = /^test\/(?!domain\/|services\/|api\/|client\/|[^/]+\.test\.ts$)/
const started = /^test\/fixtures\/(Service|Program)\.ts$/

/** Rooms whose tests need no PostgreSQL, although fixtures of theirs are of use with one as well. */
const pure = /^test\/domain\//
const server = /^test\/fixtures\/(Postgres|Guarded)\.ts$/

/** The limits of the contract are written in schemas all over the domain, and this test knows all of them. */
const contract = "test/api/composition/docs/ContractLimits.test.ts"

export interface Court {
  readonly judges: ReadonlyArray<Judge>
  /** Tests of the room that see no mutant, because they talk to a process. */
  readonly blind: ReadonlyArray<string>
}

/** The test files of the room, those that import one of its programs themselves, that of the contract, and those that are asked for. */
export const courtOf = (root: string, paths: ReadonlyArray<string>, also: ReadonlyArray<string>): Court => {
  const graph = importsOf(root)
  const tests = [...graph.keys()].filter((path) => path.endsWith(".test.ts"))
  const places = paths.map((path) => `test/${dirname(path).slice("src/".length)}/`)
  const asked = (path: string) => also.some((each) => path.includes(each))
  const own = (path: string) => places.some((place) => path.startsWith(place))
  const known = new Set(paths)
  const near = tests.filter((path) =>
    own(path) || asked(path) || path === contract ||
    (!distant.test(path) && graph.get(path)?.some((imported) => known.has(imported)))
  )
  const all = near.map((path) => {
    const loads = loadedBy(graph, path)
    return { path, loads, needsServer: !pure.test(path) && [...loads].some((each) => server.test(each)) }
  })
  const talks = ({ path }: Judge) =>
    !asked(path) && !pure.test(path) && (graph.get(path) ?? []).some((each) => started.test(each))
  const loaded = all.filter(({ loads }) => paths.some((path) => loads.has(path)))
  return { judges: loaded.filter((judge) => !talks(judge)), blind: all.filter(talks).map(({ path }) => path) }
}
