// Builds the package of clients, @countersign/client (npm run build:client), into dist/client: for each subpath one file of
// plain JavaScript beside what several share, its types, and a package.json of its own. `npm pack` there makes what one
// would publish. An argument names another directory.
import type { BuildOptions, Metafile, Plugin } from "esbuild"
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import manifest from "../package.json" with { type: "json" }
import { makeContract } from "./freshContract.mjs"
import { withGenerated } from "./generated.ts"
import { compact, shared } from "./shortDeclarations.ts"

const root = join(import.meta.dirname, "..")

/** The subpaths of the package, and the room of src/client behind each. */
const rooms = { index: "api", app: "app", webhooks: "webhooks", verify: "verify", effect: "effect" } as const

export type Subpath = keyof typeof rooms
export const subpaths = Object.keys(rooms) as ReadonlyArray<Subpath>

/** As it is imported. */
export const specifierOf = (subpath: Subpath): string =>
  subpath === "index" ? "@countersign/client" : `@countersign/client/${subpath}`

const sourceOf = (subpath: Subpath): string => join(root, "src/client", rooms[subpath], "index.ts")

/** The documentation of an operation or a member, which is a text of its own. */
const prose =
  /\b(summary|description|consequence):(\s*)(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)(?:\s*\+\s*(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`))*(?=\s*[,})\n])/g

/**
 * Leaves the documentation out of the declarations: the service answers with it, and an editor has it from the types. To the
 * programs of callers it is 110 kB that nothing reads.
 */
const withoutProse: Plugin = {
  name: "without-prose",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/src\/(api|domain)\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(prose, "$1:$2\"\""),
      loader: "ts"
    }))
}

/** The command of the package, `countersign-client verify`, which shares its verifiers with /verify. */
const command = { "countersign-client": join(root, "src/client/verifier/main.ts") }

/**
 * What is built, in two parts: only /effect needs anything beside the platform. The others keep their names, by which a stack
 * trace is read.
 */
const parts: ReadonlyArray<readonly [ReadonlyArray<Subpath>, BuildOptions, Readonly<Record<string, string>>]> = [
  [subpaths.filter((subpath) => subpath !== "effect"), { minifyWhitespace: true, minifySyntax: true }, command],
  [["effect"], { external: ["effect", "effect/*"], minify: true, plugins: [withoutProse] }, {}]
]

const settings = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["import"],
  target: "es2022",
  lineLimit: 160,
  logLevel: "warning"
} as const satisfies BuildOptions

/** What the package may be made of: nothing of the service, and no library but these. */
const ingredients = /^(src\/(client|domain)\/|src\/api\/|node_modules\/(canonicalize|effect)\/)/

/** What a bundle imports, by package. */
const foreign = (metafile: Metafile): ReadonlySet<string> =>
  new Set(
    Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external === true).map(({ path }) => path.split("/")[0]!)
    )
  )

/** The declarations that are reached from the entries, by their paths; the others are the service's own. */
const reached = (entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g)) {
      visit(resolve(dirname(path), `${specifier}.d.ts`))
    }
  }
  entries.forEach(visit)
  return found
}

/** Writes the declarations anew, with what several schemas repeat in one module beside them. */
const shorten = (types: string, paths: ReadonlyArray<string>): void => {
  const texts = paths.map((path) =>
    compact(readFileSync(path, "utf8"), path.endsWith(".gen.d.ts"))
      .replaceAll(/((?:from |import\()"\.[^"]+)\.ts"/g, "$1.js\"")
  )
  const written = shared(texts)
  written.modules.forEach((text, index) => {
    const names = [...new Set(text.match(/\bShared\d+\b/g))]
    const from = relative(dirname(paths[index]!), join(types, "shared.js"))
    const specifier = from.startsWith(".") ? from : `./${from}`
    writeFileSync(
      paths[index]!,
      names.length === 0 ? text : `import type { ${names.join(", ")} } from "${specifier}"\n${text}`
    )
  })
  const lines = written.types.map(([name, type]) => `export type ${name} = ${type}`)
  writeFileSync(join(types, "shared.d.ts"), ["import type { Schema } from \"effect\"", ...lines, ""].join("\n"))
}

/** Writes the declarations under `types`, and answers that of each subpath. */
const declare = (directory: string): Readonly<Record<Subpath, string>> => {
  const types = join(directory, "types")
  execFileSync(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    join(root, "tsconfig.client.json"),
    "--outDir",
    types
  ], { stdio: "inherit" })
  const entryOf = (subpath: Subpath) => join(types, "client", rooms[subpath], "index.d.ts")
  const kept = reached(subpaths.map(entryOf))
  for (const path of reached(subpaths.filter((subpath) => subpath !== "effect").map(entryOf))) {
    const [needed] = /(?:from |import\()"[^."][^"]*"/.exec(readFileSync(path, "utf8")) ?? []
    if (needed !== undefined) throw new Error(`The types in ${path} need a package: ${needed}`)
  }
  const paths = globSync(join(types, "**/*.d.ts"))
  paths.filter((path) => !kept.has(path)).forEach((path) => rmSync(path))
  shorten(types, paths.filter((path) => kept.has(path)))
  return Object.fromEntries(
    subpaths.map((subpath) => [subpath, `./${relative(directory, entryOf(subpath))}`])
  ) as Record<Subpath, string>
}

/** The package.json of the package. */
const describe = (types: Readonly<Record<Subpath, string>>) => ({
  name: "@countersign/client",
  version: manifest.version,
  description:
    "The client of Countersign: its API, licenses in apps, receivers of webhooks, and what verifies signatures.",
  license: manifest.license,
  type: "module",
  sideEffects: false,
  bin: { "countersign-client": "./countersign-client.js" },
  engines: { node: ">=20" },
  exports: {
    ...Object.fromEntries(subpaths.map((subpath) => [
      subpath === "index" ? "." : `./${subpath}`,
      { types: types[subpath], default: `./${subpath}.js` }
    ])),
    "./package.json": "./package.json"
  },
  peerDependencies: { effect: `^${manifest.dependencies.effect}` },
  peerDependenciesMeta: { effect: { optional: true } }
})

/** How large a subpath is to an app that takes all of it: minified, and compressed as gzip does it by default, in bytes. */
export const sizeOf = async (directory: string, subpath: Subpath): Promise<number> => {
  const { outputFiles: [file] } = await build({
    ...settings,
    ...parts.find(([names]) => names.includes(subpath))![1],
    entryPoints: [join(directory, `${subpath}.js`)],
    minify: true,
    write: false,
    outfile: "out.js"
  })
  return gzipSync(file!.contents).length
}

/** The table of sizes in the README, in kilobytes of 1,000 bytes, rounded up to a tenth. */
export const sizeTable = async (directory: string): Promise<ReadonlyArray<string>> => {
  const rows = await Promise.all(subpaths.map(async (subpath) => {
    const size = Math.ceil(await sizeOf(directory, subpath) / 100) / 10
    return [
      `\`${specifierOf(subpath)}\``,
      `${size.toFixed(1)}${subpath === "effect" ? ", beside `effect`" : ""}`
    ] as const
  }))
  const cells = [["import", "kB, minified and gzipped"] as const, ...rows]
  const widths = ([0, 1] as const).map((column) => Math.max(...cells.map((row) => row[column].length)))
  const line = (row: readonly [string, string]) => `| ${row[0].padEnd(widths[0]!)} | ${row[1].padEnd(widths[1]!)} |`
  return [line(cells[0]!), `| ${"-".repeat(widths[0]!)} | ${"-".repeat(widths[1]!)} |`, ...rows.map(line)]
}

