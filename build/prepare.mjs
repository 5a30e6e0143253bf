// Runs after `npm ci`: builds the console, and lets the TypeScript compiler report Effect's diagnostics too. Without the
// development packages (npm ci --omit=dev) there is no bundler and no compiler; the service then says so at /console.
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The directory of an installed package; undefined when it is not installed. */
const installed = (name) => {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

if (installed("esbuild") !== undefined) {
  const { buildConsole } = await import("./console.mjs")
  await buildConsole("dist/console")
}

const patcher = installed("@effect/tsgo")
if (patcher !== undefined && installed("typescript") !== undefined) {
  const program = join(patcher, "dist", "effect-tsgo.cjs")
  process.exit(spawnSync(process.execPath, [program, "patch"], { stdio: "inherit" }).status ?? 1)
}
