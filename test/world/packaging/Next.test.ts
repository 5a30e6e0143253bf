// The routes of the guide in an app of Next.js, as it is built and started for production, and a service that delivers to it.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { formatWebhookSecret } from "../../../src/domain/keys/security/WebhookSecret.ts"
import { clientPackage } from "../../fixtures/Bundle.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { launch, root, run, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Running } from "../../fixtures/Program.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testPackage } from "../../fixtures/TestPackage.ts"

takeTurns()

const next = testPackage("next")
const place = temporaryDirectory()
const secret = formatWebhookSecret(new Uint8Array(32).fill(1))
const other = formatWebhookSecret(new Uint8Array(32).fill(2))
const service = await startService()
let app: Running
let url: string

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(place, path)), { recursive: true })
  writeFileSync(join(place, path), text)
}

/** The routes that the guide shows, by the paths that it names. */
const shown = (): ReadonlyMap<string, string> => {
  const guide = readFileSync(join(root, "docs/how-to/receive-webhooks.md"), "utf8")
  return new Map([...guide.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, path, code]) => [path!, code!]))
}

beforeAll(async () => {
  await next.install()
  const modules = join(place, "node_modules")
  mkdirSync(join(modules, "@types"), { recursive: true })
  for (const name of ["next", "react", "react-dom", "typescript", "@types/node", "@types/react"]) {
    symlinkSync(next.dependency(name), join(modules, name))
  }
  // A copy, because Next.js builds what it finds in the place of an app.
  cpSync(await clientPackage(inject("bundle")), join(modules, "@countersign/client"), { recursive: true })
})

beforeAll(async () => {
  write("package.json", JSON.stringify({ name: "shop", private: true, type: "module" }))
  // The packages that it links to lie elsewhere.
  write("next.config.mjs", `export default { turbopack: { root: "/" } }\n`)
  write(
    "app/layout.tsx",
    `export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>\n`
  )
  const routes = shown()
  const route = routes.get("app/api/countersign/route.ts")
  const apiRoute = routes.get("pages/api/countersign.ts")
  assert.isString(route)
  assert.isString(apiRoute)
  write("app/api/hooks/route.ts", route!)
  write("pages/api/pages-hooks.ts", apiRoute!)
  write("pages/api/parsed.ts", apiRoute!.replace(/^export const config.*$/m, ""))
  const environment = { NEXT_TELEMETRY_DISABLED: "1", CI: "1" }
  const program = join(next.dependency("next"), "dist/bin/next")
  const built = await run([program, "build", place], environment)
  assert.strictEqual(built.status, 0, `${built.output}${built.errors}`)
  const port = String(await freePort())
  app = launch([program, "start", place, "--port", port, "--hostname", "127.0.0.1"], { ...environment, SECRET: secret })
  url = `http://127.0.0.1:${port}/api`
  await eventually("it is ready", () => app.output().includes("Ready in"))
})

const endpoint = async (path: string, of: string): Promise<string> =>
  (await service.data("POST", "/api/v1/webhooks", {
    name: path,
    url: `${url}/${path}`,
    secret: of,
    event_types: ["product.created"]
  })).webhook.id

const routes = [["a route handler of the App Router", "hooks"], [
  "an API route of the Pages Router",
  "pages-hooks"
]] as const

describe.each(routes)("%s", (_name, path) => {
  it("takes what the service delivers, and refuses the rest", async () => {
    const id = await endpoint(path, secret)
    const tested = await service.data("POST", `/api/v1/webhooks/${id}/test`)
    assert.deepInclude(tested, { class: "delivered", status: 204 })
    const product = await makeProduct(service)
    const created = await eventually("it has a place in the feed", async () => {
      const [event] = await service.data("GET", `/api/v1/events?event_type=product.created&resource_id=${product.id}`)
      return event
    })
    await eventually("it is handled", () => app.output().includes(`product.created ${created.id}`))
    assert.lengthOf(app.output().match(new RegExp(`product.created ${created.id}$`, "gm")) ?? [], 1)
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
    const sent = (init: RequestInit) =>
      fetch(`${url}/${path}`, { ...init, headers: { connection: "close", "content-type": "application/json" } })
    assert.strictEqual((await sent({ method: "POST", body: "{}" })).status, 400)
    assert.strictEqual((await sent({ method: "POST", body: "x".repeat(1_100_000) })).status, 413)
    assert.strictEqual((await sent({ method: "GET" })).status, 405)
  })

  it("tells the log of a wrong secret, once, and shows none", async () => {
    const told = () =>
      app.errors().match(/refused \(signature_mismatch\)\. No secret matches the signature/g)?.length ?? 0
    const before = told()
    const id = await endpoint(path, other)
    for (let again = 0; again < 2; again++) {
      const tested = await service.data("POST", `/api/v1/webhooks/${id}/test`)
      assert.deepInclude(tested, { class: "rejected", status: 400 })
    }
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
    await eventually("it is told", () => told() > before)
    assert.strictEqual(told(), before + 1)
    const printed = app.errors() + app.output()
    for (const hidden of [secret, other]) assert.notInclude(printed, hidden)
  })
})

describe("an API route of which Next.js parses the body", () => {
  it("says in the log what to do", async () => {
    const id = await endpoint("parsed", secret)
    assert.deepInclude(await service.data("POST", `/api/v1/webhooks/${id}/test`), {
      class: "server_error",
      status: 500
    })
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
    await eventually("it is told", () => /\(body_parsed\).*bodyParser: false/.test(app.errors() + app.output()))
  })
})
