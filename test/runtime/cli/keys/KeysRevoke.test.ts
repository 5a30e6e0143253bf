import { assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EnvelopeError, keySet, verifyEnvelope, verifyOffline } from "../../../../src/client/verify/index.ts"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { run, temporaryDirectory } from "../../../fixtures/Program.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import { database, eventually } from "../../../fixtures/Session.ts"

const slow = 120_000
const exports = "/api/v1/reports/exports"
const publicKeys = "/api/v1/system/public-keys"
const directory = temporaryDirectory()
const file = (name: string): string => join(directory, name)

let service: Service
let settings: Readonly<Record<string, string>>
/** What the first key signed. */
const kept = { answer: "", envelope: "", deviceId: "", licenseKey: "", first: "", second: "" }

const cli = (...args: ReadonlyArray<string>) => runCommand(args, settings)

/** What a key signs, of every kind, and then a rotation. */
beforeAll(async () => {
  const databaseUrl = await database()
  service = await startService({ databaseUrl })
  settings = {
    DATABASE_URL: databaseUrl,
    COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    COUNTERSIGN_ADMIN_TOKEN: adminToken
  }
  const { key, license } = await service.issue({ policy: { max_activations: 2 } })
  kept.licenseKey = key
  const activated = await service.license("activate", key, { fingerprint: "f" })
  kept.answer = activated.text
  kept.deviceId = activated.body.data.device_id
  kept.first = activated.body.signature.kid
  const offline = await service.license("offline", key, { fingerprint: "f" })
  assert.strictEqual(offline.status, 200, offline.text)
  kept.envelope = JSON.stringify(offline.body.data)
  const made = await service.call("POST", `/api/v1/licenses/${license.id}/offline-files`, {
    body: { fingerprint: "away", license_key: key }
  })
  assert.strictEqual(made.status, 201, made.text)
  const { id } = await service.data("POST", exports, {
    report_kind: "usage-summary",
    format: "json",
    filters: { bucket: "1d", group_by: "customer_id" }
  })
  const written = async (name: string, path: string, isOpen = false) => {
    const { status, text } = await service.call("GET", path, isOpen ? { token: null } : {})
    assert.strictEqual(status, 200, text)
    writeFileSync(file(name), text)
  }
  await eventually(
    "the export is ready",
    async () => (await service.data("GET", `${exports}/${id}`)).status === "ready"
  )
  await written("export.json", `${exports}/${id}/download`)
  await written("manifest.json", `${exports}/${id}/manifest`)
  const { sequence } = (await service.feed()).at(-1)
  await eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= sequence
  })
  const base = ["--base", service.url, "--token", adminToken]
  const fed = await runCommand(["events", "export", ...base, "--out", file("events.ndjson")])
  assert.strictEqual(fed.status, 0, fed.errors)
  const rotated = await cli("keys", "rotate", "--json")
  kept.second = JSON.parse(rotated.output)[0].kid
  await written("keys.json", publicKeys, true)
}, slow)

const verify = (what: "events" | "export", ...more: ReadonlyArray<string>) =>
  runCommand([
    "verify",
    what,
    ...what === "events" ? [file("events.ndjson")] : [file("export.json"), "--manifest", file("manifest.json")],
    "--keys",
    file("keys.json"),
    ...more
  ])

const rejected = (attempt: Promise<unknown>): Promise<EnvelopeError> =>
  attempt.then(() => assert.fail("It was accepted"), (error) => {
    assert.instanceOf(error, EnvelopeError)
    return error
  })