/** Builds the package into an empty directory. Rejects where a subpath would need a package that it may not have. */
export const buildClient = async (directory: string): Promise<void> => {
  makeContract()
  for (const [names, options, others] of parts) {
    const { metafile } = await build({
      ...settings,
      ...options,
      entryPoints: { ...Object.fromEntries(names.map((name) => [name, sourceOf(name)])), ...others },
      outdir: directory,
      splitting: true,
      chunkNames: "shared-[hash]",
      legalComments: "inline",
      metafile: true
    })
    const strange = Object.keys(metafile.inputs).filter((path) => !ingredients.test(path))
    if (strange.length > 0) throw new Error(`The client must not be made of ${strange.join(", ")}`)
    const needed = [...foreign(metafile)].filter((name) => name !== "effect" || options.external === undefined)
    if (needed.length > 0) throw new Error(`${names.join(", ")} need ${needed.join(", ")}`)
  }
  for (const path of globSync(join(directory, "*.js"))) {
    // Nothing here has an effect by being imported, and a bundler warns of an import for nothing else. The lines stay.
    const program = readFileSync(path, "utf8").replaceAll(/\bimport"\.\/shared-\w+\.js";/g, "")
    const name = basename(path, ".js")
    writeFileSync(path, name in command ? `#!/usr/bin/env node\n${program}` : program)
  }
  execFileSync(process.execPath, [join(root, "build/verifier.mjs"), join(directory, "verify.html")], {
    stdio: "inherit"
  })
  const types = declare(directory)
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(describe(types), undefined, 2)}\n`)
  cpSync(readme, join(directory, "README.md"))
}

/** What the package says of itself; it states the sizes. */
export const readme = join(root, "src/client/README.md")

if (import.meta.main) {
  const directory = resolve(process.argv[2] ?? join(root, "dist/client"))
  rmSync(directory, { recursive: true, force: true })
  await buildClient(directory)
  const document = readFileSync(readme, "utf8")
  const current = withGenerated(document, "sizes", await sizeTable(directory))
  if (current !== document) writeFileSync(readme, current)
  cpSync(readme, join(directory, "README.md"))
  if (existsSync(join(directory, "types"))) console.log(`${relative(root, directory)}: npm pack`)
}
