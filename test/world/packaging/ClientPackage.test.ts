import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { readme, sizeTable, specifierOf, subpaths } from "../../../build/client.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { clientPackage } from "../../fixtures/Bundle.ts"
import { root } from "../../fixtures/Program.ts"
import { nodes, usersCompiler } from "../../fixtures/Runtimes.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { atEnd } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const execute = promisify(execFile)
const service = await startService()

let built: string
/** A directory that holds nothing but the package, installed. */
let consumer: string
let packed: { readonly filename: string; readonly size: number; readonly unpackedSize: number }

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-client-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  consumer = join(directory, "consumer")
  await mkdir(consumer)
  built = await clientPackage(inject("bundle"))
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", directory], { cwd: built })
  packed = Object.values<typeof packed>(JSON.parse(stdout))[0]!
  await writeFile(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", join(directory, packed.filename)], {
    cwd: consumer
  })
})

/** A directory that holds the package and effect. */
const placeWithEffect = async (): Promise<string> => {
  const place = await mkdtemp(join(tmpdir(), "countersign-effect-"))
  atEnd(() => rm(place, { recursive: true, force: true }))
  await cp(installed(), join(place, "node_modules/@countersign/client"), { recursive: true })
  await symlink(join(root, "node_modules/effect"), join(place, "node_modules/effect"))
  await writeFile(join(place, "package.json"), JSON.stringify({ type: "module" }))
  return place
}

const installed = () => join(consumer, "node_modules/@countersign/client")

/** What a backend, an app, a receiver and an auditor write. It compiles only if the names and the types are right. */
const program = `import { Countersign, isCountersignError } from "@countersign/client"
import type { ConnectionCode, CountersignError, ErrorCodes, InputCode, License } from "@countersign/client"
import { fingerprint, localStorageStore, memoryStore, openLicense } from "@countersign/client/app"
import * as verify from "@countersign/client/verify"
import * as webhooks from "@countersign/client/webhooks"

const [baseUrl = "", token = ""] = process.argv.slice(2)
const client = new Countersign({ baseUrl, token, timeoutMs: 20_000 })
const product = await client.products.create({ name: "Studio", code: crypto.randomUUID() })
const policy = await client.policies.create(product.id, {
  name: "Team",
  code: "team",
  license_type: "subscription",
  max_activations: 2
})
const { license, license_key } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
const status: License["status"] = license.status
// @ts-expect-error A member that there is not.
await client.licenses.create({ product_id: product.id, policy_id: policy.id, no_such_member: 1 }).result()
const missing = await client.licenses.get("lic_none").result()
const code: ErrorCodes["getLicense"] | ConnectionCode | InputCode | undefined =
  missing.ok ? undefined : missing.error.code
const nonce = crypto.randomUUID()
const activated = await client.runtime.activate({ fingerprint: "f" }, { licenseKey: license_key, nonce }).withResponse()
const publicKeys = await client.system.listPublicKeys()
const { data } = await verify.verifyEnvelope({ body: activated.response.text, publicKeys, expected: { nonce } })
const ids: Array<string> = []
for await (const { id } of client.licenses.list({ product_id: product.id, limit: 1 })) ids.push(id)
let refused: CountersignError | undefined
try {
  await client.licenses.suspend("lic_none")
} catch (error) {
  if (isCountersignError(error, "NOT_FOUND")) refused = error
}
const isPage = typeof window === "object"
const installation = await openLicense({
  baseUrl,
  productCode: product.code,
  publicKeys,
  store: isPage ? localStorageStore() : memoryStore(),
  fingerprint: await fingerprint({ productCode: product.code, ...(isPage ? {} : { keep: memoryStore() }) })
})
const before = installation.standing.state
await installation.activate(license_key)
await installation.check()
const received: Array<string> = []
const receiver = new webhooks.Receiver({
  secrets: "whsec_0123456789abcdef",
  feed: client,
  handle: (event) => {
    // The type of the event says what its data is.
    if (event.type === "license.activated") received.push(event.data.id satisfies string)
  }
})
const answer = await webhooks.fetchHandler(receiver)(new Request("http://localhost/", { method: "POST", body: "{}" }))
console.log(JSON.stringify({
  states: [before, installation.standing.state],
  mayRun: installation.standing.mayRun,
  webhook: answer.status,
  status,
  code,
  ids: ids.length,
  isSame: data["license_id"] === license.id,
  refused: refused?.code
}))
`

