import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { promisify } from "node:util"
import { buildClient, readme, sizeTable, specifierOf, subpaths } from "../../build/client.ts"
import { openBrowser } from "../fixtures/Browser.ts"
import { root } from "../fixtures/Program.ts"
import { nodes, usersCompiler } from "../fixtures/Runtimes.ts"
import { adminToken, startService } from "../fixtures/Service.ts"
import { atEnd } from "../fixtures/Session.ts"

const execute = promisify(execFile)
const service = await startService()

let built: string
/** A directory that holds nothing but the package, installed. */
let consumer: string

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-client-"))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  built = join(directory, "package")
  consumer = join(directory, "consumer")
  await mkdir(consumer)
  await buildClient(built)
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", directory], { cwd: built })
  const [packed] = Object.values<{ readonly filename: string }>(JSON.parse(stdout))
  await writeFile(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", join(directory, packed!.filename)], {
    cwd: consumer
  })
})

const installed = () => join(consumer, "node_modules/@countersign/client")

/** What a backend, an app, a receiver and an auditor write. It compiles only if the names and the types are right. */
const program = `import { Countersign, isCountersignError } from "@countersign/client"
import type { CountersignError, ErrorCodes, License } from "@countersign/client"
import * as verify from "@countersign/client/verify"

const [baseUrl = "", token = ""] = process.argv.slice(2)
const client = new Countersign({ baseUrl, token, timeoutMs: 20_000 })
const product = await client.products.create({ name: "Studio", code: crypto.randomUUID() })
const policy = await client.policies.create(product.id, { name: "Team", code: "team", license_type: "subscription" })
const { license, license_key } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
const status: License["status"] = license.status
// @ts-expect-error A member that there is not.
await client.licenses.create({ product_id: product.id, policy_id: policy.id, no_such_member: 1 }).result()
const missing = await client.licenses.get("lic_none").result()
const code: ErrorCodes["getLicense"] | "NETWORK_ERROR" | "TIMEOUT" | "INVALID_ANSWER" | undefined =
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
console.log(JSON.stringify({
  status,
  code,
  ids: ids.length,
  isSame: data["license_id"] === license.id,
  refused: refused?.code
}))
`

const expected = {
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
  ["nodenext", "nodenext", true]
] as const

describe("the package, packed and installed in an empty directory", () => {
  it("has no dependency, and holds nothing but programs, their types and maps, and its README", async () => {
    const manifest = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"))
    assert.notProperty(manifest, "dependencies")
    assert.deepStrictEqual(manifest.peerDependenciesMeta, { effect: { optional: true } })
    assert.sameMembers(await readdir(join(consumer, "node_modules/@countersign")), ["client"])
    assert.isFalse(existsSync(join(consumer, "node_modules/effect")))
    const files = (await readdir(installed(), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile()
    )
    assert.deepStrictEqual(
      files.map(({ name }) => name).filter((name) => !/^(README\.md|package\.json)$|\.(js|js\.map|d\.ts)$/.test(name)),
      []
    )
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
  it.each(compilations)(
    "compiles strict with $name under $moduleResolution (optional members exact: $exactOptionalPropertyTypes)",
    async ({ exactOptionalPropertyTypes, module, moduleResolution, tsc }) => {
      const place = await mkdtemp(join(consumer, "compiled-"))
      await writeFile(join(place, "program.ts"), program.replaceAll("process.argv", "given"))
      await writeFile(join(place, "given.d.ts"), "declare const given: Array<string>\n")
      await writeFile(
        join(place, "tsconfig.json"),
        JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            target: "es2022",
            lib: ["es2022", "dom", "dom.iterable"],
            module,
            moduleResolution,
            exactOptionalPropertyTypes,
            noUncheckedIndexedAccess: true,
            skipLibCheck: false,
            types: []
          },
          include: ["*.ts"]
        })
      )
      const { stdout } = await execute(process.execPath, [tsc, "-p", place]).catch((error) => error)
      assert.strictEqual(stdout, "")
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

  it("runs in Chromium", async () => {
    const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".map": "application/json" }
    const imports = Object.fromEntries(
      subpaths.map((subpath) => [specifierOf(subpath), `/client/${subpath}.js`])
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
