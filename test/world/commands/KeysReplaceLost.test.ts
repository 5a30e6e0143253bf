import { assert, describe, it } from "@effect/vitest"
import { createHmac, randomBytes } from "node:crypto"
import { verifyEnvelope } from "../../../src/client/verify/index.ts"
import { isBootstrapToken } from "../../../src/domain/keys/security/Credential.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { run } from "../../fixtures/Program.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, masterKey, refused, startService } from "../../fixtures/Service.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"

const newKey = randomBytes(32).toString("base64")
const laptop = { fingerprint: "my-laptop" }

/** Two services one after the other, and commands between them. */
const slow = 300_000

describe("countersign keys replace-lost", () => {
  it(
    "goes on under a new master key: old answers verify, licenses keep their seats, what was lost is made anew",
    async () => {
      const databaseUrl = await database()
      const settings = (key: string) => ({
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_MASTER_KEY: key,
        COUNTERSIGN_ADMIN_TOKEN: adminToken
      })
      const command = (key: string, ...more: ReadonlyArray<string>) =>
        runCommand(["keys", "replace-lost", ...more], settings(key))

      const nothing = await command(newKey, "--yes")
      assert.strictEqual(nothing.status, 1)
      assert.include(nothing.errors, "has no data keys")

      const receiver = await startReceiver()
      const before = await startService({ databaseUrl })
      const endpoint = await before.data("POST", "/api/v1/webhooks", {
        name: "all",
        url: receiver.url,
        event_types: []
      })
      const { key, license } = await before.issue({ policy: { max_activations: 3 } })
      assert.strictEqual((await before.license("activate", key, laptop)).status, 200)
      const answer = (await before.license("validate", key, laptop)).text
      const { token } = await before.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["license:read"] })
      const write = (service: typeof before) =>
        service.call("POST", "/api/v1/products", {
          body: { name: "once", code: "once" },
          headers: { "idempotency-key": "the-same-request" }
        })
      assert.strictEqual((await write(before)).status, 201)

      const beside = await command(newKey, "--yes")
      assert.strictEqual(beside.status, 1)
      assert.include(beside.errors, "Stop all of its nodes first")
      await before.stop()
      const idle = await command(newKey)
      assert.strictEqual(idle.status, 2)
      assert.include(idle.errors, "every license key: rotate the key of each license")
      const kept = await command(masterKey, "--yes")
      assert.strictEqual(kept.status, 1)
      assert.include(kept.errors, "nothing is lost")
      // None of the refusals has changed anything: the first key still opens all of it.
      assert.strictEqual((await runCommand(["keys", "list"], settings(masterKey))).status, 0)

      const ended = await run(["src/runtime/cli.ts", "keys", "replace-lost", "--yes", "--json"], settings(newKey))
      assert.strictEqual(ended.status, 0, ended.errors)
      const renewed = JSON.parse(ended.output)
      assert.deepInclude(renewed, { licenses: 1, management_keys: 1 })
      assert.isUndefined(renewed.admin_token)
      assert.include((await runCommand(["keys", "list"], settings(masterKey))).errors, "or last changed to")

      const after = await startService({ databaseUrl, environment: { COUNTERSIGN_MASTER_KEY: newKey } })
      const keys = await after.data("GET", "/api/v1/system/public-keys")
      assert.strictEqual((await verifyEnvelope({ body: answer, publicKeys: keys })).data["license_id"], license.id)
      refused(await after.license("validate", key, laptop), 401, "LICENSE_KEY_INVALID")
      refused(await after.call("GET", `/api/v1/licenses/${license.id}`, { token }), 401, "UNAUTHENTICATED")
      // Done once, and its answer is gone: it is not done again.
      refused(await write(after), 409, "IDEMPOTENCY_CONFLICT")

      const rotated = await after.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, {})
      const validated = await after.license("validate", rotated.license_key, laptop)
      assert.strictEqual(validated.status, 200)
      const { kid } = await verifyEnvelope({ body: validated.text, publicKeys: keys })
      assert.strictEqual(kid, renewed.signing_key.kid)
      assert.strictEqual((await after.data("GET", `/api/v1/licenses/${license.id}/devices`)).length, 1)

      const secret = renewed.webhooks.find(({ id }: { readonly id: string }) => id === endpoint.webhook.id).secret
      const made = await after.data("POST", "/api/v1/products", { name: "after", code: "after" })
      const delivery = await eventually(
        "a delivery under the new secret",
        () => receiver.received.find(({ body }) => body.includes(made.id))
      )
      const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": time } = delivery.headers
      const expected = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
        .update(`${id}.${time}.${delivery.body}`).digest("base64")
      assert.strictEqual(signatures, `v1,${expected}`)
      await after.stop()
      assert.deepStrictEqual((await examine(databaseUrl)).found, [])

      // A token that was withdrawn under the lost key is not valid again: a new one takes its place.
      assert.strictEqual((await runCommand(["token", "rotate"], settings(newKey))).status, 0)
      const third = randomBytes(32).toString("base64")
      const again = JSON.parse((await command(third, "--yes", "--json")).output)
      assert.isTrue(isBootstrapToken(again.admin_token))
      const sql = await session(databaseUrl)
      assert.deepStrictEqual(
        await sql.query("SELECT count(*)::int AS count FROM bootstrap_tokens WHERE withdrawn_at IS NOT NULL"),
        [{ count: 1 }]
      )
      await sql.close()
    },
    slow
  )
})