/** A receiver on servers that have types of their own. */
const servers = `import { expressHandler, fastifyPlugin, Receiver } from "@countersign/client/webhooks"
import express from "express"
import { fastify } from "fastify"

const receiver = new Receiver({ secrets: "whsec_0123456789abcdef", handle: () => {} })
express().post("/hooks", expressHandler(receiver))
await fastify().register(fastifyPlugin(receiver, "/hooks"))
`

const effects = `import { Countersign, entries } from "@countersign/client/effect"
import { Effect, Stream } from "effect"

const program = Effect.gen(function*() {
  const client = yield* Countersign
  const code = "studio-" + Date.now()
  const { data: product } = yield* client.products.createProduct({ payload: { name: "Studio", code } })
  const refused = yield* client.products.getProduct({ params: { id: "prod_none" } }).pipe(
    Effect.as("found"),
    Effect.catchTag("NOT_FOUND", (error) => Effect.succeed(error.error.code satisfies "NOT_FOUND"))
  )
  const all = entries((from) => client.products.listProducts({ query: { limit: 1, ...from } }))
  const count = yield* all.pipe(Stream.filter((one) => one.id === product.id), Stream.runCount)
  console.log(JSON.stringify({ found: product.name, refused, count }))
})

await Effect.runPromise(program.pipe(Effect.provide(Countersign.layerConfig)))
// @ts-expect-error The license of nobody consumes nothing: the operation cannot answer that.
export const never = Effect.flatMap(Countersign, (client) => client.products.getProduct({ params: { id: "" } })).pipe(Effect.catchTag("FEATURE_QUOTA_EXCEEDED", () => Effect.void))
`

const strict = {
  strict: true,
  noEmit: true,
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  // What the package declares is judged, but not what the compiler itself brings.
  skipDefaultLibCheck: true,
  types: [] as ReadonlyArray<string>
}

const expected = {
  states: ["unlicensed", "active"],
  mayRun: true,
  webhook: 400,
  status: "active",
  code: "NOT_FOUND",
  ids: 1,
  isSame: true,
  refused: "NOT_FOUND"
}

const compilers = [
  ["the compiler that users have", usersCompiler],
  ["the compiler of the project", join(root, "node_modules/typescript/bin/tsc")]
] as const

const modes = [
  ["nodenext", "nodenext", false],
  ["esnext", "bundler", false],
  ["node16", "node16", false],
  ["nodenext", "nodenext", true]
] as const

