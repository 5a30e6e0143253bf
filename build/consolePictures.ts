/**
 * Pictures of every page of the console: `npm run console:pictures -- <directory>`. It starts two services with databases of
 * their own in a temporary directory, one with sample data in its test environment, whose token signs in, and one as it is at
 * its first start, and looks at them with the browser of the tests (test/browser): at a desk and on a phone, in the light and
 * in the dark, and on the full one also while the API is slow and while it fails.
 */
import { execFile, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import manifest from "../package.json" with { type: "json" }
import { pagePaths } from "../src/console/composition/parts/PagePaths.ts"
import { addressIn } from "../src/console/ground/addresses/Address.ts"
import type { Browser, Looking, Page } from "../test/fixtures/Browser.ts"

const root = join(import.meta.dirname, "..")
const execute = promisify(execFile)

/** How long anything is waited for, in milliseconds. */
const patience = 60_000

/** How long a page may take to be whole, in milliseconds; one of them shows a skeleton for good. */
const wholeAfter = 4000

/** How many licenses the vendor has. */
const licenses = 1000

const looks = [1280, 390].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme): readonly [string, Looking] => [
    `${width}-${colorScheme}`,
    { viewport: { width, height: width < 500 ? 844 : 860 }, colorScheme, locale: "en-US" }
  ])
)

interface Running {
  readonly url: string
  readonly token: string
  readonly environment: NodeJS.ProcessEnv
  readonly child: ChildProcess
}

/** The environment without settings of the person's own. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_|OTEL_|DATABASE_URL$|PORT$)/.test(name))
)

const start = async (data: string): Promise<Running> => {
  const environment = { ...clean, PORT: "0", COUNTERSIGN_DATA_DIR: data, COUNTERSIGN_LOG_FORMAT: "json" }
  const child = spawn(process.execPath, manifest.scripts.start.split(" ").slice(1), { cwd: root, env: environment })
  let output = ""
  const ended = new Promise<never>((_, reject) => child.once("exit", () => reject(new Error(output))))
  const url = await Promise.race([
    ended,
    new Promise<string>((ready) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString()
          const [, found] = /is ready at (http:[^\s"]+)/.exec(output) ?? []
          if (found !== undefined) ready(found)
        })
      }
    })
  ])
  return { url, child, environment, token: readFileSync(join(data, "admin.token"), "utf8").trim() }
}

const stop = ({ child }: Running): Promise<void> =>
  new Promise((ended) => {
    child.removeAllListeners("exit")
    child.once("exit", () => ended())
    child.kill("SIGTERM")
  })

/** Runs a command beside a service; answers what it prints. */
const command = async ({ environment }: Running, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await execute(process.execPath, ["src/runtime/cli.ts", ...args], { cwd: root, env: environment })
  return stdout.trim()
}

const get = async ({ token, url }: Running, path: string): Promise<ReadonlyArray<{ readonly id: string }>> => {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  return (await answer.json() as { readonly data: ReadonlyArray<{ readonly id: string }> }).data
}

/** The pages of a service, with the names of their pictures. */
const pagesOf = async (service: Running): Promise<ReadonlyArray<readonly [name: string, path: string]>> => {
  const first = async (name: string, list: string, path: string) =>
    (await get(service, list)).slice(0, 1).map(({ id }) => [name, `${path}/${id}`] as const)
  return [
    // A page without a record in its address is named after its path.
    ...pagePaths.filter((path) => !path.includes(":")).map((path) => [path.slice("/console/".length), path] as const),
    ...await first("product", "/products?limit=1", "/console/products"),
    ...await first("license", "/licenses?status=active&limit=1", "/console/licenses"),
    ...await first("license-suspended", "/licenses?status=suspended&limit=1", "/console/licenses"),
    ...await first("activity-entry", "/activities?action=license.suspended&limit=1", "/console/activity"),
    ...await first("customer", "/customers?limit=1", "/console/customers")
  ]
}

/** Waits until nothing of a page is still to come, as far as can be seen. */
const settle = async (page: Page): Promise<void> => {
  const until = Date.now() + wholeAfter
  for (let quiet = 0; quiet < 3 && Date.now() < until;) {
    await pause(100)
    const isWhole = await page.evaluate<boolean>(
      "document.querySelector('h1') !== null && document.querySelector('.skeleton') === null"
    )
    quiet = isWhole ? quiet + 1 : 0
  }
}

const asked = /\/api\/v1\/(?!whoami|environment)/

