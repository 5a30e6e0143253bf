// What `npm ci` makes for `npm start` and the command line, in a checkout of its own.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { root, run, serve, temporaryDirectory } from "../../fixtures/Program.ts"
import { database } from "../../fixtures/Session.ts"

const place = temporaryDirectory()
const start = manifest.scripts.start.split(" ").slice(1)
const main = join(place, "src/runtime/main.ts")
const command = manifest.scripts.countersign.split(" ").slice(1)
const cache = join(place, "node_modules/.cache")

/** Fails where a start can be told to, on a line that the bundle has elsewhere. */
const failure = `
if (process.argv.includes("--fail")) {
  setTimeout(() => {
    throw new Error("as it was told")
  }, 100)
}
`
const lineOfFailure = readFileSync(join(root, "src/runtime/main.ts"), "utf8").split("\n").length + 3

const helpOf = async (program: ReadonlyArray<string>): Promise<string> => {
  const { errors, output, status } = await run([...program, "--help"], {}, place)
  assert.deepStrictEqual([status, errors], [0, ""])
  return output
}

beforeAll(async () => {
  for (const name of ["src", "packages", "build", "package.json"]) {
    cpSync(join(root, name), join(place, name), { recursive: true })
  }
  symlinkSync(join(root, "docs"), join(place, "docs"))
  mkdirSync(join(place, "node_modules"))
  for (const name of readdirSync(join(root, "node_modules"))) {
    const from = join(root, "node_modules", name)
    // The packages of the repository are those of this checkout.
    const to = lstatSync(from).isSymbolicLink() ? readlinkSync(from) : from
    if (!name.startsWith(".")) symlinkSync(to, join(place, "node_modules", name))
  }
  copyFileSync(join(root, "node_modules/.package-lock.json"), join(place, "node_modules/.package-lock.json"))
  appendFileSync(main, failure)
  const { errors, output, status } = await run([join(place, "build/startBundle.mjs")], {}, place)
  assert.deepStrictEqual([status, output, errors], [0, "", ""])
})

describe("npm start", () => {
  it("serves from the bundle what the source tree does, and says the same", async () => {
    const service = await serve(start, {
      DATABASE_URL: await database(),
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      COUNTERSIGN_DATA_DIR: temporaryDirectory()
    }, place)
    const ask = (path: string) => fetch(service.url + path, { headers: { accept: "text/html" } })
    assert.strictEqual((await ask("/readyz")).status, 200)
    assert.include(await (await ask("/docs/guides")).text(), "quick-start")
    assert.strictEqual((await ask("/docs")).status, 200)
    assert.include(await (await ask("/metrics")).text(), `version="${manifest.version}"`)
    assert.strictEqual(await service.stop(), 0, service.printed())
  })

  it("keeps the code of what a start has run, and takes none that is not whole", async () => {
    const parts = join(cache, "countersign-start")
    const kept = () => readdirSync(parts).filter((name) => /^Server\.js\.[0-9a-f]+\.code$/.test(name))
    // The bundle was made, and a service was started by the test before, under the same options.
    const [name, ...others] = kept()
    assert.deepStrictEqual(others, [])
    const file = join(parts, name!)
    const whole = readFileSync(file)
    const isMadeAnew = async () => {
      const service = await serve(start, {
        DATABASE_URL: await database(),
        COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
        COUNTERSIGN_DATA_DIR: temporaryDirectory()
      }, place)
      assert.strictEqual(await service.stop(), 0, service.printed())
      return !readFileSync(file).equals(damaged)
    }
    const damaged = Buffer.from(whole)
    damaged[damaged.length >> 1]! ^= 1
    writeFileSync(file, damaged)
    assert.isTrue(await isMadeAnew())
    // What runs only in a start is in it, and not only what the modules run by themselves.
    assert.isAbove(readFileSync(file).length, 0.8 * whole.length)
  })

  it("names the lines of the source tree when it fails", async () => {
    const { errors, status } = await run([...start, "--fail"], {}, place)
    assert.strictEqual(status, 1)
    assert.match(errors, new RegExp(`Error: as it was told\\n +at .*/src/runtime/main\\.ts:${lineOfFailure}:11\\b`))
  })
})

describe.each([
  ["npm start", start, "countersign-start/main.js", "src/runtime/main.ts", "COUNTERSIGN_MASTER_KEY"],
  ["npm run countersign", command, "countersign-cli/cli.js", "src/runtime/cli/keys/Token.ts", "Print the admin token"]
])("%s", (_, program, bundle, source, text) => {
  it("runs the bundle only of these sources and these packages", async () => {
    const bundled = join(cache, bundle)
    const expected = await helpOf(program)
    assert.include(expected, text)
    writeFileSync(bundled, readFileSync(bundled, "utf8").replace(/^(#!.*\n)?/, "$1console.log(\"bundled\");\n"))
    assert.strictEqual(await helpOf(program), `bundled\n${expected}`)
    for (const file of [join(place, source), join(place, "node_modules/.package-lock.json")]) {
      const before = readFileSync(file)
      appendFileSync(file, "\n")
      assert.strictEqual(await helpOf(program), expected, file)
      writeFileSync(file, before)
      assert.include(await helpOf(program), "bundled", file)
    }
  })

  it("reads sources once that look different and are the same", async () => {
    const record = join(cache, bundle, "../sources.json")
    const made = () => JSON.parse(readFileSync(record, "utf8"))
    const { paths, ...rest } = made()
    const stamps = paths.flatMap((path: string) => {
      const { ctimeMs, size } = statSync(join(place, path))
      return [size, ctimeMs]
    })
    // As if they were copied from where they had been changed at another time.
    writeFileSync(record, JSON.stringify({ ...rest, paths, stamps: stamps.map((stamp: number) => stamp + 1) }))
    // The look of a file that was changed within the last second is not relied on.
    do assert.include(await helpOf(program), "bundled")
    while (made().stamps[1] !== stamps[1])
    assert.deepStrictEqual(made(), { ...rest, paths, stamps })
  })

  it("runs no bundle of a source that has kept its size", async () => {
    const file = join(place, source)
    const before = readFileSync(file, "utf8")
    writeFileSync(file, before.replace("import ", "import\t"))
    assert.notInclude(await helpOf(program), "bundled")
    writeFileSync(file, before)
    assert.include(await helpOf(program), "bundled")
  })
})
