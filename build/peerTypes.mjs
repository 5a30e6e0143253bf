// Checks the types of the peers of benchmarks, where what they are written for is installed (npm ci --prefix bench). The
// product is checked without them.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

if (existsSync("bench/node_modules")) {
  for (const peers of ["bench/deliver/peers", "bench/validate/peers"]) {
    const compiler = spawnSync("tsc", ["--noEmit", "-p", peers], { stdio: "inherit", shell: true })
    if (compiler.status !== 0) process.exit(compiler.status ?? 1)
  }
}
