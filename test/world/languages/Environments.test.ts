// What two verifiers that share no line say of files of each kind from each environment: of those of test, that no license is sold there.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EnvironmentName } from "../../../src/domain/ground/environments/EnvironmentName.ts"
import type { Auditor } from "../../fixtures/Auditor.ts"
import { startAuditor, unlessPython } from "../../fixtures/Auditor.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { exchange } from "../../fixtures/Exchange.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"
import { verifierOver } from "../../fixtures/Verifier.ts"

takeTurns()

const said = "The file is of the test environment, in which no license is sold."
const licenses: Record<EnvironmentName, string> = { live: "", test: "" }
const directories: Readonly<Record<EnvironmentName, string>> = {
  live: temporaryDirectory(),
  test: temporaryDirectory()
}
/** The names of the files of an environment, and their bytes. */
const files: Readonly<Record<EnvironmentName, Map<string, Uint8Array>>> = { live: new Map(), test: new Map() }

/** Makes a file of each kind in an environment. */
const fill = async (name: EnvironmentName, service: Service): Promise<void> => {
  const keep = (file: string, content: string | Uint8Array): void => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    files[name].set(file, bytes)
    writeFileSync(join(directories[name], file), bytes)
  }
  const open = async (path: string) => (await service.call("GET", path, { token: null })).text
  keep("keys.json", await open("/api/v1/system/public-keys"))
  const receiver = await startReceiver()
  const { secret } = await service.data("POST", "/api/v1/webhooks", {
    name: "told",
    url: receiver.url,
    event_types: ["license.*"]
  })
  const sold = await soldUnder(service, [{ max_consumptions: 9 }])
  licenses[name] = sold.key
  assert.strictEqual((await sold.consume(2)).status, 200)
  const to = new Date(Date.now() + 1).toISOString()
  await eventually(
    "the period is over",
    async () => (await sold.consume(1)).status === 200 && Date.now() > Date.parse(to)
  )
  const answer = await service.license("validate", sold.key, { fingerprint: "a" })
  keep("answer.json", answer.text)
  const offline = await service.license("offline", sold.key, { fingerprint: "a" })
  assert.strictEqual(offline.status, 200, offline.text)
  // As a file names its device.
  keep("offline.lic", JSON.stringify({ ...offline.body.data, device_id: answer.body.data.device_id }))

  const { token } = service
  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const headers = { authorization: `Bearer ${token}` }
    const { bytes, status } = await exchange(service.url, path, { method: "GET", headers })
    assert.strictEqual(status, 200, path)
    return new Uint8Array(bytes)
  }
  // Of one license and its period, in each format at once.
  await Promise.all(["json", "pdf", "csv"].map(async (format) => {
    const asked = { report_kind: "statement", format, filters: { license_id: sold.license.id, to } }
    const { id } = await service.data("POST", "/api/v1/reports/exports", asked)
    const path = `/api/v1/reports/exports/${id}`
    await eventually("the export is ready", async () => {
      const { failure, status } = await service.data("GET", path)
      assert.isUndefined(failure, `${name} ${format}`)
      return status === "ready"
    })
    keep(`statement.${format}`, await bytesOf(`${path}/download`))
    keep(`${format}.zip`, await bytesOf(`${path}/archive`))
  }))

  const feed = await service.feed()
  const checkpoint: Body = await eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= feed.length ? body.data : undefined
  })
  const all = feed.slice(0, checkpoint.tree_size).map((event) => JSON.stringify(event))
  keep("events.ndjson", `${[...all, JSON.stringify({ checkpoint: { note: checkpoint.note } })].join("\n")}\n`)
  const event = feed.find(({ event_type }) => event_type === "license.usage_recorded")!
  const proof = await service.data("GET", `/api/v1/events/${event.id}/proof`)
  keep("event.json", JSON.stringify(event))
  keep("proof.json", JSON.stringify(proof))
  keep("event.tlog-proof", proof.tlog_proof)
  const chain = await service.call("GET", `/api/v1/events/chain?license_id=${sold.license.id}&limit=200`)
  keep("chain.json", chain.text)
  const receipt = await service.call("GET", `/api/v1/license/receipt?event_id=${event.data.event_id}`, {
    licenseKey: sold.key
  })
  assert.strictEqual(receipt.status, 200, receipt.text)
  keep("receipt.json", receipt.text)
  const { body, headers } = await eventually("a delivery arrives", async () => receiver.received[0])
  keep("delivery", body)
  keep("headers.json", JSON.stringify(headers))
  keep("secret", secret)
}

