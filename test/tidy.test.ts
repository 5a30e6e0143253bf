import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, extname, join, relative } from "node:path"
import { arrowsBetween, circles, readImports, roomOf } from "../build/imports.ts"
import { withPicture } from "../build/picture.ts"
import { rooms } from "../build/rooms.ts"
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

  it("has no file of more than 400 lines in src, but what is generated", () => {
    const written = sources.filter((path) => !path.endsWith(".gen.ts"))
    const long = written.map((path) => [path, read(path).split("\n").length] as const)
    assert.deepStrictEqual(long.filter(([, lines]) => lines > 400), [])
  })

  it("leaves nothing to be done later", () => {
    assert.deepStrictEqual(
      linesWith(code.filter((path) => path !== "test/tidy.test.ts"), /\b(TODO|FIXME|XXX|HACK)\b/),
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

  it("has no folder and no file named after nothing", () => {
    const banned = new Set(["utils", "util", "helpers", "helper", "common", "shared", "types", "misc", "lib"])
    const named = code.filter((path) =>
      `${dirname(path)}/${basename(path, extname(path))}`.toLowerCase().split("/").some((name) => banned.has(name))
    )
    assert.deepStrictEqual(named, [])
  })

  it("names no machine and no place to download from", () => {
    const places = ["registry\\.npmjs", "npm\\.pkg\\.github", "/work/", "_authToken", "/root/\\w"]
    const text = files.filter((path) => isText(path) && path !== "test/tidy.test.ts")
    assert.deepStrictEqual(linesWith(text, new RegExp(places.join("|"))), [])
  })

  it("mirrors src in test: a test file stands in the folder of what it tests", () => {
    // Faults and attacks are of the whole service, the package of the whole client; http is tested as callers see it,
    // across its rooms, and so are terms. The console is tested in a browser, across its rooms. Examples, the clients of other languages and ops are no part of src. Upgrades are from released versions.
    const whole = new Set([
      "",
      "client",
      "clients/python",
      "console",
      "examples",
      "attacks",
      "faults",
      "http/terms",
      "ops",
      "upgrades"
    ])
    const folders = new Set(["http", ...sources.map((path) => relative("src", dirname(path)))])
    const misplaced = tests.map((path) => [path, relative("test", dirname(path))] as const).filter(([, folder]) =>
      !whole.has(folder) && !folders.has(folder)
    )
    assert.deepStrictEqual(misplaced, [])
  })

  it("says its version in package.json only", () => {
    const programs = code.filter((path) => /^(src|bench|build|examples)\//.test(path))
    assert.deepStrictEqual(
      linesWith(programs, new RegExp(`["'\`]${manifest.version.replaceAll(".", "\\.")}["'\`]`)),
      []
    )
  })
})

describe("rooms", () => {
  const imports = readImports(root)
  const withRooms = Object.entries(rooms)

  it("no file stands directly in src/services or src/domain", () => {
    assert.deepStrictEqual(sources.filter((path) => /^src\/(services|domain)\/[^/]+$/.test(path)), [])
  })

  it("build/rooms.ts has a row for every room, and no other", () => {
    const there = withRooms.flatMap(([floor]) =>
      readdirSync(join(root, "src", floor), { withFileTypes: true })
        .filter((entry) => entry.isDirectory()).map(({ name }) => `${floor}/${name}`)
    )
    const listed = withRooms.flatMap(([floor, known]) => Object.keys(known).map((name) => `${floor}/${name}`))
    assert.deepStrictEqual(there.toSorted(), listed.toSorted())
  })

  it("each holds 2 to 15 files", () => {
    const sizes = withRooms.filter(([floor]) => floor !== "http").flatMap(([floor, known]) =>
      Object.keys(known).map((name) => {
        const room = `${floor}/${name}`
        return [room, sources.filter((path) => roomOf(path) === room).length] as const
      })
    )
    assert.deepStrictEqual(sizes.filter(([, size]) => size < 2 || size > 15), [])
  })

  it("are imported from the ground up: a row of build/rooms.ts names rows above it only", () => {
    // The rooms of http serve each other.
    const upwards = withRooms.filter(([floor]) => floor !== "http").flatMap(([floor, known]) => {
      const order = Object.keys(known)
      return Object.entries(known).flatMap(([name, { imports }], index) =>
        imports.filter((imported) => !order.slice(0, index).includes(imported)).map((imported) =>
          `${floor}: ${name} -> ${imported}`
        )
      )
    })
    assert.deepStrictEqual(upwards, [])
  })

  it("none is on a circle of imports, types included", () => {
    const onFloors = arrowsBetween(imports, (path) => /^src\/(services|domain)\//.test(path) ? roomOf(path) : undefined)
    assert.deepStrictEqual(circles(onFloors), [])
  })

  it("ARCHITECTURE.md shows them as they are: npm run docs:picture draws them anew", () => {
    const document = read("ARCHITECTURE.md")
    assert.strictEqual(document, withPicture(root, document))
  })
})

describe("services", () => {
  /** Those without a test file of their own, and where they are tested: mostly as callers see them, through the API. */
  const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
    "access/BootstrapTokens": ["runtime/cli/TokenRotate"],
    "access/ManagementKeys": ["http/ManagementKeys"],
    "access/PublishableKeys": ["http/terms/Trials"],
    "access/Scopes": ["http/ManagementKeys", "http/Refusals"],
    "admission/Admission": ["http/Door", "domain/admission/LoadControl"],
    "admission/KnownCredentials": ["http/RateLimits"],
    "admission/RateLimits": ["http/RateLimits", "http/Edge"],
    "audit/ActivityQuery": ["http/Activities"],
    "audit/CursorReader": ["services/audit/ConsistencyCheck"],
    "audit/LogBaseline": ["runtime/cli/Archive"],
    "audit/PrunedTables": ["http/Pruning"],
    "audit/RefusalLog": ["http/Activities"],
    "audit/ReplayedTables": ["services/audit/ConsistencyCheck"],
    "audit/WholeLogSql": ["http/Explain", "services/audit/ConsistencyCheck"],
    "catalog/CrudResource": ["http/Catalogue"],
    "catalog/CustomFields": ["http/CustomFields"],
    "catalog/Features": ["http/Catalogue"],
    "catalog/Policies": ["http/Catalogue"],
    "catalog/ProductVersions": ["http/Versions"],
    "catalog/Products": ["http/Catalogue"],
    "commerce/CustomerSearch": ["http/ListFilters"],
    "commerce/Customers": ["http/Catalogue"],
    "commerce/LinkChecks": ["http/LicenseOrigin"],
    "commerce/Orders": ["http/Commerce"],
    "commerce/Subscriptions": ["http/Commerce"],
    "delivery/DeliveryMetrics": ["services/delivery/DeliveryLayer"],
    "delivery/DeliveryMinutes": ["services/delivery/DeliveryHealth"],
    "delivery/EndpointDirectory": ["services/delivery/Dispatcher", "services/delivery/DeliveryLayer"],
    "delivery/EndpointLane": ["services/delivery/EndpointActor"],
    "delivery/FeedBuffer": ["services/delivery/DeliveryLayer"],
    "delivery/LaneAttempts": ["services/delivery/EndpointActor"],
    "delivery/LaneReads": ["services/delivery/EndpointActor"],
    "delivery/LaneStore": ["services/delivery/DeliveryLayer"],
    "delivery/Sender": ["services/delivery/DeliveryLayer"],
    "entitlements/EntitlementState": ["http/Runtime", "domain/entitlements/Decision"],
    "entitlements/EntitlementStateSql": ["http/Runtime"],
    "admission/QuestionGroups": ["services/entitlements/Validations", "http/Floating"],
    "seats/Deactivations": ["http/Runtime", "services/persistence/HotRows"],
    "seats/SelfService": ["http/terms/SelfService"],
    "terms/SelfServiceTerms": ["http/terms/SelfService"],
    "entitlements/RuntimeWrites": ["http/Groups", "http/Consume"],
    "entitlements/SeatRows": ["services/persistence/HotRows", "http/Groups"],
    "entitlements/Explanations": ["http/Explain"],
    "entitlements/LicenseHistory": ["http/Explain"],
    "entitlements/LicenseStandingReader": ["http/Explain"],
    "seats/Trials": ["http/terms/Trials"],
    "events/ActivityRecorder": ["http/Activities"],
    "events/DroppedEvents": ["runtime/cli/Archive"],
    "events/FeedCursor": ["runtime/cli/Restore", "runtime/cli/Archive"],
    "events/FeedSignal": ["services/events/Sequencer"],
    "events/LatestByKind": ["services/delivery/DeliveryHealth", "services/delivery/Outage"],
    "events/LogEpochs": ["runtime/cli/Restore"],
    "events/MerkleLog": ["services/events/Sequencer", "domain/transparency/MerkleTree"],
    "events/Provenance": ["http/Edge"],
    "events/SequencerSignal": ["services/events/Sequencer"],
    "exports/ExportFreezer": ["http/ReportExports", "faults/exports"],
    "exports/ExportMetrics": ["runtime/Metrics"],
    "exports/ExportRenderer": ["http/ReportExports", "runtime/cli/VerifyExport"],
    "exports/ExportRow": ["http/ReportExports"],
    "exports/ExportSignal": ["http/ReportExports"],
    "entitlements/Answers": ["http/Runtime"],
    "entitlements/DecisionMetrics": ["runtime/Metrics"],
    "entitlements/Replays": ["http/Replays", "services/access/Idempotency"],
    "events/EventRecords": ["services/events/Events"],
    "events/RecordedEvent": ["services/events/Events", "runtime/cli/Seed"],
    "exports/ExportPieces": ["http/ReportExports", "http/CustomerErasures"],
    "exports/ExportStore": ["http/ReportExports", "faults/exports"],
    "exports/PieceWriter": ["http/ReportExports", "faults/exports"],
    "exports/ExportWorker": ["http/ReportExports", "faults/exports"],
    "exports/ReportExports": ["http/ReportExports"],
    "floating/Checkins": ["http/Groups", "http/Floating"],
    "floating/Checkouts": ["http/Groups", "http/Floating"],
    "floating/LeaseExtensions": ["http/Floating"],
    "floating/LeaseSql": ["services/persistence/HotRows", "http/Floating"],
    "floating/LeaseSweeper": ["http/Floating"],
    "floating/LeaseTokens": ["http/Floating"],
    "floating/Leases": ["http/Floating", "http/FloatingSchedules"],
    "licenses/Devices": ["http/Devices"],
    "offline/Offline": ["http/Offline"],
    "offline/OfflineFiles": ["http/terms/OfflineFiles"],
    "offline/OfflineSealing": ["http/Offline"],
    "licenses/LeaseClosing": ["http/Floating", "http/Devices"],
    "licenses/LicenseBatches": ["http/Bulk"],
    "licenses/LicenseSearch": ["http/ListFilters"],
    "licenses/LicenseFeatures": ["http/Licenses", "http/UsageReset"],
    "lifecycle/LicenseKeys": ["http/LicenseKeys"],
    "lifecycle/LicenseRenewals": ["http/Renewals"],
    "lifecycle/LicenseTransfers": ["http/Transfers"],
    "lifecycle/LicenseUpdates": ["http/Renewals"],
    "lifecycle/PolicyChanges": ["http/terms/PolicyChange"],
    "licenses/SubscriptionFollowing": ["http/terms/Subscriptions"],
    "licenses/Licenses": ["http/Licenses", "http/Lists"],
    "licenses/DeviceComponents": ["http/terms/Components"],
    "licenses/DeviceBindings": ["services/persistence/HotRows", "http/Groups"],
    "metering/UsageSql": ["services/persistence/HotRows", "services/metering/Usage"],
    "metering/UsageQuery": ["http/UsageReports"],
    "persistence/DatabaseClock": ["http/ClockSkew"],
    "persistence/GroupTransactions": ["http/Groups", "runtime/postgres/Database"],
    "persistence/DeliverySql": ["runtime/postgres/Database"],
    "persistence/Identifiers": ["domain/wire/Id", "http/Edge", "http/ClockSkew"],
    "persistence/KeysetPagination": ["http/Lists", "http/Failures"],
    "persistence/RowToWire": ["http/Catalogue"],
    "persistence/SweepLocks": ["services/lifecycle/LicenseSweeper", "http/Floating"],
    "persistence/TextSearch": ["http/ListFilters"],
    "persistence/Transaction": ["services/events/Events"],
    "platform/Compression": ["http/ReportExports", "faults/exports"],
    "platform/Cryptography": ["runtime/node/NodeCryptography"],
    "platform/DatabaseHealth": ["runtime/Server"],
    "platform/Guides": ["http/Pages"],
    "platform/Halt": ["services/transparency/WitnessKeeper"],
    "platform/MetricsExposition": ["http/Contract"],
    "platform/QuestionSql": ["runtime/postgres/Database"],
    "platform/Readiness": ["runtime/Server"],
    "platform/Settings": ["runtime/config/Config"],
    "platform/Sweeps": ["runtime/Metrics"],
    "platform/SeriesFromStart": ["runtime/Metrics"],
    "reports/releaseMemory": ["services/reports/RecordCells"],
    "platform/Transport": ["runtime/node/UndiciTransport"],
    "privacy/CustomerErasures": ["http/CustomerErasures"],
    "privacy/ExportErasure": ["http/CustomerErasures"],
    "reports/OpenedReport": ["services/reports/ReportSource"],
    "reports/ReportCursor": ["services/reports/ReportSource"],
    "reports/Reports": ["http/UsageReports", "http/Activities"],
    "reports/SubjectReports": ["http/UsageReports"],
    "reports/UsageReports": ["http/UsageReports"],
    "security/DataKeys": ["services/security/Vault"],
    "security/KeyWrapping": ["services/security/Vault"],
    "security/Revocations": ["http/Offline"],
    "security/SignedByKey": ["runtime/cli/KeysRevoke"],
    "security/Signing": ["http/Runtime"],
    "retention/LogArchive": ["runtime/cli/Archive"],
    "retention/LogDrop": ["runtime/cli/Archive"],
    "retention/Pruner": ["http/Pruning"],
    "terms/FeatureGrants": ["http/terms/PolicyFeatures"],
    "terms/OverageEvents": ["http/terms/Overage"],
    "terms/TermsSql": ["http/terms/Overrides"],
    "catalog/PolicyFeatures": ["http/terms/PolicyFeatures"],
    "entitlements/LicenseStarts": ["http/terms/Durations"],
    "transparency/EventProofs": ["http/EventEvidence"],
    "transparency/LogContinuity": ["services/transparency/WitnessKeeper", "runtime/cli/Restore"],
    "transparency/UnfinishedRestore": ["runtime/cli/Backup"],
    "transparency/Witness": ["runtime/node/WitnessPlaces"],
    "webhooks/LostMasterKey": ["runtime/cli/KeysReplaceLost"],
    "webhooks/MasterKeyChange": ["services/security/Vault", "runtime/cli/KeysRewrap"],
    "webhooks/ReceiverAddresses": ["runtime/node/UndiciTransport", "services/webhooks/WebhookEndpoints"],
    "webhooks/WebhookColumns": ["services/webhooks/WebhookEndpoints"],
    "webhooks/WebhookSecrets": ["services/webhooks/WebhookEndpoints"]
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
