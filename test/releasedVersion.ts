// Keeps a released version for the tests of upgrades: its service as one file, and the dump of a database that it has
// worked with. Run once for each release, after the commit whose CHANGELOG.md has the heading of the version:
// `node test/releasedVersion.ts 0.2.0 <commit>`. Needs pg_dump beside an installed PostgreSQL. Writes test/released/<version>/.
import { build } from "esbuild"
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { schemaInside } from "../build/schemaText.ts"
import { installed, startPostgres } from "./fixtures/PostgresPrograms.ts"
import { makeReleasedHistory, released, squeeze } from "./fixtures/Released.ts"

const [version = "", commit = ""] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-[a-z0-9-]+)?$/.test(version) || commit === "") {
  console.error("Name the version and its commit: node test/releasedVersion.ts 0.2.0 v0.2.0")
  process.exit(2)
}

const root = join(import.meta.dirname, "..")
const directory = join(root, "test/released", version)
const checkout = mkdtempSync(join(tmpdir(), "countersign-released-"))
const [programs] = installed()
if (programs === undefined) throw new Error("No PostgreSQL is installed, beside whose programs pg_dump is")

/** One file, without the guides, the fonts and the rendering process, which no upgrade concerns. */
const bundle = async (): Promise<string> => {
  execFileSync("tar", ["-x", "-C", checkout], {
    input: execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1e9 })
  })
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"))
  const outfile = join(checkout, "service.mjs")
  await build({
    absWorkingDir: checkout,
    entryPoints: ["src/runtime/main.ts"],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node24",
    legalComments: "none",
    plugins: [schemaInside],
    banner: {
      js: "import { createRequire as __createRequire } from \"node:module\"\n" +
        "const require = __createRequire(import.meta.url)"
    }
  })
  return outfile
}

/** The statements of a dump, without what only the program psql or one major understands, and without owners. */
const dump = (url: string): string =>
  execFileSync(
    join(programs.directory, "pg_dump"),
    ["--no-owner", "--no-privileges", "--rows-per-insert=200", url],
    { encoding: "utf8", maxBuffer: 1e8 }
  )
    .split("\n")
    .filter((line) => !/^(--|\\(un)?restrict |SET (transaction_timeout|default_table_access_method) )/.test(line))
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")

const service = await bundle()
const server = await startPostgres(programs, { durable: false })
const child = spawn(process.execPath, [service], {
  env: { PATH: process.env["PATH"] ?? "", ...released.environment, DATABASE_URL: server.url },
  stdio: ["ignore", "pipe", "inherit"]
})
try {
  let printed = ""
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}:\n${printed}`)))
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /Countersign is ready at (http:\S+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const facts = await makeReleasedHistory(url)
  const ended = new Promise((resolve) => child.once("close", resolve))
  child.kill("SIGTERM")
  await ended
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, "database.sql.br"), squeeze(dump(server.url)))
  writeFileSync(join(directory, "service.mjs.br"), squeeze(readFileSync(service, "utf8")))
  writeFileSync(join(directory, "facts.json.br"), squeeze(JSON.stringify(facts)))
} finally {
  child.kill("SIGKILL")
  await server.remove()
  rmSync(checkout, { recursive: true, force: true })
}
