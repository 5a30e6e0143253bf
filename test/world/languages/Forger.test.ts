// Everything that a forger does to a file of each kind, judged by the command, by the page in a browser, by the auditor, and by the package
// for Python. Nobody says proven of what was changed.
import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, vi } from "vitest"
import { startAuditor, startPackage, unlessPython } from "../../fixtures/Auditor.ts"
import type { Verification } from "../../fixtures/Auditor.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { looks } from "../../fixtures/Console.ts"
import { commandOver, forgedFiles, logOfNothing, refusal, zipOf } from "../../fixtures/ForgedFiles.ts"
import type { ForgedFile } from "../../fixtures/ForgedFiles.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { takesAll, takeTurns } from "../../fixtures/Share.ts"
import { builtVerifyPage } from "../../fixtures/VerifyPage.ts"

takeTurns()

const kinds = await forgedFiles()

/**
 * A browser and Python are slow: they try a part of the forgeries, by the seed of the run. `FORGERIES=all` has them try all of them.
 */
const parts = process.env["FORGERIES"] === "all" || takesAll ? 1 : 24
const part = Math.floor(chance("forger").upTo(parts))
const page = builtVerifyPage()

/** What a reader says of a file that it takes for proven; undefined of any other one. */
type Reader = (bytes: Uint8Array) => Promise<string | undefined>

/** Holds a reader to what it may prove: the genuine file, and those that say the same. */
const hold = async ({ bytes, forgeries, isBeside }: ForgedFile, reader: Reader, of = parts) => {
  const genuine = await reader(bytes)
  assert.isDefined(genuine)
  const passed: Array<string> = []
  let tried = 0
  for (const [how, forged] of forgeries()) {
    tried += 1
    if (tried % of === part % of && await reader(forged) !== undefined && !isBeside(how)) passed.push(how)
  }
  assert.isAbove(tried, 40)
  assert.deepStrictEqual(passed, [])
}

const directory = temporaryDirectory()
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(directory, name), content)
  return join(directory, name)
}

/** The arguments of the auditor for a file; none where it has no reader of that kind by itself. */
const asked = (file: ForgedFile, bytes: Uint8Array): ReadonlyArray<string> | undefined => {
  const { beside = {}, fingerprint = "", licenseKey = "", name } = file
  const keys = ["--keys", put("keys.json", file.keys), "--now", file.now]
  const archive = () => put("archive.zip", zipOf({ ...beside, [name]: bytes }))
  switch (name) {
    case "answer.json":
      return ["answer", put(name, bytes), ...keys]
    case "receipt.json":
      return ["receipt", put(name, bytes), ...keys]
    case "license.lic":
      return ["offline", put(name, bytes), "--license-key", licenseKey, "--fingerprint", fingerprint, ...keys]
    case "statement.json":
    case "statement.zip":
      return ["statement", put(name, bytes), ...keys]
    // A manifest, and a document or a table of a statement, are in the archive.
    case "statement.json.manifest.json":
    case "statement.pdf":
      return ["statement", archive(), ...keys]
    case "purchases.csv.manifest.json":
    case "purchases.json":
    case "purchases.csv":
      return ["exports", put("nothing.ndjson", logOfNothing), archive(), ...keys]
    case "events.ndjson":
      return ["events", put(name, bytes), ...keys]
    case "checkpoint.txt":
      return [
        "growth",
        put("kept.txt", file.bytes),
        put(name, bytes),
        "--proof",
        put("growth.json", `{"hashes":[]}`),
        ...keys
      ]
    case "chain.json":
      return ["license", put(name, bytes), "--from-start", ...keys]
    default:
      return undefined
  }
}

const verifications = {
  "answer.json": "answer",
  "receipt.json": "receipt",
  "refusal.json": "refusal",
  "license.lic": "offline",
  "chain.json": "chain"
} as const

afterEach(() => void vi.useRealTimers())

