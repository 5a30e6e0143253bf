// Familiar names of operations, with values that a script has left empty.
import { assert, describe, it } from "@effect/vitest"
import { runCommand } from "../../../../fixtures/CommandLine.ts"
import { adminToken, startService } from "../../../../fixtures/Service.ts"

const service = await startService()
const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }

const run = (...args: ReadonlyArray<string>) => runCommand(args, environment)

const stored = (id: string) => service.data("GET", `/api/v1/licenses/${id}`)

const ownedLicense = async () => {
  const { license } = await service.issue()
  const owner = { customer_name: "Ada", customer_email: "ada@example.com" }
  await service.data("PATCH", `/api/v1/licenses/${license.id}`, owner)
  return { id: license.id, owner }
}

describe("a transfer", () => {
  it("needs a new owner that is not empty, whatever else is asked for", async () => {
    const { id, owner } = await ownedLicense()
    const wrongs = [["--email", ""], ["--customer", ""], ["--name", "", "--email", ""], ["--reset-devices"], []]
    for (const words of wrongs) {
      const wrong = await run("licenses", "transfer", id, ...words, "--yes")
      assert.strictEqual(wrong.status, 2, words.join(" "))
      assert.include(wrong.errors, "Specify the new owner: --customer, --email or --name")
    }
    const cleared = await run("licenses", "transfer", id, "--email", "null", "--yes")
    assert.strictEqual(cleared.status, 2)
    assert.deepInclude(await stored(id), owner)
  })

  it("names the new owner in its question, and leaves out what is empty", async () => {
    const { id } = await ownedLicense()
    const asked = await run("licenses", "transfer", id, "--email", "grace@example.com", "--name", "Grace")
    assert.strictEqual(asked.status, 2)
    assert.include(asked.errors, `${id} will belong to grace@example.com Grace.`)
    const done = await run("licenses", "transfer", id, "--email", "grace@example.com", "--name", "", "--yes", "--json")
    assert.strictEqual(done.status, 0, done.errors)
    assert.notInclude(JSON.parse(done.output).meta.curl, "customer_name")
    assert.strictEqual((await stored(id)).customer_email, "grace@example.com")
  })
})

describe("an alias", () => {
  it("treats an empty text as not given; an operation of the contract sends it", async () => {
    const { id } = await ownedLicense()
    const empty = ["--until", "", "--order", "", "--subscription", "", "--reason", ""]
    const renewed = await run("licenses", "renew", id, ...empty, "--curl")
    assert.strictEqual(renewed.status, 0, renewed.errors)
    assert.include(renewed.output, "-d '{}'")
    for (const name of ["reset", "block"]) {
      const shown = await run("devices", name, id, "dev_06eqpx1trxz3h94vqjm3a6kz7c", "--reason", "", "--curl")
      assert.strictEqual(shown.status, 0, shown.errors)
    }
    for (const name of ["pause", "resume", "order"]) {
      const shown = await run("webhooks", name, "whk_06eqpx1trxz3h94vqjm3a6kz7c", "--reason", "", "--curl")
      assert.strictEqual(shown.status, 0, shown.errors)
      assert.notInclude(shown.output, "reason")
    }
    const sent = await run("api", "updateLicense", id, "--customer-name", "", "--curl")
    assert.include(sent.output, "\"customer_name\":\"\"")
    const help = await run("api", "--help")
    assert.include(help.output, "An empty text is sent as it is")
  })

  it("takes no whole body, which could change what its question does not name", async () => {
    const body = ["--body", "{\"url\":\"https://elsewhere.example.com\"}"]
    const paused = await run("webhooks", "pause", "whk_06eqpx1trxz3h94vqjm3a6kz7c", ...body, "--curl")
    assert.strictEqual(paused.status, 2)
    assert.notInclude(paused.output, "elsewhere")
  })
})
