// Runs after `npm ci`: lets the TypeScript compiler report Effect's diagnostics too, and makes the bundle that `npm start`
// runs. Without the development packages (npm ci --omit=dev) there is no compiler to prepare, and no bundler: then
// `npm start` runs the source tree.
import { spawnSync } from "node:child_process"
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

if (installed("esbuild") !== undefined && run(fileURLToPath(new URL("startBundle.mjs", import.meta.url))) !== 0) {
  console.error("The bundle that npm start runs was not made: it runs the source tree, which takes longer to start.")
}

const patcher = installed("@effect/tsgo")
if (patcher !== undefined && installed("typescript") !== undefined) {
  process.exit(run(join(patcher, "dist", "effect-tsgo.cjs"), "patch"))
}
