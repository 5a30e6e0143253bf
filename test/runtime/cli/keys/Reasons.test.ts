// Why somebody does something, and what would be done, through the program.
import { assert, describe, it } from "@effect/vitest"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { adminToken, masterKey, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const environment = {
  COUNTERSIGN_URL: service.url,
  COUNTERSIGN_TOKEN: adminToken,
  DATABASE_URL: service.databaseUrl,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_ADMIN_TOKEN: adminToken
}

const command = (...args: ReadonlyArray<string>) => runCommand(args, environment)

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { errors, output, status } = await command(...args)
  assert.strictEqual(status, 0, `${args.join(" ")}: ${errors}`)
  return output
}

const newest = async (kind: string): Promise<Body> => (await service.feed(`&event_type=${kind}`)).at(-1)

describe("--reason", () => {
  it("is kept of changes to licenses and seats, and shown in the story and the feed, escaped", async () => {
    const { key, license } = await service.issue({ policy: { max_floating_users: 1 } })
    await service.license("floating/checkout", key, { fingerprint: "a" })
    const [lease] = await service.data("GET", `/api/v1/licenses/${license.id}/leases`)
    await done("devices", "release", license.id, lease.id, "--yes", "--reason", "she left the company")
    assert.deepInclude((await newest("lease.checked_in")).metadata, {
      reason: "released",
      reason_given: "she left the company"
    })
    await done("licenses", "suspend", license.id, "--yes", "--reason", "evil \u202etxt 漢字")
    assert.strictEqual((await newest("license.suspended")).metadata.reason_given, "evil \u202etxt 漢字")
    const story = await done("licenses", "show", license.id)
    const tail = await done("events", "tail", "--no-follow")
    assert.include(story, "she left the company")
    assert.match(tail, /lease\.checked_in .* why: she left the company\n/)
    for (const shown of [story, tail]) {
      assert.include(shown, "漢字")
      assert.notInclude(shown, "\u202e")
    }
    await done("licenses", "reinstate", license.id, "--yes")
    assert.notProperty((await newest("license.reinstated")).metadata, "reason_given")
  })

  it("shows in the curl command, and what no reason can be is refused before anything is done", async () => {
    const { license } = await service.issue()
    const curl = await done("licenses", "revoke", license.id, "--curl", "--reason", "it's over")
    assert.include(curl, "{\"reason\":\"it'\\''s over\"}")
    const wrong = await command("licenses", "revoke", license.id, "--yes", "--reason", "two\nlines")
    assert.notStrictEqual(wrong.status, 0)
    assert.include(wrong.errors, "must be one line")
    const key = await command("keys", "rotate", "--reason", "x".repeat(501))
    assert.strictEqual(key.status, 2, key.errors)
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "active")
  })

  it("is kept of signing keys", async () => {
    const [before] = JSON.parse(await done("keys", "list", "--json"))
    const asked = JSON.parse(await done("keys", "rotate", "--dry-run", "--json", "--reason", "only asked"))
    assert.strictEqual(asked[0].kid, before.kid)
    assert.lengthOf(JSON.parse(await done("keys", "list", "--json")), 1)
    await done("keys", "rotate", "--reason", "once a year")
    assert.strictEqual((await newest("signing_key.created")).metadata.reason_given, "once a year")
    await done("keys", "revoke", before.kid, "--yes", "--reason", "a disk was stolen")
    assert.strictEqual((await newest("signing_key.revoked")).metadata.reason_given, "a disk was stolen")
  })
})
