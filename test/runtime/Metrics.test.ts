import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { hasProgram, readRoot } from "../fixtures/OpsFiles.ts"
import type { Issued, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"

let service: Service
/** What the first scrape of a fresh service finds. */
let first: string

const scrape = async (): Promise<string> => (await service.call("GET", "/metrics", { token: null })).text

/** The value of the series whose labels are these, in the order of `/metrics`. */
const valueIn = (text: string, series: string): number => {
  const line = text.split("\n").find((line) => line.startsWith(`${series} `))
  assert.isDefined(line, series)
  return Number(line!.slice(series.length + 1))
}

/** Names of the list of docs/reference/operations.md, with their kinds. */
const listed = new Map(
  [...readRoot("docs/reference/operations.md").matchAll(/^- `(\w+)`, (\w+): /gm)].map((
    [, name, kind]
  ) => [name!, kind!])
)

/** What is said of each metric by comments of one sort. */
const comments = (text: string, sort: "HELP" | "TYPE" | "UNIT"): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(new RegExp(`^# ${sort} (\\S+) (.*)$`, "gm"))].map(([, name, words]) => [name!, words!]))

beforeAll(async () => {
  service = await startService({ as: "host" })
  first = await scrape()
})

describe("/metrics of a fresh service", () => {
  it("has each metric that is listed, of the kind that is said", () => {
    assert.isAbove(listed.size, 50)
    const types = comments(first, "TYPE")
    const found = [...listed.keys()].map((name) => [name, types.get(name)])
    assert.deepStrictEqual(found, [...listed])
  })

  it("has no other but those of the cluster's library, which are described as well", () => {
    const help = comments(first, "HELP")
    assert.deepStrictEqual(
      [...help.keys()].filter((name) => !listed.has(name) && !/^(target_info|effect_cluster_\w+)$/.test(name)),
      []
    )
    for (const [name, words] of help) assert.notInclude(words, "missing", name)
  })

  it("has a series of each, and begins what is counted of apps and of refusals at zero", () => {
    for (const [name, kind] of listed) {
      assert.match(first, new RegExp(`^${name}${kind === "histogram" ? "_count" : ""}[{ ]`, "m"), name)
    }
    for (
      const series of [
        "countersign_decisions_total{operation=\"validate\",code=\"granted\"}",
        "countersign_decisions_total{operation=\"checkin\",code=\"LEASE_EXPIRED\"}",
        "countersign_consumed_units_total",
        "countersign_http_refused_total{reason=\"overloaded\"}",
        "countersign_rate_limited_total{limit=\"token\"}",
        "countersign_unauthenticated_total{reason=\"token_revoked\"}",
        "countersign_database_connection_failures_total",
        "countersign_delivery_attempts_total{outcome=\"tls\"}",
        "countersign_exports{state=\"running\"}",
        "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_route=\"/readyz\",http_response_status_code=\"503\"}"
      ]
    ) {
      assert.strictEqual(valueIn(first, series), 0, series)
    }
  })

  it("says the unit of what has one", () => {
    const units = comments(first, "UNIT")
    for (const name of listed.keys()) {
      assert.strictEqual(units.get(name), /_(seconds|bytes)(_total)?$/.exec(name)?.[1], name)
    }
  })

  it("says what runs", () => {
    assert.match(first, /^countersign_build_info\{version="\d[^"]*",node="v\d[^"]*",postgres="\d[^"]*"\} 1$/m)
    assert.isAbove(valueIn(first, "process_start_time_seconds"), 1.7e9)
    assert.isAbove(valueIn(first, "process_cpu_seconds_total"), 0)
    assert.isAbove(valueIn(first, "nodejs_heap_limit_bytes"), valueIn(first, "nodejs_heap_used_bytes"))
    if (process.platform === "linux") {
      assert.isAbove(valueIn(first, "process_open_fds"), 2)
      assert.isAbove(valueIn(first, "process_max_fds"), valueIn(first, "process_open_fds"))
    }
  })

  // Debian's package `prometheus` has promtool.
  it.skipIf(!hasProgram("promtool"))("passes promtool, but for a name that is OpenTelemetry's", () => {
    const { stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input: first, encoding: "utf8" })
    assert.deepStrictEqual((stdout + stderr).split("\n").filter((line) => line !== ""), [
      "db_client_connection_count non-histogram and non-summary metrics should not have \"_count\" suffix"
    ])
  })
})

