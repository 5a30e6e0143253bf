// A program for a terminal whose license is for people: whoever uses it signs in on another device (examples/users/README.md).
// An app of yours imports "@countersign/client/app"; this one runs from the source tree.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PublicKey } from "../../src/client/app/index.ts"
import { fileStore, fingerprint, isCountersignError, openLicense } from "../../src/client/app/index.ts"
import { DemoStop, findService } from "../demo/DemoService.ts"

/** What the vendor ships with the app, and what the customer got by mail. */
interface Shipped {
  readonly baseUrl: string
  readonly productCode: string
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly licenseKey: string
}

const directory = process.env["EXAMPLE_USERS_DIR"] || ".countersign/example-users"
const shippedFile = join(directory, "shipped.json")

const setting = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new DemoStop(`Set ${name}: examples/users/README.md says to what.`)
  return value
}

/** The vendor's part, once: a license that two people may use, who sign in at the customer's identity provider. */
const ship = async (): Promise<Shipped> => {
  const { client, url } = await findService()
  const product = await client.products.create({ name: "Example Users", code: `example-users-${Date.now()}` })
  const policy = await client.policies.create(product.id, {
    name: "Two people",
    code: "two-people",
    license_type: "subscription",
    max_activations: 4,
    max_users: 2,
    max_devices_per_user: 2
  })
  const { license_key } = await client.licenses.create({
    product_id: product.id,
    policy_id: policy.id,
    trusted_issuer: { issuer: setting("ISSUER"), audience: setting("CLIENT_ID"), admits: "anyone" }
  })
  const shipped = {
    baseUrl: url,
    productCode: product.code,
    publicKeys: await client.system.listPublicKeys(),
    licenseKey: license_key
  }
  mkdirSync(directory, { recursive: true })
  writeFileSync(shippedFile, JSON.stringify(shipped), { mode: 0o600 })
  return shipped
}

const main = async (): Promise<void> => {
  const shipped: Shipped = existsSync(shippedFile) ? JSON.parse(readFileSync(shippedFile, "utf8")) : await ship()
  const { baseUrl, licenseKey, productCode, publicKeys } = shipped
  const license = await openLicense({
    baseUrl,
    productCode,
    publicKeys,
    store: fileStore(join(directory, "license")),
    fingerprint: await fingerprint({ productCode, keep: fileStore(join(directory, "device")) })
  })
  await license.check()
  if (license.user === undefined) {
    const prompt = await license.startUserSignIn({ licenseKey })
    console.log(`Open ${prompt.verificationUri} on any device, and type ${prompt.userCode}`)
    await prompt.finish()
  }
  const { name, email, id } = license.user ?? {}
  console.log(`${license.standing.show} ${name ?? email ?? id ?? "Nobody"} is signed in.`)
}

main().catch((cause: unknown) => {
  console.error(cause instanceof DemoStop || isCountersignError(cause) ? cause.message : cause)
  process.exitCode = 1
})
