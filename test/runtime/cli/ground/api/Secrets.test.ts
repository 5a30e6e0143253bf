// Secrets of bodies: no argument holds one, and nothing that is shown does.
import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { flagName, hasFlag } from "../../../../../src/runtime/cli/ground/api/Change.ts"
import { contract, masked, secretIn } from "../../../../../src/runtime/cli/ground/api/Contract.ts"
import { exampleWords } from "../../../../../src/runtime/cli/ground/api/OperationCommand.ts"
import { runCommand } from "../../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../../fixtures/Program.ts"

const environment = { COUNTERSIGN_URL: "http://127.0.0.1:9", COUNTERSIGN_TOKEN: "csk_none" }

const api = (...args: ReadonlyArray<string>) => runCommand(["api", ...args], environment)

const fileWith = (text: string): string => {
  const file = join(temporaryDirectory(), "body.json")
  writeFileSync(file, text)
  return file
}

describe("secrets in the contract", () => {
  it("are known at any depth, and fields that hold one have no flag and are in no example", () => {
    const found = [...contract().values()].flatMap(({ id, secrets }) =>
      secrets.map((path) => `${id} ${path.join(".")}`)
    )
    assert.deepStrictEqual(found.toSorted(), [
      "activateLicense user_token",
      "checkLicense user_token",
      "checkinFloatingLicense lease_token",
      "checkinFloatingLicense user_token",
      "checkoutFloatingLicense user_token",
      "consumeLicense user_token",
      "createBillingConnection api_key",
      "createBillingConnection secret",
      "createLicense license_key",
      "createLicenses defaults.license_key",
      "createLicenses licenses.*.license_key",
      "createWebhookEndpoint headers.*",
      "createWebhookEndpoint secret",
      "deactivateLicense user_token",
      "explainLicense binding.user_token",
      "heartbeatFloatingLicense lease_token",
      "heartbeatFloatingLicense user_token",
      "issueOfflineFile license_key",
      "issueOfflineLicense user_token",
      "lookupLicense license_key",
      "openTrial user_token",
      "refundOwnUsage user_token",
      "reportUsage uses.*.license_key",
      "signInLicenseUser id_token",
      "signInLicenseUser mail_code",
      "signInLicenseUser mail_sign_in_token",
      "signInLicenseUser renewal_token",
      "updateBillingConnection api_key",
      "updateBillingConnection secret",
      "updateWebhookEndpoint headers.*",
      "updateWebhookEndpoint secret",
      "validateLicense user_token"
    ])
    for (const operation of contract().values()) {
      const flagless = operation.members.filter((member) => !hasFlag(member)).map(({ name }) => name)
      assert.sameMembers(flagless, [...new Set(operation.secrets.map(([name]) => name!))], operation.id)
      for (const name of flagless) assert.notInclude(exampleWords(operation), `--${flagName(name)} `, operation.id)
    }
    assert.include(exampleWords(contract().get("heartbeatFloatingLicense")!), "--body @body.json")
  })

  it("are all fields of texts that are named like one", () => {
    const names = [...contract().values()].flatMap(({ members }) =>
      members.filter(({ isSecret, schema: { type } }) => !isSecret && type === "string").map(({ name }) => name)
    ).filter((name) => /key|token|secret|password|header/.test(name))
    assert.deepStrictEqual([...new Set(names)], ["key_last4", "id_token_nonce"])
  })
})

describe("a body with secrets", () => {
  it("is masked by one rule: nested, in lists, and each header, but not what is removed", () => {
    const places = [["secret"], ["headers", "*"], ["licenses", "*", "license_key"], ["defaults", "license_key"]]
    const body = {
      secret: "s",
      headers: { "X-Api-Key": "k", "X-Old": null },
      licenses: [{ license_key: "a", customer_name: "Ada" }, "text"],
      defaults: { license_key: "d", metadata: { license_key: "mine" } }
    }
    assert.deepStrictEqual(masked(body, places), {
      secret: "***",
      headers: { "X-Api-Key": "***", "X-Old": null },
      licenses: [{ license_key: "***", customer_name: "Ada" }, "***"],
      defaults: { license_key: "***", metadata: { license_key: "mine" } }
    })
    assert.strictEqual(secretIn({ licenses: [{}, { license_key: "a" }] }, places), "licenses.license_key")
    assert.isUndefined(secretIn({ headers: { "X-Old": null }, licenses: [{}] }, places))
  })

  it("is refused among the arguments, and shown masked from a file", async () => {
    const key = "CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X"
    const bulk = { licenses: [{ product_id: "prod_none", policy_id: "pol_none", license_key: key }] }
    const secret = "a-webhook-secret-of-our-own"
    const webhook = { name: "CRM", url: "https://crm.example.com", secret, headers: { "X-Api-Key": "gateway-value" } }
    for (
      const [operation, body, held] of [
        ["createLicenses", bulk, [key]],
        ["createWebhookEndpoint", webhook, [secret, "gateway-value"]]
      ] as const
    ) {
      const inline = await api(operation, "--body", JSON.stringify(body), "--curl")
      assert.strictEqual(inline.status, 2)
      assert.include(inline.errors, "other users of this machine can see arguments")
      const shown = await api(operation, "--body", `@${fileWith(JSON.stringify(body))}`, "--curl")
      assert.strictEqual(shown.status, 0, shown.errors)
      assert.include(shown.output, "***")
      for (const said of [inline.errors, inline.output, shown.output, shown.errors]) {
        for (const text of held) assert.notInclude(said, text)
      }
    }
    const flag = await api("heartbeatFloatingLicense", "--lease-token", "csl_x")
    assert.strictEqual(flag.status, 2)
    const broken = await api("createWebhookEndpoint", "--body", `@${fileWith(`{"secret": "${secret}" x`)}`)
    assert.include(broken.errors, "--body is not JSON: it goes wrong at line 1")
    assert.notInclude(broken.errors, secret)
  })
})

describe("JSON of the command line", () => {
  it("is refused where a reader would change it: a name twice, or digits that a number does not keep", async () => {
    const wrongs = [
      [["--body", "{\"customer_name\":\"Ada\",\"customer_name\":\"Grace\"}"], "customer_name appears twice"],
      [["--body", "{\"metadata\":{\"n\":12345678901234567890}}"], "metadata.n must not have more digits"],
      [["--metadata", "{\"n\":1,\"n\":2}"], "--metadata.n appears twice"],
      [["--metadata", "{\"n\":0.12345678901234567890123}"], "--metadata.n must not have more digits"]
    ] as const
    for (const [words, problem] of wrongs) {
      const { errors, status } = await api("updateLicense", "lic_none", ...words, "--curl")
      assert.strictEqual(status, 2, words.join(" "))
      assert.include(errors, problem)
    }
    const { errors } = await api("renewLicense", "lic_none", "--extend-by-days", "9007199254740993", "--curl")
    assert.include(errors, "--extend-by-days must not have more digits")
  })
})