describe("decisions", () => {
  let issued: Issued
  const decisions = async (operation: string, code: string) =>
    valueIn(await scrape(), `countersign_decisions_total{operation="${operation}",code="${code}"}`)

  beforeAll(async () => {
    issued = await service.issue({ policy: { license_type: "consumption", max_activations: 1 } })
    const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "X",
      code: "x"
    })
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, { feature_id: feature.id })
  })

  it("are counted by operation and code", async () => {
    const device = { fingerprint: "one" }
    refused(await service.license("validate", issued.key, device), 404, "DEVICE_NOT_ACTIVATED")
    assert.strictEqual((await service.license("activate", issued.key, device)).status, 200)
    refused(await service.license("activate", issued.key, { fingerprint: "two" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual((await service.license("validate", issued.key, device)).status, 200)
    assert.strictEqual((await service.license("validate", issued.key, device)).status, 200)
    assert.strictEqual(await decisions("validate", "DEVICE_NOT_ACTIVATED"), 1)
    assert.strictEqual(await decisions("activate", "granted"), 1)
    assert.strictEqual(await decisions("activate", "ACTIVATION_LIMIT_EXCEEDED"), 1)
    assert.strictEqual(await decisions("validate", "granted"), 2)
  })

  it("are counted once, however often their answer is given; and units as they are counted", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const body = { fingerprint: "one", feature_code: "x", amount: 7, event_id: randomUUID() }
    for (let time = 0; time < 3; time++) {
      const answer = await service.license("consume", issued.key, body, headers)
      assert.strictEqual(answer.status, 200, answer.text)
    }
    assert.strictEqual(await decisions("consume", "granted"), 1)
    assert.strictEqual(valueIn(await scrape(), "countersign_consumed_units_total"), 7)
    refused(
      await service.license("consume", issued.key, { ...body, feature_code: "y", event_id: randomUUID() }),
      403,
      "FEATURE_NOT_ENTITLED"
    )
    assert.strictEqual(valueIn(await scrape(), "countersign_consumed_units_total"), 7)
  })
})

describe("the database", () => {
  it("has its statements timed by what they do to which table, in few words", async () => {
    await service.call("GET", "/api/v1/licenses")
    // Which is when the last event has its place.
    await service.feed()
    const text = await scrape()
    const names = [...text.matchAll(/^db_client_operation_duration_seconds_count\{operation="([^"]*)"\} (\d+)/gm)]
    assert.isAbove(names.length, 10)
    for (const [, name] of names) assert.match(name!, /^[A-Za-z]+( [a-z_]+)?$/)
    for (const name of ["COMMIT", "SELECT licenses", "UPDATE event_chain"]) {
      assert.isAbove(Number(names.find(([, found]) => found === name)?.[2]), 0, name)
    }
  })

  it("has its pools counted", async () => {
    const text = await scrape()
    const ofApi = "db_client_connection_pool_name=\"api\""
    assert.strictEqual(valueIn(text, `db_client_connection_max{${ofApi}}`), 10)
    // One listens for as long as the node runs.
    assert.isAtLeast(valueIn(text, `db_client_connection_count{${ofApi},db_client_connection_state="used"}`), 1)
    assert.isAbove(valueIn(text, `db_client_connection_wait_time_seconds_count{${ofApi}}`), 0)
    assert.strictEqual(valueIn(text, "countersign_database_connection_failures_total"), 0)
  })
})