let auditor: Auditor

beforeAll(async () => {
  const service = await startService({ as: "host" })
  const inTest = inTestOf(service, testDatabaseOf(service))
  assert.strictEqual(service.token ?? adminToken, adminToken)
  assert.strictEqual(inTest.token, testToken)
  await Promise.all([fill("live", Object.assign(Object.create(service), { token: adminToken })), fill("test", inTest)])
  if (unlessPython === "") auditor = startAuditor()
}, 120_000)

describe("the command", () => {
  it.each([
    "answer.json",
    "offline.lic",
    "statement.json",
    "statement.pdf",
    "json.zip",
    "pdf.zip",
    "csv.zip",
    "events.ndjson",
    "event.tlog-proof",
    "receipt.json"
  ])("says which %s is of the test environment", async (file) => {
    for (const name of ["live", "test"] as const) {
      const run = verifierOver(new Map([...files[name], ["key.txt", new TextEncoder().encode(licenses[name])]]))
      const { out, status } = await run([file, "--keys", "keys.json", "--license-key", "key.txt", "--fingerprint", "a"])
      assert.notStrictEqual(status, 1, `${name} ${out}`)
      assert.include(out, "proven: ", name)
      // Once of each file in it: the file, and the snapshot beside it.
      const reports = out.split(/\n\n/).filter((report) => report.trim() !== "")
      assert.deepStrictEqual(
        reports.map((report) => report.split(said).length - 1),
        reports.map(() => name === "test" ? 1 : 0),
        out
      )
    }
  })
})

describe("the command line of the service", () => {
  it("says which log is of the test environment", async () => {
    for (const name of ["live", "test"] as const) {
      const at = (file: string) => join(directories[name], file)
      const { output, status } = await runCommand(["verify", "events", at("events.ndjson"), "--keys", at("keys.json")])
      assert.strictEqual(status, 0, output)
      assert.strictEqual(output.includes(", of the test environment, chain and tree"), name === "test", output)
    }
  })
})

describe.skipIf(unlessPython !== "")(`the auditor${unlessPython}`, () => {
  const allowing = ["--allow-test"]
  interface Case {
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly more?: (name: EnvironmentName) => ReadonlyArray<string>
  }
  const cases: ReadonlyArray<Case> = [
    { command: "answer", args: ["answer.json"], more: () => allowing },
    {
      command: "offline",
      args: ["offline.lic"],
      more: (name) => ["--license-key", licenses[name], "--fingerprint", "a", ...allowing]
    },
    { command: "receipt", args: ["receipt.json"], more: () => allowing },
    { command: "events", args: ["events.ndjson"] },
    { command: "tlog-proof", args: ["event.tlog-proof"] },
    { command: "proof", args: ["--event", "event.json", "--proof", "proof.json"] },
    { command: "license", args: ["chain.json"] },
    ...["statement.json", "statement.pdf", "json.zip", "pdf.zip", "csv.zip"].map((file): Case => ({
      command: "statement",
      args: [file]
    })),
    { command: "exports", args: ["events.ndjson", "json.zip", "pdf.zip", "csv.zip"] }
  ]

  it.each(cases)(
    "says by its command $command which $args are of the test environment",
    async ({ args, command, more }) => {
      for (const name of ["live", "test"] as const) {
        const at = (file: string) => file.startsWith("--") ? file : join(directories[name], file)
        const all = [command, ...args.map(at), "--keys", at("keys.json"), ...more?.(name) ?? []]
        const [status, output] = await auditor(...all)
        assert.notStrictEqual(status, 1, `${name} ${output}`)
        assert.strictEqual(output.split(said).length - 1, name === "test" ? 1 : 0, `${name}: ${output}`)
      }
    }
  )

  it("says so of a delivery", async () => {
    for (const name of ["live", "test"] as const) {
      const at = (file: string) => join(directories[name], file)
      const secret = new TextDecoder().decode(files[name].get("secret"))
      const [status, output] = await auditor(
        "delivery",
        at("delivery"),
        "--headers",
        at("headers.json"),
        "--secret",
        secret
      )
      assert.strictEqual(status, 0, output)
      assert.strictEqual(output.includes(said), name === "test", output)
    }
  })
})
