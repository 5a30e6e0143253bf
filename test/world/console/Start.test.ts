// The first page: from an empty service to an app that calls it, and what matters every day.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { languages } from "../../../src/console/composition/start/Snippets.ts"
import type { Language } from "../../../src/console/composition/start/Snippets.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { oneLook, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { lendingPython } from "../../fixtures/Python.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { countHands } from "../../fixtures/Walk.ts"

const execute = promisify(execFile)

const hasDotnet = spawnSync("dotnet", ["--version"], { stdio: "ignore" }).status === 0

let browser: Browser
let empty: Service
let full: Service

beforeAll(async () => {
  ;[empty, full, browser] = await Promise.all([startService(), startService(), openBrowser()])
  await seedVendor(full, 60, "console")
})
afterAll(() => browser.close())

const opened = async (service: Service, options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path: "/console", ...options })
  onTestFinished(() => visitor.close())
  return visitor
}

const whole = { headings: 1, wider: 0, outside: [] }

/** The programs of the languages that the page shows; undefined where this machine has none. */
const programs: Readonly<Record<Language, ((file: string) => ReadonlyArray<string>) | undefined>> = {
  JavaScript: (file) => [process.execPath, file],
  Python: lendingPython === undefined ? undefined : (file) => [lendingPython!.command, file],
  "C#": hasDotnet ? (file) => ["dotnet", "run", "--project", dirname(file)] : undefined,
  curl: (file) => ["bash", file]
}

const endings: Readonly<Record<Language, string>> = { JavaScript: "mjs", Python: "py", "C#": "cs", curl: "sh" }

/** The project that a C# program is of. */
const project = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net8.0</TargetFramework><RollForward>Major</RollForward><ImplicitUsings>enable</ImplicitUsings>
</PropertyGroup></Project>`

/** Runs a program exactly as the page shows it; answers what it prints. */
const run = async (language: Language, text: string): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), "snippet-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, `snippet.${endings[language]}`)
  writeFileSync(file, text)
  if (language === "C#") writeFileSync(join(directory, "snippet.csproj"), project)
  const [program = "", ...args] = programs[language]?.(file) ?? []
  return (await execute(program, args)).stdout
}

/** What the page shows in each language, with the key of a license that was issued on it. */
const snippets = new Map<Language, string>()

describe("an empty service", () => {
  it("leads to the request of an app in 5 clicks and 13 keys, and goes on after a reload", async () => {
    const visitor = await opened(empty)
    const { page } = visitor
    await visitor.shows("Sell your first license")
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    const hands = await countHands(page)
    await page.getByLabel("Product name").click()
    await page.keyboard.type("Acme Draft")
    await page.getByRole("button", { name: "Create product" }).click()
    await visitor.shows("Continue setup: 1 of 4")
    await page.getByRole("button", { name: "Create policy" }).click()
    await visitor.shows("Continue setup: 2 of 4")
    await eventually(
      "the hands go on in the field",
      async () => await page.evaluate("document.activeElement.localName") === "input"
    )
    await page.keyboard.type("Ada")
    await page.getByRole("button", { name: "Issue license", exact: true }).click()
    await visitor.shows("Waiting for the first activation")
    await page.getByRole("button", { name: "Copy", exact: true }).click()
    assert.deepStrictEqual(await hands(), { clicks: 5, keys: 13 })
    assert.deepStrictEqual(await visitor.axe(), [])
    for (const language of languages) {
      await page.getByRole("button", { name: language, exact: true }).click()
      snippets.set(language, await page.getByLabel(`${language} snippet`).innerText())
    }
    // What is done is read, so that a reload goes on where it was; the key is not shown again.
    await visitor.goto("/console/start")
    await visitor.shows("Continue setup: 3 of 4")
    await visitor.shows("The key is shown only once.")
    const printed = await run("curl", snippets.get("curl") ?? "")
    assert.include(printed, "\"data\"", printed)
    assert.include(await visitor.shows("You are selling."), "activated.")
    await page.getByRole("button", { name: "Go to the overview" }).click()
    await visitor.shows("Ending within 30 days")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  for (const language of languages.filter((name) => name !== "curl")) {
    const isHere = programs[language] !== undefined
    it.skipIf(!isHere)(
      `is called by what the page shows in ${language}, as it is shown${
        isHere ? "" : " (left out: this machine lacks it)"
      }`,
      async () => {
        const printed = await run(language, snippets.get(language) ?? "")
        assert.match(printed, /"?data"?:/, printed)
        const [license] = await empty.data("GET", "/api/v1/licenses?limit=1")
        assert.strictEqual(license.active_device_count, 1, "each language activates the one device")
      },
      120_000
    )
  }
})

describe.each(oneLook("the start"))("the start (%s)", (_name, look) => {
  it("has figures, each with its list, and fits", async () => {
    const visitor = await opened(full, { look })
    const text = await visitor.shows("Ending within 30 days")
    for (const label of ["Licenses issued", "Active licenses", "Activations", "Refusals", "Quotas reached"]) {
      assert.include(text, label)
    }
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    await visitor.page.getByRole("link", { name: "Licenses issued" }).click()
    await visitor.shows("issued a license")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the figures", () => {
  it("are dashes when they could not be read, and never 0", async () => {
    const visitor = await opened(full, { path: "/console/licenses" })
    await visitor.page.route(/\/api\/v1\/overview/, (route) => route.abort())
    await visitor.page.getByRole("link", { name: "Start" }).click()
    const text = await visitor.shows("Cannot reach the service.")
    assert.match(text, /Licenses issued\s+–/)
    await visitor.page.unroute(/\/api\/v1\/overview/)
    await visitor.page.getByRole("button", { name: "Try again" }).click()
    await visitor.shows("Ending within 30 days")
  })

  it("leave out what a token may not see, and lead nowhere that refuses it", async () => {
    const { token } = await full.data("POST", "/api/v1/api-keys", { name: "metrics", scopes: ["report:read"] })
    const visitor = await opened(full, { token })
    const text = await visitor.shows("Refusals by reason")
    assert.notInclude(text, "Ending within")
    assert.notInclude(text, "Issue license")
    assert.strictEqual(await visitor.page.locator("main a[href*='/licenses']").count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
