import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, extname, join, relative } from "node:path"

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
const code = files.filter((path) => extname(path) === ".ts")
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

  it("has no file of more than 400 lines in src", () => {
    const long = sources.map((path) => [path, read(path).split("\n").length] as const)
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
      `${dirname(path)}/${basename(path, ".ts")}`.toLowerCase().split("/").some((name) => banned.has(name))
    )
    assert.deepStrictEqual(named, [])
  })

  it("names no machine and no place to download from", () => {
    const places = ["registry\\.npmjs", "npm\\.pkg\\.github", "/work/", "_authToken", "/root/\\w"]
    const text = files.filter((path) => isText(path) && path !== "test/tidy.test.ts")
    assert.deepStrictEqual(linesWith(text, new RegExp(places.join("|"))), [])
  })

  it("mirrors src in test: a test file stands where what it tests does", () => {
    const rooms = new Set(readdirSync(join(root, "src")))
    // Faults and attacks are of the whole service.
    const whole = new Set(["faults", "attacks"])
    const misplaced = tests.map((path) => relative("test", path).split("/")).filter(([room = "", file]) =>
      file !== undefined && !whole.has(room) && !rooms.has(room)
    )
    assert.deepStrictEqual(misplaced, [])
  })
})

describe("services", () => {
  /** Those without a test file of their own, and where they are tested: as callers see them, through the API. */
  const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
    Admission: ["http/Door", "domain/LoadControl"],
    BootstrapTokens: ["runtime/TokenRotate"],
    DataKeys: ["services/Vault"],
    KeyWrapping: ["services/Vault"],
    MasterKeyChange: ["services/Vault", "runtime/KeysRewrap"],
    ActivityLog: ["http/Activities"],
    ActivityQuery: ["http/Activities"],
    RefusalLog: ["http/Activities"],
    ExportFreezer: ["http/ReportExports", "faults/exports"],
    ExportRenderer: ["http/ReportExports", "runtime/VerifyExport"],
    ExportRow: ["http/ReportExports"],
    ExportSignal: ["http/ReportExports"],
    ExportStore: ["http/ReportExports", "faults/exports"],
    ExportWorker: ["http/ReportExports", "faults/exports"],
    ReportExports: ["http/ReportExports"],
    ReportRows: ["services/ReportSource"],
    Reports: ["http/UsageReports", "http/Activities"],
    SubjectReports: ["http/UsageReports"],
    UsageQuery: ["http/UsageReports"],
    UsageReports: ["http/UsageReports"],
    Cryptography: ["runtime/NodeCryptography"],
    Checkpoints: ["http/EventEvidence"],
    CustomerErasures: ["http/CustomerErasures"],
    ErasedExports: ["http/CustomerErasures"],
    EventProofs: ["http/EventEvidence"],
    EventTree: ["services/Sequencer", "domain/MerkleTree"],
    CommerceLinks: ["http/LicenseOrigin"],
    Customers: ["http/Catalogue"],
    CustomFields: ["http/CustomFields"],
    CustomFieldValues: ["http/CustomFields"],
    DatabaseClock: ["http/ClockSkew"],
    DatabaseHealth: ["runtime/Server"],
    Devices: ["http/Devices"],
    Explanations: ["http/Explain"],
    Features: ["http/Catalogue", "http/FeatureArchive"],
    FeedCursor: ["runtime/Restore"],
    Halt: ["services/WitnessKeeper"],
    Identifiers: ["domain/Id", "http/Edge", "http/ClockSkew"],
    KnownCredentials: ["http/RateLimits"],
    Keyset: ["http/Lists", "http/Failures"],
    LeaseEndings: ["http/Floating", "http/Devices"],
    Leases: ["http/Floating", "http/FloatingSchedules"],
    LeaseSweeper: ["http/Floating"],
    LicenseBatches: ["http/Bulk"],
    LicenseFeatures: ["http/Licenses", "http/UsageReset"],
    LicenseKeys: ["http/LicenseKeys"],
    LicensePast: ["http/Explain"],
    LicensePresent: ["http/Explain"],
    LicenseRenewals: ["http/Renewals"],
    Licenses: ["http/Licenses", "http/Lists"],
    LicenseTransfers: ["http/Transfers"],
    LicenseUpdates: ["http/Renewals"],
    LogContinuity: ["services/WitnessKeeper", "runtime/Restore"],
    LogEpochs: ["runtime/Restore"],
    ManagementKeys: ["http/ManagementKeys"],
    MetricsExposition: ["http/Contract"],
    Offline: ["http/Offline"],
    Revocations: ["http/Offline"],
    Orders: ["http/Commerce"],
    Policies: ["http/Catalogue"],
    Products: ["http/Catalogue"],
    ProductVersions: ["http/Versions"],
    QuestionSql: ["runtime/Database"],
    RateLimits: ["http/RateLimits", "http/Edge"],
    Readiness: ["runtime/Server"],
    RequestContext: ["http/Edge"],
    Replays: ["services/Idempotency"],
    ReplayedTables: ["services/Doctor"],
    Resource: ["http/Catalogue"],
    Row: ["http/Catalogue"],
    RuntimeSnapshot: ["http/Runtime", "domain/Decision"],
    Scopes: ["http/ManagementKeys", "http/Refusals"],
    Settings: ["runtime/Config"],
    Signing: ["http/Runtime"],
    SnapshotQuery: ["http/Runtime"],
    Subscriptions: ["http/Commerce"],
    Transaction: ["services/Events"],
    SweepLocks: ["services/LicenseSweeper", "http/Floating"],
    UsageBatch: ["services/Usage", "http/Consume"],
    // The parts of delivery are tested as one.
    DeliveryEvents: ["services/Delivery"],
    DeliveryMetrics: ["services/Delivery"],
    DeliveryMinutes: ["services/WebhookHealth"],
    DeliverySql: ["runtime/Database"],
    EndpointDirectory: ["services/Dispatcher", "services/Delivery"],
    Feed: ["services/Delivery"],
    FeedSignal: ["services/Sequencer"],
    Lane: ["services/EndpointActor"],
    LaneJournal: ["services/Delivery"],
    LaneStore: ["services/Delivery"],
    Sender: ["services/Delivery"],
    NewestEvents: ["services/WebhookHealth", "services/Outage"],
    ReceiverAddresses: ["runtime/UndiciTransport", "services/WebhookEndpoints"],
    SequencerSignal: ["services/Sequencer"],
    Transport: ["runtime/UndiciTransport"],
    WebhookHealth: ["services/Delivery"],
    WebhookRow: ["services/WebhookEndpoints"],
    WebhookSecrets: ["services/WebhookEndpoints"],
    Witness: ["runtime/WitnessPlaces"],
    WholeLog: ["http/Explain", "services/Doctor"]
  }
  const isTested = (name: string) => existsSync(join(root, `test/${name}.test.ts`))
  const services = sources.filter((path) => path.startsWith("src/services/")).map((path) => basename(path, ".ts"))

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
