// Runs after `npm ci`: takes away headers of Node, makes what the client knows of the contract, builds the console, makes the
// bundles that `npm start` and the command line run, lets the TypeScript compiler report Effect's diagnostics too, and takes away compilers that no command runs.
// Without the development packages (npm ci --omit=dev) there is no compiler to prepare, no generator of types, and no bundler:
// then both run the source tree, which needs no types, and /console says why it is not there.
import { spawnSync } from "node:child_process"
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The directory of a package as `from` finds it; undefined when it is not installed. */
const installed = (name, from = import.meta.dirname) => {
  try {
    return dirname(createRequire(join(from, "index.js")).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

const run = (...program) => spawnSync(process.execPath, program, { stdio: "inherit" }).status ?? 1

const runBuild = (name) => run(fileURLToPath(new URL(name, import.meta.url)))

// 67 MB of what npm brings as Node are headers to compile addons with, and nothing here compiles any.
const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
for (const node of [installed(`node-${system}`), installed(`node-bin-${system}`)]) {
  if (node !== undefined) rmSync(join(node, "include"), { recursive: true, force: true })
}

if (installed("effect") !== undefined && runBuild("freshContract.mjs") !== 0) {
  console.error("The client was not made: the command line makes it when it is run.")
}

if (installed("esbuild") !== undefined) {
  if (runBuild("console.mjs") !== 0) console.error("The console was not built: /console will say so.")
  if (runBuild("startBundle.mjs") !== 0) {
    console.error(
      "The bundles that npm start and the command line run were not all made: they run the source tree, which takes longer."
    )
  }
}

const patcher = installed("@effect/tsgo")
const compiler = installed("typescript")
if (patcher !== undefined && compiler !== undefined) {
  const status = run(join(patcher, "dist", "effect-tsgo.cjs"), "patch")
  if (status !== 0) process.exit(status)
  // 145 MB of compilers and linters that no command runs: those for other versions, a second copy, and the one before.
  const { version } = JSON.parse(readFileSync(join(compiler, "package.json"), "utf8"))
  const platform = `${process.platform}-${process.arch}`
  const parts = installed(`@effect/tsgo-${platform}`, patcher)
  const artifacts = join(parts, "artifacts")
  const others = readdirSync(join(artifacts, "typescript")).filter((name) => name !== version)
  const program = join(installed(`@typescript/typescript-${platform}`, compiler), "lib", "tsc")
  for (
    const left of [
      join(parts, "lib"),
      join(artifacts, "oxlint"),
      join(artifacts, "oxlint-tsgolint"),
      ...others.map((name) => join(artifacts, "typescript", name)),
      `${program}.original`,
      `${program}.exe.original`
    ]
  ) rmSync(left, { recursive: true, force: true })
  // The compiler was copied to where it is run from: one file of 30 MB under both names instead of two.
  for (const name of ["tsc", "tsc.exe"]) {
    const [copied, copy] = [join(artifacts, "typescript", version, name), join(dirname(program), name)]
    if (!existsSync(copied) || !existsSync(copy)) continue
    linkSync(copied, `${copy}.linked`)
    renameSync(`${copy}.linked`, copy)
  }
}
