import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { clientPackage } from "../../fixtures/Bundle.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"

// The package as npm packs it, installed where there is nothing else. What it weighs, its types, browsers and other
// versions of Node are in the other files here.
const execute = promisify(execFile)

const program = `
import { Countersign, isCountersignError } from "@countersign/client"
import { verifyEnvelope } from "@countersign/client/verify"

const [baseUrl, token] = process.argv.slice(2)
const client = new Countersign({ baseUrl, token })
const product = await client.products.create({ name: "Studio", code: "packed-studio" })
const policy = await client.policies.create(product.id, {
  name: "Team",
  code: "team",
  license_type: "subscription",
  max_activations: 2
})
const { license, license_key } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
const nonce = crypto.randomUUID()
const { response } = await client.runtime.activate({ fingerprint: "f" }, { licenseKey: license_key, nonce }).withResponse()
const publicKeys = await client.system.listPublicKeys()
const { data } = await verifyEnvelope({ body: response.text, publicKeys, expected: { nonce } })
const forged = await verifyEnvelope({
  body: response.text.replace(license.id, "lic_0000000000000000000000000"),
  publicKeys,
  expected: { nonce }
}).then(() => "verified", ({ code }) => code)
const refused = await client.licenses.suspend("lic_none").then(() => "", (error) => isCountersignError(error, "NOT_FOUND"))
console.log(JSON.stringify({ status: license.status, isSame: data.license_id === license.id, forged, refused }))
`

it("installs from its archive into an empty directory, and issues, activates and verifies there", async () => {
  const directory = temporaryDirectory()
  const consumer = join(directory, "consumer")
  await mkdir(consumer)
  // One after the other: what builds the package keeps this process from answering a service that starts in it.
  const built = await clientPackage(inject("bundle"))
  const service = await startService()
  await execute("npm", ["pack", "--pack-destination", directory], { cwd: built })
  const archive = (await readdir(directory)).find((name) => name.endsWith(".tgz")) ?? assert.fail("nothing was packed")
  await writeFile(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(directory, archive)]
  await execute("npm", install, { cwd: consumer })
  assert.deepStrictEqual(await readdir(join(consumer, "node_modules/@countersign")), ["client"])
  await writeFile(join(consumer, "program.mjs"), program)
  const { stdout } = await execute(process.execPath, ["program.mjs", service.url, adminToken], { cwd: consumer })
  assert.deepStrictEqual(JSON.parse(stdout), {
    status: "active",
    isSame: true,
    forged: "signature_mismatch",
    refused: true
  })
})
