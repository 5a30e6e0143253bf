// A program with a license, for a terminal: play with it while you stop and start the service (examples/app/README.md).
// An app of yours imports "@countersign/client/app"; this one runs from the source tree.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { LicenseView, PublicKey } from "../../src/client/app/index.ts"
import { fileStore, fingerprint, isCountersignError, openLicense } from "../../src/client/app/index.ts"
import { DemoStop, findService } from "../demo/DemoService.ts"

/** What the vendor ships with the app, and what the customer got by mail. */
interface Shipped {
  readonly baseUrl: string
  readonly productCode: string
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly licenseId: string
  readonly licenseKey: string
}

const directory = process.env["EXAMPLE_APP_DIR"] || ".countersign/example-app"
const shippedFile = join(directory, "shipped.json")

/** The vendor's part, once: a product with a feature, and a license of it. */
const ship = async (): Promise<Shipped> => {
  const { client, url } = await findService()
  const product = await client.products.create({ name: "Example App", code: `example-app-${Date.now()}` })
  const feature = await client.features.create(product.id, { name: "Export", code: "export" })
  const policy = await client.policies.create(product.id, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    max_activations: 1,
    validation_interval_minutes: 1,
    allow_offline_activation: true,
    offline_grace_days: 30
  })
  const { license, license_key } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
  await client.licenses.assignFeature(license.id, { feature_id: feature.id, max_consumptions: 10 })
  const shipped = {
    baseUrl: url,
    productCode: product.code,
    // Whole: `endorses` says which key answers for a later one.
    publicKeys: await client.system.listPublicKeys(),
    licenseId: license.id,
    licenseKey: license_key
  }
  mkdirSync(directory, { recursive: true })
  writeFileSync(shippedFile, JSON.stringify(shipped), { mode: 0o600 })
  return shipped
}

const describe = ({ error, isClockSetBack, mayRun, show, state, until }: LicenseView): string =>
  [
    `${mayRun ? "runs " : "STOPS"}  ${state}${until === undefined ? "" : ` until ${until.toISOString()}`}`,
    `       ${show}`,
    ...(error === undefined ? [] : [`       ${error.code}: ${error.message}`]),
    ...(isClockSetBack ? ["       The clock of this machine was set back."] : [])
  ].join("\n")

const help = `activate [key]  take a seat (without a key: that of the license that was made for you)
check           ask the service now
use [amount]    use up some of the feature "export", of which there are 10
offline         fetch an envelope for 30 days without a network
deactivate      give the seat back
suspend, reinstate, revoke    what the vendor may do
state, help, quit`

const main = async (): Promise<void> => {
  const shipped: Shipped = existsSync(shippedFile) ? JSON.parse(readFileSync(shippedFile, "utf8")) : await ship()
  const { baseUrl, licenseId, licenseKey, productCode, publicKeys } = shipped
  const id = await fingerprint({ productCode, keep: fileStore(join(directory, "device")) })
  const license = await openLicense({
    baseUrl,
    productCode,
    publicKeys,
    store: fileStore(join(directory, "license")),
    fingerprint: id,
    graceDays: 1 / 24 / 12,
    transport: { timeoutMs: 3000, maxRetries: 0 },
    onProblem: (problem) => console.error(problem)
  })
  console.log(describe(license.standing))
  console.log(`\n${help}\n`)
  let shown = ""
  const stop = license.watch((standing) => {
    const now = `${standing.state} ${standing.reason}`
    if (now !== shown) console.log(describe(standing))
    shown = now
  })
  void license.check()

  const vendor = async (verb: "suspend" | "reinstate" | "revoke") => {
    const { client } = await findService()
    console.log(
      `The license is now ${(await client.licenses[verb](licenseId)).status}; the app learns of it by a check.`
    )
  }
  const commands: Readonly<Record<string, (word: string | undefined) => Promise<unknown>>> = {
    activate: (key) => license.activate(key ?? licenseKey),
    check: () => license.check(),
    use: async (amount) => {
      const { state } = await license.consume("export", Number(amount ?? 1))
      const left = license.feature("export")?.remaining
      console.log(state === "counted" ? `counted; ${left} left` : "kept, and sent when the service is back")
    },
    offline: () => license.goOffline(),
    deactivate: () => license.deactivate(),
    suspend: () => vendor("suspend"),
    reinstate: () => vendor("reinstate"),
    revoke: () => vendor("revoke"),
    state: async () => {},
    help: async () => console.log(help)
  }
  const terminal = createInterface({ input: process.stdin })
  process.stdout.write("> ")
  for await (const line of terminal) {
    const [command = "", word] = line.trim().split(/\s+/)
    if (command === "quit") break
    try {
      if (command !== "" && !Object.hasOwn(commands, command)) console.log(help)
      else if (command !== "") {
        await commands[command]!(word)
        console.log(describe(license.standing))
      }
    } catch (error) {
      if (error instanceof DemoStop || isCountersignError(error)) console.log(error.message)
      else throw error
    }
    process.stdout.write("> ")
  }
  terminal.close()
  stop()
}

main().catch((cause: unknown) => {
  console.error(cause instanceof DemoStop ? cause.message : cause)
  process.exitCode = 1
})
