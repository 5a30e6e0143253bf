// Checks the types of bench/deliver/peers, where the job queues they are written for are installed (npm ci --prefix
// bench). The product is checked without them.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

if (existsSync("bench/node_modules")) {
  const compiler = spawnSync("tsc", ["--noEmit", "-p", "bench/deliver/peers"], { stdio: "inherit", shell: true })
  process.exit(compiler.status ?? 1)
}