describe("the package, packed and installed in an empty directory", () => {
  it("has no dependency, and holds nothing but programs, their types, its README and verify.html", async () => {
    const manifest = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"))
    assert.notProperty(manifest, "dependencies")
    assert.deepStrictEqual(manifest.peerDependenciesMeta, { effect: { optional: true } })
    assert.sameMembers(await readdir(join(consumer, "node_modules/@countersign")), ["client"])
    assert.isFalse(existsSync(join(consumer, "node_modules/effect")))
    const files = (await readdir(installed(), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile()
    )
    assert.deepStrictEqual(
      files.map(({ name }) => name).filter((name) =>
        !/^(README\.md|package\.json|verify\.html)$|\.(js|d\.ts)$/.test(name)
      ),
      []
    )
    assert.include(readFileSync(join(installed(), "verify.html"), "utf8"), "<h1>Verify evidence</h1>")
  })

  it("is less than 2 MB installed, of which the types are 1.2", () => {
    assert.isBelow(packed.size, 600_000)
    assert.isBelow(packed.unpackedSize, 2_000_000)
  })

  it("has a command that npx runs, with exit codes for what it finds", async () => {
    const command = join(consumer, "node_modules/.bin/countersign-client")
    const { stdout } = await execute(command, ["--help"], { cwd: consumer })
    assert.include(stdout, "Usage: countersign-client verify")
    const open = await execute(command, ["verify", join(consumer, "package.json"), "--json"]).catch((error) => error)
    assert.strictEqual(open.code, 3)
    assert.deepInclude(JSON.parse(open.stdout)[0], { name: "package.json", verdict: "open" })
  })

  const compilations = compilers.flatMap(([name, tsc]) =>
    modes.map(([module, moduleResolution, exactOptionalPropertyTypes]) => ({
      name,
      tsc,
      module,
      moduleResolution,
      exactOptionalPropertyTypes
    }))
  )
  it.each(someOf("compilations", compilations, 3))(
    "compiles strict with $name under $moduleResolution (optional members exact: $exactOptionalPropertyTypes)",
    async ({ exactOptionalPropertyTypes, module, moduleResolution, tsc }) => {
      const place = await mkdtemp(join(consumer, "compiled-"))
      await writeFile(join(place, "program.ts"), program.replaceAll("process.argv", "given"))
      await writeFile(join(place, "given.d.ts"), "declare const given: Array<string>\n")
      await writeFile(
        join(place, "tsconfig.json"),
        JSON.stringify({
          compilerOptions: { ...strict, module, moduleResolution, exactOptionalPropertyTypes },
          include: ["*.ts"]
        })
      )
      const { stdout } = await execute(process.execPath, [tsc, "-p", place]).catch((error) => error)
      assert.strictEqual(stdout, "")
    }
  )

  it("fits Express and Fastify, as their types say", async () => {
    const place = await mkdtemp(join(consumer, "servers-"))
    await symlink(join(root, "test/runtimes/node_modules"), join(place, "node_modules"))
    await writeFile(join(place, "program.ts"), servers)
    await writeFile(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, types: ["node"] } }))
    const { stdout } = await execute(process.execPath, [usersCompiler, "-p", place]).catch((error) => error)
    assert.strictEqual(stdout, "")
  })

  it("gives those who have effect its client, with errors by their tags", async () => {
    const place = await placeWithEffect()
    await writeFile(join(place, "program.ts"), effects)
    await writeFile(
      join(place, "tsconfig.json"),
      // The declarations of effect ask for more than a program needs.
      JSON.stringify({ compilerOptions: { ...strict, lib: ["es2024", "dom", "dom.iterable"], skipLibCheck: true } })
    )
    for (const [, tsc] of compilers) {
      const { stdout } = await execute(process.execPath, [tsc, "-p", place]).catch((error) => error)
      assert.strictEqual(stdout, "")
    }
    const file = join(place, "program.mjs")
    const { stripTypeScriptTypes } = process.getBuiltinModule("node:module")
    await writeFile(file, stripTypeScriptTypes(effects))
    const { stdout } = await execute(process.execPath, [file], {
      env: { ...process.env, COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
    })
    assert.deepStrictEqual(JSON.parse(stdout), { found: "Studio", refused: "NOT_FOUND", count: 1 })
  })

  it("does what its documents show, as far as a compiler can tell", async () => {
    const place = await placeWithEffect()
    const documents = [
      "README.md",
      "src/client/README.md",
      ...["how-to/use-the-client.md", "how-to/receive-webhooks.md", "reference/webhooks.md"].map((name) =>
        `docs/${name}`
      )
    ]
    for (const [index, document] of documents.entries()) {
      const shown = [...readFileSync(join(root, document), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
      assert.isNotEmpty(shown, document)
      for (const [number, [, code = ""]] of shown.entries()) {
        await writeFile(join(place, `${index}-${number}.ts`), code)
      }
    }
    await writeFile(join(place, "node.d.ts"), "declare const process: { env: Record<string, string | undefined> }\n")
    await writeFile(
      join(place, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...strict,
          lib: ["es2024", "dom", "dom.iterable"],
          skipLibCheck: true,
          moduleDetection: "force"
        },
        include: ["*.ts"]
      })
    )
    const { stdout } = await execute(process.execPath, [usersCompiler, "-p", place]).catch((error) => error)
    assert.strictEqual(stdout, "")
  })

  it.runIf(process.platform === "linux" && process.arch === "x64")(
    "has every Node.js that it promises to run on",
    () => {
      assert.deepStrictEqual(nodes.map(([version]) => version), ["20", "22", "24"])
    }
  )

  it.each(nodes)("runs on Node %s against the service", async (version, node) => {
    const file = join(consumer, `program-${version}.mjs`)
    // What is left without its types.
    const { stripTypeScriptTypes } = process.getBuiltinModule("node:module")
    await writeFile(file, stripTypeScriptTypes(program))
    const { stdout } = await execute(node, [file, service.url, adminToken])
    assert.deepStrictEqual(JSON.parse(stdout), expected)
  })

  it.each(nodes)("has a command that verifies a statement on Node %s", async (version, node) => {
    const { cases: [closed], keys } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../vectors/statements.json"), "utf8")
    )
    const [file, trusted] = ["statement", "keys"].map((name) => join(consumer, `${name}-${version}.json`)) as [
      string,
      string
    ]
    await writeFile(file, closed.statement)
    await writeFile(trusted, JSON.stringify({ data: keys }))
    const command = join(installed(), "countersign-client.js")
    const { stdout } = await execute(node, [command, "verify", file, "--keys", trusted])
    assert.include(stdout, "each with its proof")
  })

  it("runs in Chromium", async () => {
    const types: Readonly<Record<string, string>> = { ".js": "text/javascript" }
    const imports = Object.fromEntries(
      subpaths.filter((subpath) => subpath !== "effect").map((
        subpath
      ) => [specifierOf(subpath), `/client/${subpath}.js`])
    )
    const { stripTypeScriptTypes } = process.getBuiltinModule("node:module")
    const script = stripTypeScriptTypes(program)
      .replace("process.argv.slice(2)", `[location.origin, ${JSON.stringify(adminToken)}]`)
      .replace("console.log(", "globalThis.outcome = (")
    const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
      <script type="module">addEventListener("unhandledrejection", (event) => globalThis.outcome = String(event.reason))</script>
      <script type="module">${script}</script>`
    const server = createServer((incoming, answer) => {
      const path = incoming.url ?? ""
      if (path === "/") return answer.setHeader("content-type", "text/html").end(page)
      if (path.startsWith("/client/")) {
        const file = join(installed(), path.slice("/client/".length))
        return answer.setHeader("content-type", types[extname(file)] ?? "text/plain").end(readFileSync(file))
      }
      const onward = request(service.url + path, { method: incoming.method, headers: incoming.headers }, (reply) => {
        answer.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(answer)
      })
      return incoming.pipe(onward)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    atEnd(async () => {
      server.close()
      server.closeAllConnections()
    })
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ viewport: { width: 800, height: 600 }, colorScheme: "light" })
      const opened = await context.newPage()
      opened.on("pageerror", (error) => void opened.evaluate(`globalThis.outcome = ${JSON.stringify(String(error))}`))
      await opened.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await opened.waitForFunction("globalThis.outcome !== undefined")
      assert.deepStrictEqual(JSON.parse(await opened.evaluate<string>("globalThis.outcome")), expected)
    } finally {
      await browser.close()
    }
  })

  it("is as large as its README says, within a twentieth", async () => {
    const sizesIn = (lines: ReadonlyArray<string>) =>
      lines.flatMap((line) => {
        const [, name, size] = /^\| `(\S+)`\s+\| ([\d.]+)/.exec(line) ?? []
        return name === undefined ? [] : [[name, Number(size)] as const]
      })
    const stated = sizesIn(readFileSync(readme, "utf8").split("\n"))
    const measured = sizesIn(await sizeTable(built))
    assert.deepStrictEqual(stated.map(([name]) => name), subpaths.map(specifierOf))
    for (const [index, [name, size]] of measured.entries()) {
      assert.closeTo(stated[index]![1], size, Math.max(0.1, size / 20), `${name}: npm run build:client states it anew`)
    }
  })
})
