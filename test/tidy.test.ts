import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, dirname, extname, join, relative } from "node:path"
import { clientRooms, districts, dividedFloors, orderedFloors } from "../build/districts.ts"
import { arrowsBetween, circles, districtOf, readImports, roomOf } from "../build/imports.ts"
import { districtArrows, withContents, withPicture, withTree } from "../build/picture.ts"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** What is made by tools, or belongs to them. */
const generated = new Set(["node_modules", ".git", ".countersign", "dist", "coverage", "__pycache__"])

const under = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    if (generated.has(entry.name)) return []
    const path = join(directory, entry.name)
    return entry.isDirectory() ? under(path) : [path]
  })

const files = under(".")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const code = files.filter((path) => [".ts", ".tsx"].includes(extname(path)))
const sources = code.filter((path) => path.startsWith("src/"))
const tests = code.filter((path) => path.endsWith(".test.ts"))

/** The packages of this repository, and the programs in them. */
const workspaces = globSync("packages/*/package.json", { cwd: root })
  .map((path) => ({ directory: dirname(path), manifest: JSON.parse(read(path)) }))
const packaged = code.filter((path) => /^packages\/[^/]+\/src\//.test(path))
const isText = (path: string) => !/\.(png|ico|woff2?|wasm)$/.test(path)

/** Lines of these files that have what no line should have, as `path:line`. */
const linesWith = (paths: ReadonlyArray<string>, unwanted: RegExp): ReadonlyArray<string> =>
  paths.flatMap((path) =>
    read(path).split("\n").flatMap((line, index) => unwanted.test(line) ? [`${path}:${index + 1}`] : [])
  )

describe("the source tree", () => {
  it("is there", () => {
    assert.isAbove(sources.length, 100)
    assert.isAbove(tests.length, 30)
  })

  it("names everything that waits ever longer among what slows down and comes back", () => {
    const growing =
      /doublingPauses\(|Math\.min\(2 \* |Math\.min\(\w+ \* 2|2 \*\* (Math\.m|\(?[\w.]*(tries|attempt|inARow)\b)/
    const found = sources.filter((path) => growing.test(read(path)))
    assert.isAbove(found.length, 10)
    const page = read("docs/development/controllers.md")
    assert.deepStrictEqual(found.filter((path) => !page.includes(`\`${basename(path, extname(path))}\``)), [])
    const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path)
    assert.deepStrictEqual(named.filter((path) => !tests.includes(path)), [])
  })

  // What is not a checkout of git, such as an archive of it, has nothing that git tracks.
  it.runIf(existsSync(join(root, ".git")))("has no generated code in git: npm ci makes it", () => {
    const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n")
    assert.isAbove(tracked.length, 1_000)
    const says = /generated (?:by|from|file)|@generated|auto-?generated|do not edit|^\W*Made (?:by|from|of) /i
    const head = (path: string) => read(path).slice(0, 400).split("\n").slice(0, 4).join("\n")
    const isCode = /\.(?:[cm]?[jt]sx?|css|html|py|rs|go|cs|java|kt|swift|php|rb|sh|sql)$/
    assert.match("// Made from the OpenAPI document by build/clientContract.ts", says)
    assert.deepStrictEqual(
      tracked.filter((path) => existsSync(join(root, path)) && isCode.test(path))
        .filter((path) => /\.gen\.\w+$/.test(path) || says.test(head(path))),
      []
    )
  })

  it("makes what an UPDATE sets from a record, in persistence/Assignments.ts alone: a list can set a column twice", () => {
    assert.deepStrictEqual(linesWith(sources, /\bSET \$\{sql\.(csv|join|update)\b|\bset\.push\(/), [])
  })

  it("takes no other connection inside of a transaction: where each of a pool is held by one who waits for another, none goes on", () => {
    assert.deepStrictEqual(linesWith(sources, /\bContext\.omit\(|\boutsideTransaction\b/), [])
  })

  it("tells nobody to fetch a package of ours from a registry, where somebody else may have registered the name", () => {
    const fetches =
      /\b(?:npx|bunx|uvx|npm (?:i|install|exec)|pnpm (?:add|dlx)|yarn (?:add|dlx)|pip install|pipx (?:run|install)|uv add) +(?!--no )(?:-\S+ +)*["'`]?@?countersign/
    const shown = files.filter((path) =>
      isText(path) && /^(?:src|docs|examples|clients|packages|ops|README)/.test(path)
    )
    // Documents of former editions print what they printed when they were signed.
    assert.deepStrictEqual(linesWith(shown.filter((path) => !path.endsWith("report/reportWords.ts")), fetches), [])
    const words = read("src/runtime/rendering/report/reportWords.ts")
    assert.notMatch(words.slice(words.indexOf("const fifth")), fetches)
  })

  it("names no address but those kept for examples, and those of standards and of others that it speaks of or with", () => {
    // Names that nobody can register (RFC 2606, RFC 6761), addresses of this machine, and names of services within a composition.
    const isNobodys = /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|test|localhost)$|^[\d.]+$|^[^.]*$/
    const others = new Set([
      "c2sp.org",
      "www.w3.org",
      "www.freedesktop.org",
      "www.dmtf.org",
      "purl.org",
      "cyclonedx.org",
      "cloudevents.io",
      "ns.adobe.com",
      "opentelemetry.io",
      "prometheus.io",
      "www.standardwebhooks.com",
      "login.microsoftonline.com",
      "schemas.openid.net",
      "accounts.google.com",
      "github.com",
      "effect.website",
      "developer.android.com",
      "api.stripe.com",
      "dashboard.stripe.com",
      "api.paddle.com",
      "sandbox-api.paddle.com",
      "api.fastspring.com",
      "api.lemonsqueezy.com",
      "app.lemonsqueezy.com",
      "docs.lemonsqueezy.com",
      "gumroad.com",
      "api.keygen.sh",
      "keygen.sh",
      "api.cryptlex.com",
      "docs.cryptlex.com",
      "www.licensemanager.at",
      "woocommerce.com",
      "easydigitaldownloads.com",
      "shopify.github.io"
    ])
    const shown = files.filter((path) =>
      isText(path) && /^(?:src|docs|examples|clients|packages|ops|README)/.test(path)
    )
    const named = shown.flatMap((path) =>
      [
        ...read(path).matchAll(
          /(?:\bhttps?:\/\/(?:[\w.-]+@)?|[\w+-]@)([a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}|[\d.]+)(?![\w(])/gi
        )
      ]
        .map(([, host = ""]) => [path, host.toLowerCase()] as const)
    )
    assert.isAbove(named.length, 200)
    assert.deepStrictEqual(named.filter(([, host]) => !isNobodys.test(host) && !others.has(host)), [])
    // One that is named no more is taken from the list.
    const all = new Set(named.map(([, host]) => host))
    assert.deepStrictEqual([...others].filter((host) => !all.has(host)), [])
  })

  it("adds months and days to an instant in terms/Duration.ts alone, so that no series of ends drifts", () => {
    const adds = /\bDateTime\.(add|addDuration)\b|\.set(UTC)?(Date|Month|FullYear)\(|\brelativedelta\b/
    const others = code.filter((path) =>
      /^(src|examples)\//.test(path) && path !== "src/domain/catalog/terms/Duration.ts"
    )
    assert.deepStrictEqual(linesWith(others, adds), [])
    const inSql = /interval '\d+ (month|year)s?'|make_interval\((years|months)/
    // DataKeySql counts the months of a calendar page, from the first of a month.
    const statements = sources.filter((path) => !/\/migrations\/|\/DataKeySql\.ts$/.test(path))
    assert.deepStrictEqual(linesWith(statements, inSql), [])
  })

  it("sends arrays of numbers by persistence/NumberArrays.ts alone: the driver refuses some values of others", () => {
    const typed = /::(smallint|int|integer|bigint|int[248]|float[48]|real|double precision|numeric)\[\]/g
    const numbered = /\$\$\{[^}]*\}$/
    const plain = sources.filter((path) => !path.includes("/migrations/")).flatMap((path) => {
      const text = read(path)
      // A parameter by number is given elsewhere in the same file, or by who imports the text: types of Database judge it.
      const inline = [...text.matchAll(typed)].filter(({ index }) =>
        text[index - 1] === "}" && !numbered.test(text.slice(0, index))
      )
      const wrong = inline.filter(({ index }) => !/\$\{\s*(integers|floats)\([^`$]*\)\s*\}$/.test(text.slice(0, index)))
      return wrong.map(({ index }) => `${path}:${text.slice(0, index).split("\n").length}`)
    })
    assert.deepStrictEqual(plain, [])
  })

  it("compares values by CanonicalJson.ts, and not their texts: PostgreSQL orders the members of a jsonb anew", () => {
    const rows = sources.filter((path) => /^src\/(services|runtime)\//.test(path))
    assert.deepStrictEqual(linesWith(rows, /JSON\.stringify\(.*\) [!=]== JSON\.stringify/), [])
  })

  it("looks for work by the agenda alone, and names the reason of whatever else a clock repeats within half a minute", () => {
    const short =
      /Schedule\.(spaced|fixed)\(("\d+ (millis|seconds?)"|[\w.]+)\)|setInterval\(|const (\w*[eE]very|poll\w*) = ("\d+ (millis|seconds?)"|[\d_]+$)/
    const reasons = {
      "src/services/ground/platform/Supervised.ts": "lends the pause; write-behind asks memory alone",
      "src/services/ground/agenda/Agenda.ts": "the rest between looks that were called for",
      "src/services/evidence/audit/RefusalLog.ts": "write-behind, which asks memory alone",
      "src/services/sales/purchases/PurchaseRouter.ts": "waits for its hint in each round",
      "src/services/delivery/Dispatcher.ts": "the rest between looks of the agenda",
      "src/services/delivery/LanesWithWork.ts": "an age that a look compares, and no loop",
      "src/services/evidence/exports/ExportWorker.ts": "extends a claim while an export is made",
      "src/services/sales/reconciling/ReconciliationWorker.ts": "extends a claim while one is made",
      "src/services/evidence/transparency/Checkpoints.ts": "the pause after a signature",
      "src/services/evidence/transparency/WitnessKeeper.ts": "an export waits for witnesses, five seconds at most",
      "src/services/evidence/transparency/LicenseEvidence.ts": "a request waits for a checkpoint, 50 times at most",
      "src/services/evidence/transparency/Cosignatures.ts": "a number of signatures",
      "src/services/jobs/clock/EnvironmentClock.ts": "a request waits for what a move of the clock has made due",
      "src/services/ground/admission/RateLimits.ts": "follows a hint",
      "src/services/ground/admission/KnownCredentials.ts": "gathers the callers of a moment",
      "src/runtime/Program.ts": "asks the system for the parent, not the database",
      "src/runtime/node/Watch.ts": "runs while there is something to watch",
      "src/runtime/node/FeedNotifications.ts": "the rest between notifications",
      "src/runtime/node/ProcessMetrics.ts": "samples the event loop, without the database",
      "src/runtime/traces/Traces.ts": "how often a failure is said",
      "src/runtime/postgres/EmbeddedPostgres.ts": "waits for a server that starts or stops",
      "src/runtime/postgres/DatabaseTls.ts": "compares two times in memory",
      "src/runtime/environments/EnvironmentApp.ts": "a request waits for its turn to move the clock",
      "src/runtime/environments/EnvironmentDatabase.ts": "a request waits for the database of its environment"
    }
    const aside = /^src\/runtime\/(cli|seed|terminal|backup|archive|moving|exporting|importing|witness)\//
    const watched = sources.filter((path) => /^src\/(services|runtime)\//.test(path) && !aside.test(path))
    const found = watched.filter((path) =>
      read(path).split("\n").some((line) => short.test(line.replace(/retry.*|"(30|60) seconds"/i, "")))
    )
    assert.deepStrictEqual(found.toSorted(), Object.keys(reasons).toSorted())
  })

  it("leaves nothing to be done later", () => {
    assert.deepStrictEqual(
      linesWith(code.filter((path) => path !== "test/tidy.test.ts"), /\b(TODO|FIXME|XXX|HACK)\b/),
      []
    )
  })

  it("leaves no side of a merge undecided", () => {
    assert.deepStrictEqual(
      linesWith(files.filter(isText), new RegExp(`${"<".repeat(7)} |${">".repeat(7)} |(^|\\s)={7}$`)),
      []
    )
  })

  it("leaves no test out, and runs none alone", () => {
    // `skipIf` says why; a plain skip is a test that is not there.
    const alone = new RegExp(
      `\\b(describe|it|test|suite)(\\.\\w+)*\\.(${["only", "skip", "todo", "fails"].join("|")})\\b`
    )
    assert.deepStrictEqual(linesWith(tests, alone), [])
  })

  it("has comments begin with their subject, and not with a clause for it", () => {
    // Modules that are written so; the list only grows.
    const modules =
      /^src\/((client|console|domain\/(ground\/(parsing|wire)|keys\/security|log|evidence\/transparency|delivery\/webhooks)|api|http|services)\/|runtime\/(?!cli\/|postgres\/migrations\/))/
    const own = sources.filter((path) => modules.test(path) && !path.endsWith(".gen.ts"))
    const opening = /^\s*(?:\/\*\*|\/\/) (?:What|Those|Who|Whom|Whose|Of|Whoever|Whatever|Why) /
    // The first line of a longer docstring stands below its opening.
    const longer = /\/\*\*\n\s*\* (?:What|Those|Who|Whom|Whose|Of|Whoever|Whatever|Why) /
    assert.deepStrictEqual([...linesWith(own, opening), ...own.filter((path) => longer.test(read(path)))], [])
  })

  it("casts no member of an event in SQL: eventMember does, for the kinds that have it as that type", () => {
    const reader = "src/services/ground/persistence/EventMemberSql.ts"
    const readers = sources.filter((path) => path.startsWith("src/services/") && path !== reader)
    assert.deepStrictEqual(linesWith(readers, /(data|metadata)::jsonb? *->>? *'[a-z_]+'\)::/), [])
  })

  it("says of whom a standing is, but for that of a license in its app, which is the published word", () => {
    const published = "src/client/license/Machine.ts"
    const bare = linesWith(
      sources.filter((path) => path !== published),
      /^(?:export )?(?:interface|type|const|class) Standing\b/
    )
    assert.deepStrictEqual([...bare, ...sources.filter((path) => /\/Standings?\.tsx?$/.test(path))], [])
  })

  it("has no folder and no file named after nothing", () => {
    const banned = new Set(["utils", "util", "helpers", "helper", "common", "shared", "types", "misc", "lib"])
    const named = code.filter((path) =>
      `${dirname(path)}/${basename(path, extname(path))}`.toLowerCase().split("/").some((name) => banned.has(name))
    )
    assert.deepStrictEqual(named, [])
  })

  it("reads the target of a request in one place: rules that read it apart can be passed by", () => {
    const reader = "src/http/ground/edge/Refusal.ts"
    // The door hands it to the reader; the others compare it with a path that was read, or keep it as a whole.
    const whole: Readonly<Record<string, RegExp>> = {
      "src/runtime/door/Door.ts": /readTarget\(request\.url \?\? ""\)|request\.url = target/,
      "src/runtime/door/DirectDoors.ts": /request\.url !== path/,
      "src/http/ground/middleware/Idempotency.ts": /\$\{request\.url\}|url: request\.url/
    }
    const readers = sources.filter((path) =>
      /^src\/(api|http|runtime\/(node|requests|traces)|runtime\/Server)/.test(path)
    )
    const apart = readers.filter((path) => path !== reader).flatMap((path) =>
      read(path).split("\n").flatMap((line, index) =>
        /\b(request|incoming|source)\.(url|originalUrl)\b/.test(line) &&
          !/([pP]athOf|unreadableParameter)\(request\.url\)/.test(line) &&
          whole[path]?.test(line) !== true && !path.endsWith("UndiciTransport.ts")
          ? [`${path}:${index + 1}`]
          : []
      )
    )
    assert.deepStrictEqual(apart, [])
  })

  it("names no machine and no place to download from", () => {
    const places = ["registry\\.npmjs", "npm\\.pkg\\.github", "/work/", "_authToken", "/root/\\w"]
    const text = files.filter((path) => isText(path) && path !== "test/tidy.test.ts")
    assert.deepStrictEqual(linesWith(text, new RegExp(places.join("|"))), [])
  })

  /** The folders of the world, from the page that says what each holds. */
  const worlds = (): ReadonlyArray<string> =>
    [...read("docs/development/testing.md").matchAll(/^\| `test\/(world\/\w+)` +\|/gm)].map(([, folder]) => folder!)

  it("mirrors src in test: a test file stands in the folder of what it tests", () => {
    // Faults are of the whole service, the package of the whole client; http is tested as callers see it, across its rooms,
    // and so are terms. The console is tested as people see it, across its rooms. Examples are no part of src.
    const whole = new Set(["", "client", "console", "examples", "faults", "http/licensing/terms", ...worlds()])
    const folders = new Set(["http", ...sources.map((path) => relative("src", dirname(path)))])
    const misplaced = tests.filter((path) => !path.startsWith("packages/")).map((path) =>
      [path, relative("test", dirname(path))] as const
    ).filter(([, folder]) => !whole.has(folder) && !folders.has(folder))
    assert.deepStrictEqual(misplaced, [])
  })

  it("writes to the terminal by terminal/Printing.ts, which lets it obey nothing that strangers wrote", () => {
    // The lines of requests are made visible where they are written, and a bar is drawn over itself.
    const writers = new Set(["src/runtime/requests/RequestLines.ts", "src/runtime/terminal/Progress.ts"])
    const others = sources.filter((path) => path.startsWith("src/runtime/") && !writers.has(path))
    assert.deepStrictEqual(
      linesWith(others, /\bprocess\.std(out|err)\.(write|cork)|\b(writeSync|fs\.write)\([12],/),
      []
    )
  })

  /** The packages that a program loads, in whichever form it says so; not those of which it has types alone. */
  const packagesOf = (program: string): ReadonlyArray<string> => {
    const named = /^\s*(?:import|export) (?!type\b)[^"';]*?from "([^".][^"]*)"/gm
    const alone = /^\s*import "([^".][^"]*)"/gm
    const called =
      /\b(?:import|require|(?:require|import\.meta|createRequire\([^)]*\))\.resolve)\(\s*["`]([^"`.$][^"`$]*)/g
    return [named, alone, called].flatMap((form) => [...program.matchAll(form)].map(([, specifier]) => specifier!))
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/"))
  }

  it.each([
    `import { a } from "found"`,
    `import {\n  a,\n  b\n} from "found/part"`,
    `export * from "found"`,
    `import "found"`,
    `const late = await import("found")`,
    `import(\n  "found/late"\n)`,
    `require("found")`,
    `require.resolve("found/package.json")`,
    `createRequire(import.meta.url).resolve("found")`,
    `import.meta.resolve("found")`
  ])("sees that a program loads a package: %j", (program) => {
    assert.deepStrictEqual(packagesOf(program), ["found"])
  })

  it("sees the beginning of a package's name that a program completes", () => {
    assert.deepStrictEqual(packagesOf("createRequire(import.meta.url).resolve(`@scope/${platform}/part`)"), ["@scope/"])
  })

  it("sees no package in what is the program's own, the platform's or a type", () => {
    const program =
      `import type { A } from "types"\nimport "./own.ts"\nimport { b } from "node:fs"\nimport("../own.ts")`
    assert.deepStrictEqual(packagesOf(program), [])
  })

  it("imports in what runs only packages that npm ci --omit=dev leaves", () => {
    // npm links the packages of the repository, whether or not development is left out.
    const linked = workspaces.map(({ manifest: { name } }) => name)
    const installed = [...linked, ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })]
    // Of a name that ends in what a program puts in there is one at least.
    const isInstalled = (name: string) =>
      name.endsWith("/") ? installed.some((other) => other.startsWith(name)) : installed.includes(name)
    // The console is bundled before it is served, and what it needs is in the bundle.
    const running = [...sources.filter((path) => !path.startsWith("src/console/")), "bin/countersign.mjs"]
    const missing = running.flatMap((path) =>
      packagesOf(read(path)).filter((name) => !isInstalled(name)).map((name) => `${path}: ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("has packages that import themselves, Node and what their own manifests name", () => {
    const missing = workspaces.flatMap(({ directory, manifest: { dependencies, devDependencies, exports } }) => {
      // A package without exports is a tool, which runs where the development packages are.
      const named = Object.keys({ ...dependencies, ...exports === undefined ? devDependencies : {} })
      return [
        ...packaged.filter((path) => path.startsWith(`${directory}/`)),
        ...globSync(`${directory}/*.mjs`, { cwd: root })
      ]
        .flatMap((path) => packagesOf(read(path)).map((name) => ({ path, name })))
        .filter(({ name }) => !named.some((known) => known === name || known.startsWith(name)))
    })
    assert.isNotEmpty(packaged)
    assert.deepStrictEqual(missing, [])
  })

  it("tells each version on a page, for those who upgrade to it", () => {
    const [, ...versions] = read("CHANGELOG.md").split(/^## /m)
    assert.isAbove(versions.length, 1)
    for (const version of versions) assert.isAtMost(version.split("\n").length, 100, version.split("\n")[0])
  })

  it("spreads into a call nothing that strangers can grow: of 125,000 arguments a call fails", () => {
    // What is spread here is bounded by its own kind: words of a heading, a page of the sample, findings of one body.
    const bounded = new Set([
      "src/runtime/rendering/report/tableLayout.ts: Math.max(...words)",
      "src/runtime/rendering/report/reportOpening.ts: Math.max(...labels",
      "packages/pdf/src/file/crossReferences.ts: fromCharCode(2, ...entry",
      "src/console/evidence/finance/FigureTable.tsx: Math.max(0, ...columns",
      "src/services/delivery/LanesWithWork.ts: Math.max(0, ...subscriptions",
      "src/services/licensing/seats/Activations.ts: push(...overageEvents",
      "src/services/licensing/floating/Checkouts.ts: push(...overageEvents",
      "src/services/licensing/metering/Usage.ts: push(...usageEvents",
      "src/services/licensing/licenses/LicenseBatches.ts: push(...refs",
      "src/services/licensing/licenses/LicenseBatches.ts: push(...issued",
      "src/services/licensing/entitlements/RuntimeWrites.ts: push(...result",
      "src/services/licensing/lifecycle/LicenseUpdates.ts: push(...yield",
      "src/domain/licensing/licenses/LicenseIssue.ts: push(...followFindings",
      "src/domain/licensing/licenses/LicenseIssue.ts: push(...contradictions",
      "src/domain/ground/wire/PayloadFindings.ts: push(...unknown",
      "src/domain/ground/wire/PayloadFindings.ts: push(...findingsOf"
    ])
    const spread =
      /\b(?:push|unshift|splice|Math\.(?:max|min|hypot)|fromCharCode|fromCodePoint|concat|Array\.of)\((?:[^(){}]*, )?\.\.\.\w+/g
    const written = [...sources, ...packaged].filter((path) => !path.endsWith(".gen.ts"))
    const found = written.flatMap((path) => [...read(path).matchAll(spread)].map(([call]) => `${path}: ${call}`))
    const open = found.filter((call) => ![...bounded].some((known) => call.startsWith(known.replace(/\)$/, ""))))
    assert.deepStrictEqual(open, [])
  })

  it("has the console use nothing that browsers withhold on plain http, but where it says so", () => {
    const guarded = new Set(["src/console/ground/design/Copy.tsx", "src/console/composition/start/Snippets.ts"])
    const console = sources.filter((path) => path.startsWith("src/console/") && !guarded.has(path))
    assert.deepStrictEqual(
      linesWith(console, /\brandomUUID\(|\bnavigator\.(clipboard|locks|serviceWorker|share)\b/),
      []
    )
  })

  it("opens connections to a database by functions that know how it is to be encrypted", () => {
    const knowing = new Set([
      "src/runtime/postgres/DatabaseServer.ts",
      "src/runtime/postgres/PoolMetrics.ts",
      // A socket of its own.
      "src/runtime/postgres/EmbeddedPostgres.ts",
      "src/runtime/backup/CopyConnection.ts"
    ])
    const others = sources.filter((path) => path.startsWith("src/") && !knowing.has(path))
    assert.deepStrictEqual(linesWith(others, /\b(PgConnection|PgClient|PgPool)\.make\(|from "pg"/), [])
  })

  it("has the console lose nothing by a slip: keys, numbers, secrets and calls each go one way", () => {
    const others = (...own: ReadonlyArray<string>) =>
      sources.filter((path) => path.startsWith("src/console/") && own.every((known) => path !== `src/console/${known}`))
    const rules = {
      "a key is listened to by onKey, which leaves to an input method what is its own": linesWith(
        others("ground/design/Keys.ts"),
        /\b(event|e)\.(key|keyCode|code|which)\b|\bisComposing\b|\bonKey(Up|Press)=|\bonKeyDown=\{\(|"key(down|up|press)", \(/
      ),
      "a number is typed into a NumberField, and no field is made by hand": [
        ...linesWith(others(), /\btype[=:] ?"number"/),
        ...linesWith(
          others("ground/design/Field.tsx", "composition/search/SearchBox.tsx", "keys/settings/LogoField.tsx"),
          /<(input|select|textarea)\b/
        )
      ],
      // An Action takes no fields without their draft: its type sees to that. A token is a secret, and kept nowhere.
      "a form keeps what is entered by useDraft": others("ground/session/ActionForm.tsx", "people/entry/TokenForm.tsx")
        .filter((
          path
        ) => /<form\b/.test(read(path)) && !/\buseDraft[<(]/.test(read(path))),
      "a secret is shown by SecretOnce, which holds its dialog": linesWith(
        others("ground/design/Copy.tsx"),
        /<(Copy|Id|code)\b.*\b(license_key|secret|token)\}/
      ),
      "a screen sums and sorts nothing: its figures are computed in plain values beside it": linesWith(
        others().filter((path) => path.endsWith(".tsx")),
        /\.(reduce|toSorted|sort)\(/
      ),
      "a dialog is the Dialog of the design": linesWith(others("ground/design/Dialog.tsx"), /<dialog\b|\.showModal\(/),
      "the service is asked by ask, which outlives the session": [
        ...linesWith(others("ground/session/Session.ts"), /\bnew Countersign\(/),
        ...linesWith(
          // Snippets are texts, for the app of a vendor.
          others(
            "evidence/operator/Readiness.ts",
            "evidence/operator/Checkpoint.ts",
            "composition/parts/Parts.ts",
            "composition/start/Snippets.ts"
          ),
          /(?<!typeof )\bfetch\(/
        )
          .filter((line) => !line.startsWith("src/console/ground/requests/Sent.ts"))
      ]
    }
    assert.deepStrictEqual(Object.entries(rules).filter(([, broken]) => broken.length > 0), [])
  })

  it("has its actors where a reader finds them, each with a row in the decision about actors", () => {
    const place = "src/runtime/Actors.ts"
    const entity = /\bEntity\.make\("(\w+)"/g
    const others = sources.filter((path) => path !== place)
    assert.deepStrictEqual(linesWith(others, /\bSingleton\.make\(/), [])
    assert.deepStrictEqual(linesWith(others.filter((path) => !path.endsWith("Actor.ts")), /\bEntity\.make\(/), [])
    const entities = others.flatMap((path) => [...read(path).matchAll(entity)].map(([, name]) => name!))
    const singletons = [...read(place).matchAll(/\bsingleton\("([\w-]+)"/g)].map(([, name]) => name!)
    const rows = [...read("docs/decisions/0019-actors.md").matchAll(/^\| `([\w-]+)` /gm)].map(([, name]) => name!)
    assert.deepStrictEqual(rows.toSorted(), [...entities, ...singletons].toSorted())
  })

  it("says its version in package.json only", () => {
    const programs = code.filter((path) => /^(src|bench|build|examples)\//.test(path))
    assert.deepStrictEqual(
      linesWith(programs, new RegExp(`["'\`]${manifest.version.replaceAll(".", "\\.")}["'\`]`)),
      []
    )
  })
})

describe("districts", () => {
  const imports = readImports(root)
  const names = Object.keys(districts)
  const foldersOf = (directory: string): ReadonlyArray<string> =>
    existsSync(join(root, directory))
      ? readdirSync(join(root, directory), { withFileTypes: true }).filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
      : []

  it("are 14 at most", () => {
    assert.isAtMost(names.length, 14)
  })

  it.each(dividedFloors)("src/%s is divided into them, and into nothing else", (floor) => {
    assert.deepStrictEqual(foldersOf(`src/${floor}`).filter((name) => !names.includes(name)), [])
    // The one file above them puts the groups of http together.
    const above = sources.filter((path) => dirname(path) === `src/${floor}` && path !== "src/http/Http.ts")
    assert.deepStrictEqual(above, [])
  })

  it.each(orderedFloors)("test/%s is divided as src is", (floor) => {
    assert.deepStrictEqual(foldersOf(`test/${floor}`).filter((name) => !names.includes(name)), [])
  })

  it("a service is called after the folder that it stands in, so that two never share a name", () => {
    const named = sources.flatMap((path) =>
      [...read(path).matchAll(/\("countersign\/([A-Za-z/]+)"\)/g)].map(([, key]) => ({ path, folder: dirname(key!) }))
    )
    assert.isAbove(named.length, 50)
    assert.deepStrictEqual(named.filter(({ folder, path }) => `src/${folder}` !== dirname(path)), [])
  })

  it("each lists the rooms within it, and no others; no room has the name of a district", () => {
    const there = new Set(
      dividedFloors.flatMap((floor) =>
        names.flatMap((name) => foldersOf(`src/${floor}/${name}`).map((room) => `${name}/${room}`))
      )
    )
    const listed = Object.entries(districts).flatMap(([name, { rooms }]) =>
      Object.keys(rooms).map((room) => `${name}/${room}`)
    )
    assert.deepStrictEqual([...there].toSorted(), listed.toSorted())
    assert.deepStrictEqual(listed.filter((room) => names.includes(basename(room))), [])
    assert.deepStrictEqual(foldersOf("src/client").toSorted(), Object.keys(clientRooms).toSorted())
  })

  it("each has a dozen rooms at most on a floor", () => {
    const many = dividedFloors.flatMap((floor) =>
      names.map((name) => [`${floor}/${name}`, foldersOf(`src/${floor}/${name}`).length] as const)
    ).filter(([, count]) => count > 12)
    assert.deepStrictEqual(many, [])
  })

  it("each stands on those before it in the list: no arrow leads back", () => {
    const back = [...districtArrows(imports)].flatMap(([from, targets]) =>
      [...targets].filter((to) => names.indexOf(to) > names.indexOf(from)).map((to) => `${from} -> ${to}`)
    )
    assert.deepStrictEqual(back, [])
  })

  it("no room of them, and none of the client, is on a circle of imports, types included", () => {
    const divided = (path: string) => districtOf(path) === undefined && !path.startsWith("src/client/")
    assert.deepStrictEqual(circles(arrowsBetween(imports, (path) => divided(path) ? undefined : roomOf(path))), [])
  })

  it("have no file on a circle, types and parts that are loaded later included, and neither has the client for Python", () => {
    const place = "clients/python/src"
    const modules = globSync("**/*.py", { cwd: join(root, place) })
    const moduleOf = (path: string) => path.replace(/\.py$/, "").replace(/\/?__init__$/, "")
    const known = new Set(modules.map(moduleOf))
    /** `from ..devices import OwnDevice`, and `from . import devices`, which may name a module or what a package has. */
    const importedBy = (path: string): ReadonlyArray<string> =>
      [...read(`${place}/${path}`).matchAll(/^\s*from (\.+)([\w.]*) import (?:\(([^)]*)|(.*)$)/gm)].flatMap(
        ([, dots = "", name = "", several, one = ""]) => {
          const from = join(path, "../".repeat(dots.length), name.replaceAll(".", "/"))
          const parts = (several ?? one).split(/[\s,]+/).map((member) => join(from, member)).filter((part) =>
            known.has(part)
          )
          return parts.length > 0 ? parts : [from]
        }
      )
    const python = new Map(modules.map((path) => [moduleOf(path), importedBy(path)]))
    assert.include(python.get("countersign/license") ?? [], "countersign/floating")
    assert.include(python.get("countersign/app/license") ?? [], "countersign/devices")
    assert.deepStrictEqual(circles(arrowsBetween(imports, (path) => path)), [])
    assert.deepStrictEqual(circles(arrowsBetween(python, (path) => path)), [])
  })

  it("list every document, each once", () => {
    const pages = Object.values(districts).flatMap((district) => district.pages)
    const there = globSync("docs/{reference,how-to,explanation,tutorial}/*.md", { cwd: root })
      .concat("docs/runbook.md", "docs/threat-model.md").map((path) => relative("docs", path).slice(0, -".md".length))
    assert.deepStrictEqual(pages.toSorted(), there.toSorted())
  })

  it.each([["ARCHITECTURE.md", withPicture], ["README.md", withTree], ["docs/contents.md", withContents]] as const)(
    "%s shows them as they are: npm run docs:picture draws them anew",
    (path, draw) => {
      const document = read(path)
      assert.strictEqual(document, draw(root, document))
    }
  )
})

describe("actors", () => {
  it("are named in ARCHITECTURE.md and in decision 19, each of them", () => {
    const single = [...read("src/runtime/Actors.ts").matchAll(/\bsingleton\(\s*"([\w-]+)"/g)].map(([, name]) => name!)
    assert.include(single, "sequencer")
    const entities = sources.filter((path) => /\bEntity\.make\(/.test(read(path))).map((path) => basename(path))
    assert.isAbove(entities.length, 2)
    const [architecture, decision] = [read("ARCHITECTURE.md"), read("docs/decisions/0019-actors.md")]
    const isNamed = (page: string, name: string) => page.includes(`\`${name}\``) || page.includes(`/${name}\``)
    assert.deepStrictEqual(
      [...single, ...entities].filter((name) => !isNamed(architecture, name) || !isNamed(decision, name)),
      []
    )
    // And no others: neither a page nor a comment counts actors that there are no more.
    const [, sentence = ""] = /singletons\s+\(`runtime\/Actors\.ts`\): ([^.]*)\./.exec(architecture) ?? []
    assert.sameMembers([...sentence.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!), single)
    const [comment = ""] = /\/\*\n[^]*?\*\//.exec(read("src/runtime/Actors.ts")) ?? []
    assert.sameMembers([...comment.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}.ts`), entities)
  })
})

describe("services", () => {
  /** Those without a test file of their own, and where they are tested: mostly as callers see them, through the API. */
  const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
    "catalog/CatalogSql": [
      "services/catalog/PolicyFeatureSql",
      "http/licensing/terms/Trials",
      "services/catalog/FeatureValueSql",
      "http/catalog/CustomFields",
      "services/catalog/CatalogCountSql"
    ],
    "catalog/CrudResource": ["http/catalog/Catalogue", "http/sales/BillingStates"],
    "catalog/CustomFields": ["http/catalog/CustomFields"],
    "catalog/Features": ["http/catalog/Catalogue"],
    "catalog/FormerCodes": ["world/http/FormerCodes"],
    "catalog/Policies": ["http/catalog/Catalogue"],
    "catalog/PolicyFeatures": ["http/licensing/terms/PolicyFeatures"],
    "catalog/Products": ["http/catalog/Catalogue", "http/catalog/Versions"],
    "catalog/terms/FeatureTerms": [
      "http/licensing/terms/PolicyFeatures",
      "world/http/Grants",
      "services/licensing/metering/GrantSql",
      "world/http/SelfService"
    ],
    "catalog/terms/OpenGrantSql": ["services/licensing/metering/GrantSql"],
    "catalog/terms/OverageEvents": ["http/licensing/terms/Overage"],
    "catalog/terms/Rollovers": ["world/http/Grants", "http/licensing/terms/Meters"],
    "catalog/terms/TermsSql": [
      "http/licensing/terms/Overrides",
      "world/http/SelfService",
      "http/licensing/terms/PolicyFeatures",
      "http/licensing/terms/Quotas"
    ],
    "customers/CustomerSql": ["services/customers/CustomerEmailSql", "services/customers/LinkSql"],
    "customers/Customers": [
      "http/catalog/Catalogue",
      "http/customers/Commerce",
      "world/http/ListFilters",
      "services/customers/CustomerSearch"
    ],
    "customers/Orders": ["http/customers/Commerce", "http/sales/BillingConnections"],
    "customers/Subscriptions": ["http/customers/Commerce", "http/licensing/LicenseOrigin"],
    "delivery/DeliveryHealthSql": [
      "services/delivery/DeliveryHealth",
      "services/ground/persistence/HotRows",
      "services/delivery/DeliveryMinuteSql"
    ],
    "delivery/DeliveryMetrics": ["services/delivery/DeliveryLayer"],
    "delivery/EndpointLane": ["services/delivery/EndpointActor"],
    "delivery/EndpointTestSql": ["http/delivery/WebhookTests"],
    "delivery/FeedBuffer": ["services/delivery/DeliveryLayer"],
    "delivery/LaneAttempts": ["services/delivery/EndpointActor", "services/delivery/DeliveryHealth"],
    "delivery/LaneReads": ["services/delivery/EndpointActor"],
    "delivery/LaneStore": ["services/delivery/DeliveryLayer"],
    "delivery/LanesWithWorkSql": [
      "services/delivery/LanesWithWork",
      "services/ground/persistence/HotRows",
      "services/delivery/FeedBufferSql"
    ],
    "delivery/Sender": ["services/delivery/DeliveryLayer", "http/delivery/WebhookTests"],
    "delivery/webhooks/EndpointDirectory": ["services/delivery/Dispatcher", "services/delivery/DeliveryLayer"],
    "delivery/webhooks/LostMasterKey": ["world/commands/KeysReplaceLost"],
    "delivery/webhooks/LostMasterKeySql": [
      "world/commands/KeysReplaceLost",
      "services/keys/security/Vault",
      "world/commands/KeysRewrap"
    ],
    "delivery/webhooks/MasterKeyChange": ["services/keys/security/Vault", "world/commands/KeysRewrap"],
    "delivery/webhooks/WebhookSecrets": [
      "services/delivery/webhooks/WebhookEndpoints",
      "http/delivery/WebhookHeaders",
      "http/delivery/WebhookChanges"
    ],
    "delivery/webhooks/WebhookSql": [
      "services/delivery/webhooks/WebhookEndpointSql",
      "world/http/WebhookOrder",
      "services/delivery/webhooks/WebhookEndpoints",
      "world/http/ReceiverSecrets"
    ],
    "evidence/audit/ActivityQuery": ["world/http/Activities"],
    "evidence/audit/ActivitySql": ["services/evidence/audit/Activities", "http/evidence/ActivityDetails"],
    "evidence/audit/RefusalLog": ["world/http/Activities"],
    "evidence/audit/ReplayedTables": ["services/evidence/audit/ConsistencyCheck", "services/evidence/audit/MailRows"],
    "evidence/audit/UseRows": ["services/evidence/audit/ConsistencyCheck"],
    "evidence/exports/ExportClaims": [
      "services/evidence/exports/ExportSql",
      "world/http/ReportExports",
      "world/faults/exports",
      "world/http/CustomerErasures"
    ],
    "evidence/exports/ExportFreezer": ["world/http/ReportExports", "world/faults/exports"],
    "evidence/exports/ExportMetrics": ["runtime/Metrics"],
    "evidence/exports/ExportRecord": ["world/http/ReportExports", "services/evidence/exports/SnapshotWriter"],
    "evidence/exports/ExportRenderer": ["world/http/ReportExports", "runtime/cli/evidence/VerifyExport"],
    "evidence/exports/ExportWorker": ["world/http/ReportExports", "world/faults/exports"],
    "evidence/exports/PieceWriter": ["world/http/ReportExports", "world/faults/exports"],
    "evidence/exports/ReportExports": ["world/http/ReportExports"],
    "evidence/receipts/ReceiptSql": ["http/evidence/EventEvidence", "world/http/LicenseUsers"],
    "evidence/receipts/Receipts": ["http/evidence/EventEvidence", "world/http/LicenseUsers"],
    "evidence/rehearsals/QuotaSql": ["services/evidence/rehearsals/RehearsalSql"],
    "evidence/rehearsals/RehearsedLicenses": ["world/http/Rehearsal"],
    "evidence/rehearsals/RehearsedQuotas": ["world/http/Rehearsal"],
    "evidence/reports/OpenedReport": [
      "services/evidence/reports/ReportNames",
      "services/evidence/reports/ReportSource"
    ],
    "evidence/reports/OverviewSql": ["http/evidence/Overview"],
    "evidence/reports/Overviews": ["http/evidence/Overview"],
    "evidence/reports/RehearsalReports": ["world/http/Rehearsal", "services/evidence/reports/ReportSource"],
    "evidence/reports/ReportSql": ["http/licensing/UsageReports", "services/evidence/reports/ReportNames"],
    "evidence/reports/Reports": ["http/licensing/UsageReports", "world/http/Activities"],
    "evidence/reports/StatementSql": ["http/licensing/terms/Statements", "world/http/Grants"],
    "evidence/reports/UsageReports": [
      "http/licensing/UsageReports",
      "services/evidence/reports/ReportSource",
      "services/evidence/reports/ReportNames"
    ],
    "evidence/retention/LogDrop": ["world/commands/Archive"],
    "evidence/retention/Pruner": ["http/evidence/Pruning"],
    "evidence/transparency/EventProofSql": ["http/evidence/EventEvidence"],
    "evidence/transparency/EventProofs": ["http/evidence/EventEvidence"],
    "evidence/transparency/EventTiles": ["http/evidence/LogTiles"],
    "evidence/transparency/LicenseEvidence": ["client/verifier/Verifier"],
    "evidence/transparency/LicenseEvidenceSql": ["client/verifier/Verifier"],
    "ground/admission/AdmissionSql": ["world/http/RateLimits", "services/ground/admission/RateLimitSql"],
    "ground/admission/KnownCredentials": ["world/http/RateLimits"],
    "ground/admission/RateLimits": ["world/http/RateLimits", "world/http/Edge"],
    "ground/agenda/AgendaSql": ["services/ground/agenda/Agenda", "services/licensing/lifecycle/LicenseSweeper"],
    "ground/agenda/Announcements": ["services/ground/agenda/Agenda"],
    "ground/environments/CurrentEnvironment": [
      "world/http/Environments",
      "services/ground/environments/Slices",
      "services/ground/environments/DeliveryTurns"
    ],
    "ground/persistence/Identifiers": ["domain/ground/wire/Id", "world/http/Edge", "http/ground/ClockSkew"],
    "ground/persistence/KeysetPagination": ["http/ground/Lists", "http/ground/Failures"],
    "ground/persistence/KeysetPaginationSql": [
      "services/ground/persistence/KeysetPagination",
      "http/ground/SortedLists"
    ],
    "ground/persistence/Precondition": ["http/ground/Preconditions"],
    "ground/persistence/ProductLimit": ["world/http/LimitedKeys", "http/keys/LimitedKeyRules"],
    "ground/persistence/RenewalSql": ["services/mail/MailHolds"],
    "ground/persistence/RowToWire": ["http/catalog/Catalogue"],
    "ground/persistence/RunningDeviceSql": [
      "services/customers/CustomerSearch",
      "services/licensing/licenses/LicenseSql",
      "services/licensing/entitlements/SeatSql",
      "services/licensing/standings/UserStandingSql"
    ],
    "ground/persistence/StatementParts": [
      "services/ground/persistence/Database",
      "services/delivery/LaneSql",
      "world/http/ListFilters",
      "http/licensing/LicenseUpdates"
    ],
    "ground/persistence/SweepLocks": ["services/licensing/lifecycle/LicenseSweeper", "http/licensing/Floating"],
    "ground/persistence/TransactionSql": [
      "http/ground/ClockSkew",
      "services/evidence/audit/LogBaseline",
      "services/ground/persistence/SnapshotSql",
      "runtime/postgres/Database",
      "services/ground/persistence/SweepLockSql"
    ],
    "ground/platform/Cryptography": ["runtime/node/NodeCryptography"],
    "ground/platform/DatabaseHealth": ["world/machines/Server", "services/ground/platform/SingleFlight"],
    "ground/platform/Ports": [
      "http/ground/Pages",
      "http/ground/Contract",
      "world/machines/Server",
      "services/evidence/transparency/WitnessKeeper",
      "world/http/ReportExports",
      "world/faults/exports"
    ],
    "ground/platform/SeriesFromStart": ["runtime/Metrics"],
    "ground/platform/Settings": ["runtime/config/Config"],
    "ground/platform/Sweeps": ["runtime/Metrics"],
    "ground/platform/Transport": ["runtime/node/UndiciTransport"],
    "jobs/JobActor": ["world/http/Jobs", "world/faults/jobs"],
    "jobs/JobLayers": ["world/http/Jobs"],
    "jobs/JobRowSql": ["services/jobs/JobSql", "world/http/Jobs"],
    "jobs/JobWork": ["world/http/Jobs"],
    "jobs/Jobs": ["world/http/Jobs"],
    "jobs/clock/ClockSql": ["world/http/Environments"],
    "jobs/clock/EnvironmentClock": ["world/http/Environments", "services/jobs/clock/DueWork"],
    "keys/security/DataKeys": ["services/keys/security/Vault"],
    "keys/security/KeyWrapping": ["services/keys/security/Vault"],
    "keys/security/Revocations": ["http/licensing/Offline"],
    "keys/security/Signing": ["http/licensing/Runtime", "runtime/cli/keys/KeysRevoke"],
    "keys/security/SigningSql": [
      "http/licensing/Runtime",
      "world/http/KeyEndorsement",
      "runtime/cli/keys/KeysRevoke",
      "http/licensing/Offline"
    ],
    "keys/settings/ServiceSettings": ["http/keys/ServiceSettings"],
    "licensing/entitlements/Answers": ["http/licensing/Runtime", "services/licensing/entitlements/Validations"],
    "licensing/entitlements/DecisionMetrics": ["runtime/Metrics"],
    "licensing/entitlements/EntitlementState": [
      "http/licensing/Runtime",
      "domain/licensing/entitlements/Decision",
      "http/licensing/Floating",
      "world/http/FormerCodes",
      "services/ground/admission/QuestionGroups"
    ],
    "licensing/entitlements/EntitlementStateSql": ["http/licensing/Runtime"],
    "licensing/entitlements/Explanations": ["http/licensing/Explain", "http/licensing/terms/Pools"],
    "licensing/entitlements/LicenseHistorySql": [
      "http/licensing/Explain",
      "services/licensing/entitlements/LicenseStartsSql"
    ],
    "licensing/entitlements/LicenseStandingReader": [
      "http/licensing/Explain",
      "world/http/LicenseUsers",
      "http/licensing/terms/OfflineFiles",
      "http/licensing/terms/Durations"
    ],
    "licensing/entitlements/LoggedEvents": ["http/licensing/Explain", "http/licensing/terms/Pools"],
    "licensing/entitlements/Replays": [
      "world/http/Replays",
      "services/people/access/Idempotency",
      "world/http/Groups"
    ],
    "licensing/entitlements/RuntimeWrites": ["world/http/Groups", "http/licensing/Consume"],
    "licensing/floating/Checkouts": ["world/http/Groups", "http/licensing/Floating"],
    "licensing/floating/LeaseSql": ["services/ground/persistence/HotRows", "http/licensing/Floating"],
    "licensing/floating/Leases": [
      "http/licensing/Floating",
      "world/http/FloatingSchedules",
      "world/http/Groups",
      "world/http/Rehearsal",
      "services/licensing/floating/LeaseSweeper"
    ],
    "licensing/licenses/CustomFieldValueSql": [
      "http/catalog/CustomFields",
      "services/licensing/licenses/CustomFieldValues"
    ],
    "licensing/licenses/DeviceBindings": [
      "services/ground/persistence/HotRows",
      "world/http/Groups",
      "http/licensing/terms/Components"
    ],
    "licensing/licenses/Devices": ["http/licensing/Devices"],
    "licensing/licenses/LeaseClosing": ["http/licensing/Floating", "http/licensing/Devices"],
    "licensing/licenses/LicenseBatches": ["world/http/Bulk"],
    "licensing/licenses/LicenseCreation": [
      "http/licensing/Licenses",
      "http/licensing/terms/Trials",
      "http/licensing/terms/SubscriptionLinks"
    ],
    "licensing/licenses/LicenseFeatures": ["http/licensing/Licenses", "http/licensing/UsageReset"],
    "licensing/licenses/LicenseSearch": [
      "world/http/ListFilters",
      "http/licensing/LicenseUpdates",
      "http/ground/Lists"
    ],
    "licensing/licenses/LicenseUserSql": ["world/http/LicenseUsers"],
    "licensing/licenses/LicenseUsers": ["world/http/LicenseUsers", "http/licensing/LicenseStates", "world/http/Bulk"],
    "licensing/licenses/Licenses": ["http/licensing/Licenses", "http/ground/Lists"],
    "licensing/licenses/SubscriptionFollowing": ["http/licensing/terms/Subscriptions"],
    "licensing/lifecycle/LicenseChangeSql": [
      "http/licensing/Renewals",
      "http/licensing/terms/PolicyChange",
      "services/licensing/lifecycle/EndOfOwner",
      "http/licensing/LicenseKeys",
      "world/http/LimitedKeys"
    ],
    "licensing/lifecycle/LicenseSweeperSql": ["services/licensing/lifecycle/LicenseSweeper", "http/licensing/Sweeper"],
    "licensing/lifecycle/LicenseTransfers": [
      "http/licensing/Transfers",
      "services/licensing/lifecycle/EndOfOwner",
      "http/licensing/LicenseKeys"
    ],
    "licensing/lifecycle/LicenseUpdates": ["http/licensing/LicenseUpdates", "http/licensing/Renewals"],
    "licensing/lifecycle/PolicyChanges": ["http/licensing/terms/PolicyChange", "world/http/PolicyDryRuns"],
    "licensing/lifecycle/PolicyReachSql": ["world/http/PolicyDryRuns"],
    "licensing/metering/Balances": ["http/licensing/terms/Balances"],
    "licensing/metering/CountedUses": ["http/licensing/terms/ReportedUsage", "services/licensing/metering/Usage"],
    "licensing/metering/Grants": ["world/http/Grants", "http/licensing/terms/Pools"],
    "licensing/metering/MeteringLayers": ["world/http/Grants"],
    "licensing/metering/Refunds": ["world/http/Grants"],
    "licensing/metering/ReportedUseReads": ["http/licensing/terms/ReportedUsage", "http/licensing/terms/LateUsage"],
    "licensing/metering/ReportedUses": ["http/licensing/terms/ReportedUsage"],
    "licensing/metering/ThresholdEvents": ["world/http/Grants", "http/licensing/terms/UsageWarnings"],
    "licensing/metering/UsageEvents": ["world/http/Grants", "http/licensing/Consume"],
    "licensing/metering/UsageQuery": ["http/licensing/UsageReports"],
    "licensing/metering/UsageSql": ["services/ground/persistence/HotRows", "services/licensing/metering/Usage"],
    "licensing/offline/OfflineFiles": ["http/licensing/terms/OfflineFiles", "http/licensing/Offline"],
    "licensing/seats/Deactivations": ["http/licensing/Runtime", "services/ground/persistence/HotRows"],
    "licensing/seats/SelfService": ["world/http/SelfService"],
    "licensing/seats/SelfServiceSql": ["services/licensing/seats/TrialSql", "world/http/SelfService"],
    "licensing/seats/Trials": ["http/licensing/terms/Trials"],
    "licensing/sightings/DecidedCalls": ["world/http/Rehearsal"],
    "licensing/sightings/SightingLayers": ["world/http/Rehearsal", "http/licensing/Devices"],
    "licensing/sightings/SightingSql": [
      "services/licensing/sightings/DecidedCallSql",
      "services/licensing/sightings/LastSeenSql"
    ],
    "licensing/standings/UserStandings": ["world/http/LicenseUsers"],
    "licensing/users/IssuerKeys": ["world/http/LicenseUsers"],
    "licensing/users/UserMailSignIns": ["world/http/UserMails"],
    "licensing/users/UserSignIns": ["world/http/LicenseUsers", "world/http/UserMails"],
    "licensing/warnings/UsageWarnings": ["http/licensing/terms/UsageWarnings"],
    "log/ActivityRecorder": ["world/http/Activities"],
    "log/DroppedEvents": ["world/commands/Archive"],
    "log/FeedSql": ["services/log/FeedPosition", "services/evidence/retention/LogDropSql"],
    "log/LatestByKind": ["services/delivery/DeliveryHealth", "world/faults/Outage"],
    "log/MerkleLog": ["services/log/Sequencer", "domain/evidence/transparency/MerkleTree", "world/commands/Restore"],
    "log/MerkleLogSql": ["services/log/Sequencer", "services/log/SequencerSql", "services/log/LogEpochSql"],
    "log/Provenance": ["world/http/Edge"],
    "mail/MailLayers": ["world/http/Mails"],
    "mail/MailQueue": [
      "world/http/Mails",
      "world/http/PortalLinks",
      "world/http/PortalTransfers",
      "world/http/UserMails"
    ],
    "mail/MailSettings": ["world/http/Mails", "http/mail/MailTemplates"],
    "mail/MailSuppressions": ["world/http/Mails", "http/mail/MailTemplates"],
    "mail/MailTemplates": ["http/mail/MailTemplates"],
    "mail/MailTransport": ["runtime/node/SmtpTransport"],
    "mail/MailUnsubscribes": ["world/http/Mails"],
    "mail/Mailer": ["world/http/Mails"],
    "people/IdentityProvider": ["http/people/OpenIdConnect"],
    "people/IdentitySignIns": ["http/people/OpenIdConnect"],
    "people/People": ["http/people/People", "http/people/Sessions"],
    "people/PersonActor": ["http/people/Sessions"],
    "people/ProviderSignOuts": ["http/people/ProviderSignOuts"],
    "people/RefusedSignIns": ["http/people/Sessions", "http/people/OpenIdConnect", "http/people/Passkeys"],
    "people/RoleSql": ["services/people/PersonSql", "http/people/People"],
    "people/Roles": ["http/people/People"],
    "people/SessionSql": ["services/people/PersonSql", "http/people/Sessions", "world/http/Jobs"],
    "people/Sessions": ["http/people/Sessions"],
    "people/StandingRights": ["world/http/Jobs", "http/people/Sessions"],
    "people/access/BootstrapTokens": ["runtime/cli/keys/TokenRotate"],
    "people/access/LivePeople": ["world/http/PeopleInTest"],
    "people/access/ManagementKeys": [
      "http/keys/ManagementKeys",
      "services/people/access/KeyLimits",
      "http/keys/LimitedKeyRules",
      "http/people/People"
    ],
    "people/access/ProductReachSql": ["world/http/LimitedKeys", "http/keys/LimitedKeyRules"],
    "people/access/PublishableKeySql": ["services/people/access/ManagementKeySql", "http/licensing/terms/Trials"],
    "people/access/PublishableKeys": ["http/licensing/terms/Trials"],
    "people/access/Scopes": [
      "http/keys/ManagementKeys",
      "http/ground/Refusals",
      "world/http/LimitedKeys",
      "http/keys/LimitedKeyRules"
    ],
    "people/approvals/ApprovalLayers": ["world/http/Approvals"],
    "people/approvals/ApprovalSweeper": ["world/http/Approvals"],
    "people/approvals/Approvals": ["world/http/Approvals"],
    "people/notes/LicenseViews": ["http/jobs/LicenseViews"],
    "people/notes/NoteLayers": ["http/people/Notes", "http/jobs/LicenseViews"],
    "people/notes/NoteSql": ["http/people/Notes"],
    "people/notes/Notes": ["http/people/Notes"],
    "people/passkeys/PasskeyChallenges": ["http/people/Passkeys"],
    "people/passkeys/PasskeyLayers": ["http/people/Passkeys"],
    "people/passkeys/PasskeySignIns": ["http/people/Passkeys"],
    "people/passkeys/Passkeys": ["http/people/Passkeys"],
    "portal/Portal": ["world/http/Portal"],
    "portal/PortalLayers": ["world/http/Portal"],
    "portal/PortalLinks": ["world/http/PortalLinks"],
    "portal/PortalSessions": ["world/http/Portal"],
    "portal/PortalSql": [
      "services/portal/PortalVersionSql",
      "services/portal/PortalUserSql",
      "world/http/PortalLinks",
      "services/portal/PortalLinkSql"
    ],
    "portal/PortalTransfers": ["world/http/PortalTransfers", "world/http/PortalLinks"],
    "portal/PortalUsers": ["world/http/UserMails", "http/portal/PortalReach"],
    "portal/privacy/CustomerErasures": ["world/http/CustomerErasures"],
    "portal/privacy/OwnedSpanSql": [
      "world/http/CustomerErasures",
      "world/http/TransferredOwners",
      "world/http/Approvals",
      "world/http/Jobs",
      "world/http/LicenseUsers"
    ],
    "portal/privacy/UserErasures": [
      "world/http/LicenseUsers",
      "world/http/CustomerErasures",
      "world/http/Approvals",
      "world/http/Jobs"
    ],
    "sales/billing/BillingConnections": ["http/sales/BillingConnections", "services/sales/purchases/PurchaseOwners"],
    "sales/billing/EventBodies": ["http/sales/BillingBodies", "http/sales/Purchases"],
    "sales/billing/Inbox": ["world/http/BillingInbox", "http/sales/Purchases"],
    "sales/billing/InboxSignal": ["http/sales/Purchases"],
    "sales/billing/InboxSql": ["services/sales/purchases/PurchaseSql", "services/sales/billing/ErasedPayerSql"],
    "sales/billing/MappingReachSql": ["services/sales/purchases/PurchaseOwners"],
    "sales/billing/ProviderReader": ["world/http/Reconciliations"],
    "sales/billing/SealedCredentials": ["http/sales/BillingConnections"],
    "sales/purchases/ErasedPurchaseSql": ["http/sales/Purchases"],
    "sales/purchases/ErasedPurchases": ["http/sales/Purchases"],
    "sales/purchases/KnownEvents": ["http/sales/Purchases", "http/sales/BillingConnections"],
    "sales/purchases/PurchaseActor": ["http/sales/Purchases"],
    "sales/purchases/PurchaseColumnsSql": ["http/sales/BillingConnections"],
    "sales/purchases/PurchaseCommands": ["http/sales/Purchases"],
    "sales/purchases/PurchaseReading": ["http/sales/PurchaseReading"],
    "sales/purchases/PurchaseRecords": ["http/sales/Purchases"],
    "sales/purchases/PurchaseRouter": [
      "http/sales/Purchases",
      "world/faults/purchases",
      "http/sales/BillingConnections"
    ],
    "sales/purchases/PurchaseSnapshots": ["world/http/Reconciliations"],
    "sales/purchases/PurchaseUnits": ["http/sales/SoldUnits"],
    "sales/purchases/PurchaseWork": ["http/sales/Purchases"],
    "sales/purchases/Purchases": ["http/sales/Purchases"],
    "sales/purchases/RoutingSql": ["services/sales/purchases/PurchaseSql"],
    "sales/purchases/SnapshotSql": ["world/http/Reconciliations"],
    "sales/purchases/UnitsSql": ["http/sales/SoldUnits"],
    "sales/reconciling/ForeseeingSql": ["world/commands/Purchases"],
    "sales/reconciling/ReconciliationWorker": [
      "world/http/Reconciliations",
      "world/faults/reconciliations",
      "world/commands/Purchases"
    ],
    "sales/reconciling/Reconciliations": ["world/http/Reconciliations"]
  }
  const isTested = (name: string) => existsSync(join(root, `test/${name}.test.ts`))
  const services = sources.filter((path) => path.startsWith("src/services/"))
    .map((path) => relative("src/services", path).slice(0, -".ts".length))

  it("each has a test file of its own, or is listed with those that reach it", () => {
    assert.deepStrictEqual(
      services.filter((name) => !isTested(`services/${name}`) && elsewhere[name] === undefined),
      []
    )
  })

  it("the list is true: what it names is there", () => {
    const wrong = Object.entries(elsewhere).filter(([name, places]) =>
      !services.includes(name) || !places.every(isTested)
    )
    assert.deepStrictEqual(wrong, [])
  })
})

describe("guards of statements", () => {
  /** What a pattern finds in these files: its first group, and where. */
  const foundIn = (paths: ReadonlyArray<string>, pattern: RegExp) =>
    paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, text]) => ({ text: text!, path })))

  const guards = foundIn(sources, /-- guard: (.*)$/gm)

  it("are there, each with a name of its own", () => {
    assert.isAbove(guards.length, 5)
    const names = guards.map(({ text }) => text)
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
  })

  it("each has a test that shows what it keeps out: a title with its name", () => {
    const titles = foundIn(tests, /\bit(?:\.\w+)*(?:\([\w.]+\))?\(\s*["`]([^"`]*)/g).map(({ text }) => text)
    assert.deepStrictEqual(
      guards.filter(({ text }) => !titles.some((title) => title.includes(text))).map(({ path, text }) =>
        `${path}: ${text}`
      ),
      [],
      "write a test on two connections (test/fixtures/Workers.ts) whose title has these words"
    )
  })
})

describe("statements that write licenses", () => {
  /** Where they are, how many, and why each stands apart from the one that management writes with. */
  const writers: Readonly<Record<string, readonly [count: number, reason: string]>> = {
    "src/services/licensing/licenses/LicenseSql.ts": [1, "what management changes of one license: Licenses.write"],
    "src/services/licensing/licenses/IssueSql.ts": [2, "new licenses, and the states in which many begin"],
    "src/services/licensing/licenses/LicenseFeatureSql.ts": [1, "the version of what it grants, beside its features"],
    "src/services/licensing/licenses/DeviceSql.ts": [2, "counters of devices, and of what its owner reset"],
    "src/services/licensing/licenses/FollowingSql.ts": [2, "many licenses that follow a subscription"],
    "src/services/licensing/lifecycle/LicenseSweeperSql.ts": [1, "announcements about many licenses"],
    "src/services/licensing/entitlements/LicenseHistorySql.ts": [1, "the first activation, in a hot transaction"],
    "src/services/licensing/entitlements/SeatSql.ts": [1, "counters of devices, of many licenses in a hot transaction"],
    "src/services/licensing/metering/UsageSql.ts": [1, "counters of usage, of many licenses in a hot transaction"],
    "src/services/catalog/terms/UsedValueSql.ts": [1, "a mark that no event tells of"],
    "src/services/portal/privacy/ErasureSql.ts": [2, "personal values of many licenses"]
  }

  it("are these: a change of one license goes through Licenses.write, and one more statement needs a reason", () => {
    const writing = /\b(?:UPDATE|INSERT INTO|DELETE FROM|MERGE INTO) licenses\b/g
    const found = sources.filter((path) => path.startsWith("src/services/") || path.startsWith("src/http/"))
      .flatMap((path) => {
        const count = [...read(path).replaceAll(/^\s*(?:\/\*)?\*.*$/gm, "").matchAll(writing)].length
        return count === 0 ? [] : [[path, count] as const]
      })
    assert.deepStrictEqual(
      Object.fromEntries(found),
      Object.fromEntries(Object.entries(writers).map(([path, [count]]) => [path, count]))
    )
  })
})
