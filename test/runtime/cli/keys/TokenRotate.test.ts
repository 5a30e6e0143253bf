import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isBootstrapToken } from "../../../../src/domain/keys/security/Credential.ts"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import { adminToken, refused, startService } from "../../../fixtures/Service.ts"
import { database, eventually } from "../../../fixtures/Session.ts"

/** It starts several processes, one after the other. */
const slow = 300_000

const rotate = async (environment: Readonly<Record<string, string>>) => {
  const ended = await runCommand(["token", "rotate"], environment)
  assert.strictEqual(ended.status, 0, ended.errors)
  const token = ended.output.trim()
  assert.isTrue(isBootstrapToken(token), token)
  return { token, said: ended.errors }
}

describe("countersign token rotate", () => {
  it("withdraws the token of the environment at once on every node, and says what it cannot change", async () => {
    const databaseUrl = await database()
    const nodes = await Promise.all([startService({ databaseUrl }), startService({ databaseUrl })])
    const settings = {
      DATABASE_URL: databaseUrl,
      COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    }
    const first = await rotate(settings)
    assert.include(first.said, "COUNTERSIGN_ADMIN_TOKEN still has it")
    for (const node of nodes) {
      refused(await node.call("GET", "/api/v1/products"), 401, "TOKEN_REVOKED")
      assert.strictEqual((await node.call("GET", "/api/v1/products", { token: first.token })).status, 200)
      refused(
        await node.call("GET", "/api/v1/products", {
          token: `${first.token.slice(0, -2)}${first.token.endsWith("00") ? "11" : "00"}`
        }),
        401,
        "UNAUTHENTICATED"
      )
    }
    // Who has not that token in the environment of another command withdraws nothing with it.
    const { COUNTERSIGN_ADMIN_TOKEN: _own, ...without } = settings
    const directory = join(temporaryDirectory(), "none")
    const stranger = { ...without, COUNTERSIGN_DATA_DIR: directory }
    const listed = await runCommand(["keys", "list"], stranger)
    assert.strictEqual(listed.status, 0, listed.errors)
    const unknown = await runCommand(["token", "rotate"], stranger)
    assert.deepStrictEqual([unknown.status, unknown.output], [3, ""])
    assert.include(unknown.errors, `There is no admin token in ${directory}`)
    assert.isFalse(existsSync(directory), "a secret was left behind")
    assert.strictEqual((await nodes[0].call("GET", "/api/v1/products", { token: first.token })).status, 200)

    const second = await rotate({ ...settings, COUNTERSIGN_ADMIN_TOKEN: first.token })
    refused(await nodes[0].call("GET", "/api/v1/products", { token: first.token }), 401, "TOKEN_REVOKED")
    const events = await eventually("both rotations are in the feed", async () => {
      const { body } = await nodes[1].call("GET", "/api/v1/events?event_type=api_key.rotated&cursor=0", {
        token: second.token
      })
      return body.data.length === 2 && body.data
    })
    for (const event of events) {
      assert.deepInclude(event, { resource_id: "bootstrap", actor_type: "system", actor_id: "cli" })
      assert.notInclude(JSON.stringify(event), "admin_")
    }

    // A node that is configured with another token takes that one, and none that was issued before.
    const own = "another-token-of-the-operator-1"
    const third = await startService({ databaseUrl, environment: { COUNTERSIGN_ADMIN_TOKEN: own } })
    assert.strictEqual((await third.call("GET", "/api/v1/products", { token: own })).status, 200)
    for (const token of [first.token, second.token]) {
      refused(await third.call("GET", "/api/v1/products", { token }), 401, "TOKEN_REVOKED")
    }
    refused(await third.call("GET", "/api/v1/products"), 401, "UNAUTHENTICATED")
  }, slow)
})