describe("countersign keys revoke", () => {
  it("refuses an active key, and one that there is not", async () => {
    const active = await cli("keys", "revoke", kept.second, "--yes")
    assert.strictEqual(`${active.status} ${active.output}`, "1 ")
    assert.include(active.errors, "Rotate first, then revoke the retired key.")
    const none = await cli("keys", "revoke", "sig_none", "--yes")
    assert.strictEqual(`${none.status} ${none.output}`, "1 ")
    assert.include(none.errors, "sig_none: signing key not found.")
  })

  it("says what the key signed before it asks, and does nothing where nobody can answer", async () => {
    for (const what of ["events", "export"] as const) {
      const verdict = await verify(what)
      assert.strictEqual(verdict.status, 0, verdict.output + verdict.errors)
    }
    const idle = await run(["src/runtime/cli.ts", "keys", "revoke", kept.first], settings)
    assert.strictEqual(`${idle.status} ${idle.output}`, "2 ", idle.errors)
    assert.include(idle.errors, `Signatures of ${kept.first} will no longer verify`)
    assert.include(idle.errors, "1 offline envelope and 1 file for offline machines")
    assert.match(idle.errors, /\d checkpoints? of the log, the last over \d+ events/)
    assert.include(idle.errors, "1 export of reports")
    assert.include(idle.errors, "Add --yes")
    assert.lengthOf(await service.data("GET", publicKeys), 2)
  })

  it("ends what the key signed: every verifier reports it as revoked on that date", async () => {
    const revoked = await cli("keys", "revoke", kept.first, "--yes", "--json")
    assert.strictEqual(revoked.status, 0, revoked.errors)
    const [{ revoked_at }] = JSON.parse(revoked.output)
    const when = `revoked on ${revoked_at.slice(0, 10)}`
    const listed = await service.call("GET", publicKeys, { token: null })
    writeFileSync(file("keys.json"), listed.text)
    assert.deepStrictEqual(listed.body.data.map(({ kid }: { readonly kid: string }) => kid), [kept.second])

    const { answer, deviceId, envelope, first, licenseKey } = kept
    const all = [...listed.body.data, ...listed.body.revoked]
    const learning = keySet({ pinned: listed.body.data, baseUrl: service.url })
    const errors = [
      await rejected(verifyEnvelope({ body: answer, publicKeys: all })),
      await rejected(verifyOffline({ envelope, licenseKey, deviceId, publicKeys: all })),
      await rejected(learning.verify((publicKeys) => verifyEnvelope({ body: answer, publicKeys })))
    ]
    for (const { code, message, revokedAt } of errors) {
      assert.deepStrictEqual({ code, revokedAt }, { code: "unknown_key", revokedAt: revoked_at })
      assert.include(message, `signed by a key that was ${when}`)
    }
    assert.deepStrictEqual(learning.publicKeys().map(({ kid }) => kid), [kept.second])
    // Without the revoked keys, it is one of those that nobody published.
    const unknown = await rejected(verifyEnvelope({ body: answer, publicKeys: listed.body.data }))
    assert.strictEqual(`${unknown.code} ${unknown.revokedAt}`, "unknown_key undefined")
    // A list that still has the key beside the word that it was revoked.
    const [withdrawn] = listed.body.revoked
    const stale = [{ ...withdrawn, status: "retired", revoked_at: undefined }, withdrawn]
    assert.strictEqual((await rejected(verifyEnvelope({ body: answer, publicKeys: stale }))).revokedAt, revoked_at)

    for (const [what, fault] of [["events", "revoked_key"], ["export", "unknown_key"]] as const) {
      const verdict = await verify(what, "--json")
      assert.strictEqual(verdict.status, 1, verdict.output)
      assert.deepInclude(JSON.parse(verdict.output), { ok: false, fault, revokedAt: revoked_at })
    }
    assert.include((await verify("export")).output, when)
    assert.include((await verify("events")).output, `${first}, which was ${when.replace(" on ", " at ")}`)

    const again = await cli("keys", "revoke", first)
    assert.strictEqual(again.status, 0, again.errors)
  }, slow)
})

describe("countersign keys rewrap --finish", () => {
  it("asks, as another master key opens nothing afterwards", async () => {
    const idle = await cli("keys", "rewrap", "--finish")
    assert.strictEqual(`${idle.status} ${idle.output}`, "2 ")
    assert.include(idle.errors, "Afterwards only the configured master key opens the database")
    assert.include(idle.errors, "Add --yes")
    const finished = await cli("keys", "rewrap", "--finish", "--yes")
    assert.include(finished.output, "No other master key opens this database.", finished.errors)
  })
})