describe("a forger of files", () => {
  for (const file of kinds.filter(({ isNeverProven }) => isNeverProven !== true)) {
    it(`passes with no ${file.name} by the command`, async () => {
      vi.useFakeTimers({ now: Date.parse(file.now), toFake: ["Date"] })
      const command = commandOver(file)
      await hold(file, async (bytes) => {
        const { out, status } = await command(bytes)
        return status === 0 ? out : undefined
      }, 1)
    })
  }

  it("passes with none on the page in a browser", async () => {
    const browser = await openBrowser()
    const tab = await (await browser.newContext(looks.desk)).newPage()
    for (const file of kinds) {
      await tab.goto(pathToFileURL(page).href)
      const { beside = {}, fingerprint = "", keys, licenseKey = "", name, now } = file
      await tab.evaluate(`Date.now = () => ${Date.parse(now)}`)
      for (const [id, value] of Object.entries({ keys, "license-key": licenseKey, fingerprint })) {
        await tab.evaluate(`(() => {
          const field = document.getElementById(${JSON.stringify(id)})
          field.value = ${JSON.stringify(value)}
          field.dispatchEvent(new Event("input"))
        })()`)
      }
      const coded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
      const stand = Object.entries(beside).map(([of, bytes]) => [of, coded(bytes)])
      /** Chooses each of some files with what stands beside it; answers which of them are proven in whole. */
      const proven = (some: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<boolean>> =>
        tab.evaluate(`(async () => {
          const file = ([name, coded]) => new File([Uint8Array.from(atob(coded), (one) => one.charCodeAt(0))], name)
          const beside = ${JSON.stringify(stand)}.map(file)
          const field = document.getElementById("files")
          const reports = document.getElementById("reports")
          const proven = []
          for (const coded of ${JSON.stringify(some.map(coded))}) {
            const chosen = new DataTransfer()
            for (const one of [file([${JSON.stringify(name)}, coded]), ...beside]) chosen.items.add(one)
            reports.replaceChildren()
            const shown = new Promise((resolve) => new MutationObserver(resolve).observe(reports, { childList: true }))
            field.files = chosen.files
            field.dispatchEvent(new Event("change"))
            await shown
            proven.push([...reports.querySelectorAll("article")].every((one) => one.className === "proven"))
          }
          return proven
        })()`)
      assert.deepStrictEqual(await proven([file.bytes]), [file.isNeverProven !== true], name)
      const all = [...file.forgeries()].filter((_, index) => index % parts === part)
      for (let at = 0; at < all.length; at += 50) {
        const some = all.slice(at, at + 50)
        const found = await proven(some.map(([, bytes]) => bytes))
        const passed = some.flatMap(([how], index) => found[index]! && !file.isBeside(how) ? [how] : [])
        assert.deepStrictEqual(passed, [], name)
      }
    }
    await browser.close()
  }, 600_000)
})

describe.skipIf(unlessPython !== "")(`a forger of files, before Python${unlessPython}`, () => {
  for (const file of kinds.filter((file) => asked(file, file.bytes) !== undefined)) {
    it(`passes with no ${file.name} before the auditor`, async () => {
      const auditor = startAuditor()
      await hold(file, async (bytes) => {
        const [status, output] = await auditor(...asked(file, bytes)!)
        return status === 0 ? output : undefined
      })
    }, 600_000)
  }

  for (const file of kinds.filter(({ name }) => name in verifications)) {
    it(`passes with no ${file.name} before the package`, async () => {
      const ask = startPackage()
      const { fingerprint, keys, licenseKey, name, now } = file
      const question: Omit<Verification, "file"> = {
        verify: verifications[name as keyof typeof verifications],
        keys,
        now,
        nonce: refusal.nonce,
        request: refusal.request,
        license_key: licenseKey ?? refusal.license_key,
        ...(fingerprint === undefined ? {} : { fingerprint })
      }
      await hold(file, (bytes) => ask({ ...question, file: Buffer.from(bytes).toString("base64") }))
    }, 600_000)
  }
})
