import { Effect, Redacted } from "effect"
import { adminTokenOf } from "../../src/runtime/environments/EnvironmentSettings.ts"
import { fillUsage } from "../export/UsageHistory.ts"
import { runSql } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import { counterMark, requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import { BenchError, masterKey } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import type { Worker } from "../harness/Worker.ts"

/** Callers of test at once, and those who make exports. */
const callers = 16
const exporters = 2

/** Uses in each export. */
const exportedRows = 20_000

const licenses = 20

/** What somebody does in test as fast as it lets him, for so long; answers how often it was done in a second. */
export type Loop = (seconds: number) => Effect.Effect<number, BenchError>

const testToken = Redacted.value(adminTokenOf("test", Redacted.make(Buffer.from(masterKey, "base64")), 0))

const authorization = `Bearer ${testToken}`

/** Calls of the management API in test. */
const inTest = ({ call }: ServiceProcess): ServiceProcess["call"] => (method, path, body, headers = {}) =>
  call(method, path, body, { authorization, ...headers })

const databaseOfTest = (live: string): string => {
  const url = new URL(live)
  const named = url.searchParams.get("dbname")
  if (named !== null) url.searchParams.set("dbname", `${named}_test`)
  else url.pathname += "_test"
  return url.href
}

/** Makes exports one after the other, each as soon as the one before it is ready. */
const exporting = (call: ServiceProcess["call"]): Loop => (seconds) => {
  const began = performance.now()
  const until = began + seconds * 1000
  let made = 0
  const one = Effect.tryPromise({
    try: async () => {
      const path = "/api/v1/reports/exports"
      const { id } = await call("POST", path, { report_kind: "usage-ledger", format: "csv" })
      for (;;) {
        const { status } = await call("GET", `${path}/${id}`)
        if (status === "ready") return (made += 1)
        if (status === "failed") throw new Error(`The export ${id} failed`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })
  const exporter = Effect.repeat(one, { while: () => performance.now() < until })
  return Effect.map(
    Effect.all(Array.from({ length: exporters }, () => exporter), { concurrency: "unbounded" }),
    // The last ones end when live has ended, which they give way to.
    () => made * 1000 / (performance.now() - began)
  )
}

/** Fills the test environment of a service, and answers the loops that run in it. */
export const makeLoops = Effect.fnUntraced(function*(
  service: ServiceProcess,
  liveUrl: string,
  load: Worker<LoadQuestion, LoadAnswer>
) {
  const call = inTest(service)
  const issued = yield* issueLicenses({ ...service, call }, licenses)
  const databaseUrl = databaseOfTest(liveUrl)
  yield* fillUsage(databaseUrl, exportedRows)
  yield* runSql(databaseUrl, [["ANALYZE", []]])
  const { port } = service
  const asking = (requests: ReadonlyArray<Uint8Array>): Loop => (seconds) =>
    // The last request of each caller is answered when live has ended, which it gives way to.
    Effect.map(load.ask({ port, requests, callers, seconds }), ({ succeeded }) =>
      Math.max(0, succeeded - callers) / seconds)
  const validates = issued.map(({ fingerprint, licenseKey }) =>
    requestBytes(port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
      fingerprint,
      nonce: "n-0123456789"
    })
  )
  const product = requestBytes(port, "POST", "/api/v1/products", { Authorization: authorization }, {
    name: "Bench",
    code: `loop-${Date.now().toString(36)}-${counterMark}`
  })
  return { validates: asking(validates), writes: asking([product]), exports: exporting(call) }
})