/** What stands between the console and the API, by the name of the picture. */
const conditions = {
  "": undefined,
  "-slow": () => {},
  "-failing": (route: Parameters<Parameters<Page["route"]>[1]>[0]) =>
    route.fulfill({
      status: 503,
      contentType: "application/json",
      headers: { "retry-after": "7" },
      body: JSON.stringify({
        error: {
          code: "UNAVAILABLE",
          message: "The service is overloaded.",
          doc_url: "http://localhost/docs/errors/UNAVAILABLE"
        },
        meta: { request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c", timestamp: new Date().toISOString() }
      })
    })
} as const

/** Takes the pictures of a service in one look; answers how many. */
const take = async (
  browser: Browser,
  service: Running,
  [look, looking]: readonly [string, Looking],
  kind: "full" | "empty",
  directory: string
): Promise<number> => {
  const context = await browser.newContext(looking)
  const page = await context.newPage()
  let taken = 0
  // The sample data is in the test environment.
  const addressOf = (path: string) => `${service.url}${addressIn(kind === "full" ? "test" : "live", path)}`
  const picture = async (name: string) => {
    await page.screenshot({ path: join(directory, `${name}-${kind}-${look}.png`), fullPage: true })
    taken++
  }
  await page.goto(addressOf("/console"), { waitUntil: "load" })
  await page.getByLabel("Token").waitFor()
  if (kind === "full") await picture("sign-in")
  await page.getByLabel("Token").fill(service.token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("navigation", { name: "Console" }).waitFor()
  for (const [name, path] of await pagesOf(service)) {
    for (const [condition, answer] of Object.entries(conditions)) {
      if (condition !== "" && (kind === "empty" || name === "design")) continue
      if (answer !== undefined) await page.route(asked, answer)
      await page.goto(addressOf(path), { waitUntil: "load" })
      if (condition === "-slow") await page.locator("h1").first().waitFor()
      else await settle(page)
      await picture(`${name}${condition}`)
      if (answer !== undefined) await page.unroute(asked)
    }
  }
  if (kind === "full") {
    await page.goto(addressOf("/console/licenses"), { waitUntil: "load" })
    await page.getByRole("combobox", { name: "Search" }).fill("user")
    await page.getByRole("option", {}).first().waitFor()
    await picture("search")
  }
  await context.close()
  return taken
}

/** The first minutes of the four people, by the names of the pictures that show them. */
const minutes: ReadonlyArray<readonly [title: string, says: string, names: RegExp]> = [
  ["Sign in", "With a token, which is kept only in the tab.", /^sign-in-/],
  [
    "Support: find out why an app is refused",
    "Search for what the customer wrote; the license page shows whether it is allowed, and why not.",
    /^(search|licenses|license(-suspended)?|customers?)-/
  ],
  ["Development: check webhook deliveries", "Failing endpoints come first.", /^webhooks-/],
  ["Operations: check health", "The verdict and its reasons.", /^operations-/],
  ["Finance: monthly reports", "Tables, charts and verified exports.", /^reports-/],
  ["Design", "Tokens, components, states.", /^design-/]
]

/** A page that shows pictures, by their files' names. */
const gallery = (files: ReadonlyArray<string>): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The console</title><style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color-scheme: light dark }
div { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start }
figure { margin: 0; max-width: 30rem } figure img { width: 100%; border: 1px solid #8886; border-radius: 8px }
figure.phone { max-width: 14rem } figcaption { font-size: .8rem }
</style></head><body><h1>The console</h1>
${
    minutes.map(([title, says, names]) =>
      `<h2>${title}</h2><p>${says}</p><div>${
        files.filter((file) => file.endsWith(".png") && names.test(file)).toSorted().map((file) =>
          `<figure class="${
            file.includes("-390-") ? "phone" : "desk"
          }"><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${
            file.slice(0, -".png".length)
          }</figcaption></figure>`
        ).join("")
      }</div>`
    ).join("\n")
  }
</body></html>
`

const main = async (): Promise<void> => {
  const [given] = process.argv.slice(2)
  if (given === undefined) {
    console.error("Where to? npm run console:pictures -- <directory>")
    process.exitCode = 2
    return
  }
  const directory = resolve(given)
  const browserPackage = join(root, "test/browser")
  const { openBrowser } = await import(join(browserPackage, "open.mjs")).catch(() => {
    throw new Error(`The browser of the tests is not installed: npm ci --ignore-scripts --prefix ${browserPackage}`)
  })
  mkdirSync(directory, { recursive: true })
  const temporary = mkdtempSync(join(tmpdir(), "countersign-pictures-"))
  const running: Array<Running> = []
  try {
    const started = await start(join(temporary, "full"))
    running.push(started)
    const empty = await start(join(temporary, "empty"))
    running.push(empty)
    await command(started, "seed", "--licenses", String(licenses))
    const full = { ...started, token: await command(started, "token", "--environment", "test") }
    const browser: Browser = await openBrowser(patience)
    try {
      let taken = 0
      for (const look of looks) {
        taken += await take(browser, full, look, "full", directory)
        taken += await take(browser, empty, look, "empty", directory)
        console.log(`${look[0]}: ${taken} pictures so far`)
      }
      writeFileSync(join(directory, "index.html"), gallery(readdirSync(directory)))
      console.log(`They are in ${directory}; index.html shows them`)
    } finally {
      await browser.close()
    }
  } finally {
    await Promise.all(running.map(stop))
    rmSync(temporary, { recursive: true, force: true })
  }
}

await main()
