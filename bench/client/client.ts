import { Console, Effect } from "effect"
import { build } from "esbuild"
import { join } from "node:path"
import { Countersign } from "../../src/client/api/index.ts"
import { verifyEnvelope } from "../../src/client/verify/index.ts"
import { openBrowser } from "../../test/fixtures/Browser.ts"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { adminToken, BenchError, startService } from "../harness/ServiceProcess.ts"

/** How often the sides take turns. */
const rounds = 5

/** How many calls of `ask` end in so many seconds, by `callers` that call one after the other, per second. */
const rateOf = async (ask: () => Promise<unknown>, callers: number, seconds: number): Promise<number> => {
  const begun = performance.now()
  const until = begun + seconds * 1000
  let calls = 0
  await Promise.all(Array.from({ length: callers }, async () => {
    while (performance.now() < until) {
      await ask()
      calls += 1
    }
  }))
  return calls / ((performance.now() - begun) / 1000)
}

/** Verifications a second in Chromium, of one envelope; undefined where there is no browser (test/browser). */
const inBrowser = async (
  baseUrl: string,
  envelope: string,
  publicKeys: unknown,
  seconds: number
): Promise<number | undefined> => {
  const { outputFiles: [program] } = await build({
    entryPoints: [join(import.meta.dirname, "../../src/client/verify/index.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "client",
    write: false,
    outfile: "out.js"
  })
  const browser = await openBrowser().catch(() => undefined)
  if (browser === undefined) return undefined
  try {
    const context = await browser.newContext({ viewport: { width: 800, height: 600 }, colorScheme: "light" })
    const page = await context.newPage()
    // Only a secure context has WebCrypto: this machine's own address is one.
    await page.goto(`${baseUrl}/healthz`)
    return await page.evaluate<number>(`(async () => {
      ${program!.text}
      const options = { body: ${JSON.stringify(envelope)}, publicKeys: ${JSON.stringify(publicKeys)} }
      const begun = performance.now()
      let count = 0
      for (; performance.now() - begun < ${seconds * 1000}; count++) await client.verifyEnvelope(options)
      return count / ((performance.now() - begun) / 1000)
    })()`)
  } finally {
    await browser.close()
  }
}

/** Requests a second of the client beside bare fetch, in turns in one process, and verifications a second. */
export const client = ({ callers, json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const [license] = yield* issueLicenses(service, 1)
    const baseUrl = `http://127.0.0.1:${service.port}`
    const results = yield* Effect.tryPromise({
      try: async () => {
        const countersign = new Countersign({ baseUrl, token: adminToken, licenseKey: license!.licenseKey })
        const { fingerprint } = license!
        const body = { fingerprint, nonce: "n-0123456789" }
        const sides = {
          "bare fetch": async () => {
            const answer = await fetch(`${baseUrl}/api/v1/license/validate`, {
              method: "POST",
              headers: { authorization: `License ${license!.licenseKey}`, "content-type": "application/json" },
              body: JSON.stringify(body)
            })
            return JSON.parse(await answer.text())
          },
          "the client": () => countersign.runtime.validate(body)
        }
        const rates: Record<string, Array<number>> = {}
        for (let round = 0; round <= rounds; round++) {
          for (const [name, ask] of Object.entries(sides)) {
            const rate = await rateOf(ask, callers, seconds / rounds)
            // The first round warms up.
            if (round > 0) (rates[name] ??= []).push(rate)
          }
        }
        const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
        const { response } = await countersign.runtime.validate(body).withResponse()
        const publicKeys = await countersign.system.listPublicKeys()
        const envelope = { body: response.text, publicKeys }
        return {
          fetch: mean(rates["bare fetch"]!),
          client: mean(rates["the client"]!),
          verifiedOnNode: await rateOf(() => verifyEnvelope(envelope), 1, seconds / rounds),
          verifiedInChromium: await inBrowser(baseUrl, response.text, publicKeys, seconds / rounds)
        }
      },
      catch: (cause) => new BenchError({ message: String(cause) })
    })
    if (json) return yield* Effect.as(Console.log(JSON.stringify(results)), results)
    yield* print(
      `client: validate, ${callers} callers in one process, ${rounds} rounds of ${seconds / rounds} s each, in turns`,
      ["", "a second"],
      [
        ["bare fetch", figure(results.fetch)],
        ["the client", figure(results.client)],
        ["verifyEnvelope on Node", figure(results.verifiedOnNode)],
        ["verifyEnvelope in Chromium", figure(results.verifiedInChromium ?? Number.NaN)]
      ],
      [`The client reaches ${figure(results.client / results.fetch, 2)} of the rate of bare fetch; asked for: 0.90.`]
    )
    return results
  })
