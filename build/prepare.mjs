// Runs after `npm ci`: takes away headers of Node, builds the console, lets the TypeScript compiler report Effect's
// diagnostics too, and makes the bundle that `npm start` runs. Without the development packages (npm ci --omit=dev) there is
// no compiler to prepare, and no bundler: then `npm start` runs the source tree, and /console says why it is not there.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The directory of an installed package; undefined when it is not installed. */
const installed = (name) => {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
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

if (installed("esbuild") !== undefined) {
  if (runBuild("console.mjs") !== 0) console.error("The console was not built: /console will say so.")
  if (runBuild("startBundle.mjs") !== 0) {
    console.error("The bundle that npm start runs was not made: it runs the source tree, which takes longer to start.")
  }
}

const patcher = installed("@effect/tsgo")
if (patcher !== undefined && installed("typescript") !== undefined) {
  process.exit(run(join(patcher, "dist", "effect-tsgo.cjs"), "patch"))
}
