// Sentences of a question that depend on the fields of the request.
import { assert, describe, it } from "@effect/vitest"
import { runCommand } from "../../../../fixtures/CommandLine.ts"

const environment = { COUNTERSIGN_URL: "http://127.0.0.1:9", COUNTERSIGN_TOKEN: "csk_none" }

const license = "lic_06eqpx1trxz3h94vqjm3a6kz7c"
const webhook = "whk_06eqpx1trxz3h94vqjm3a6kz7c"
const feature = "feat_06eqpx1trxz3h94vqjm3a6kz7c"

describe("a question", () => {
  it("says the new expiration, the end of the previous key, and what an endpoint or a counter changes", async () => {
    const asked = [
      [
        ["licenses", "renew", license, "--until", "2031-01-01T00:00:00Z"],
        "The new expiration is 2031-01-01T00:00:00Z."
      ],
      [["licenses", "renew", license], "gets one more term of its policy, counted from the expiration, or from now"],
      [["licenses", "rotate-key", license, "--overlap", "5"], "The previous key expires in 5 minutes."],
      [["licenses", "rotate-key", license], "The previous key expires in 1440 minutes."],
      [["licenses", "rotate-key", license, "--overlap", "0"], "The previous key expires immediately"],
      [["api", "renewLicense", license, "--extend-by-days", "14"], "Days added: 14."],
      [
        ["api", "updateWebhookEndpoint", webhook, "--body-url", "https://crm.example.com"],
        "Deliveries go to the new URL"
      ],
      [
        ["api", "resetLicenseUsage", license, "--feature-id", feature, "--add-credits", "5"],
        "The correction is recorded."
      ]
    ] as const
    for (const [words, sentence] of asked) {
      const { errors, status } = await runCommand(words, environment)
      assert.strictEqual(status, 2, errors)
      assert.include(errors, sentence)
    }
  })
})
