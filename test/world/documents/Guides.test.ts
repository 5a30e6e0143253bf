// The tutorial, the how-to guides and the commands of the reference are carried out as a reader would: each page from top to bottom, in a shell of its
// own, which has nothing but what the page says, sets and makes.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { inject } from "vitest"
import { clientPackage } from "../../fixtures/Bundle.ts"
import { guides, notRun } from "../../fixtures/Guide.ts"
import type { Block, Guide } from "../../fixtures/Guide.ts"
import { newcomersService, newcomersShell } from "../../fixtures/NewcomersShell.ts"
import type { NewcomersService, NewcomersShell } from "../../fixtures/NewcomersShell.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

/** Whether a text is as shown, where `…` stands for anything. */
const isLike = (text: string, shown: string): boolean => {
  const [first = "", ...parts] = shown.split("…")
  if (parts.length === 0) return text === shown
  const last = parts.pop()!
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let rest = text.slice(first.length, text.length - last.length)
  return parts.every((part) => {
    const at = rest.indexOf(part)
    rest = rest.slice(at + part.length)
    return at >= 0
  })
}

/** What an answer has otherwise than it is shown; it may have more members. */
const differences = (answer: unknown, shown: unknown, path: string): ReadonlyArray<string> => {
  const wrong = [`${path} is ${JSON.stringify(answer)}, shown as ${JSON.stringify(shown)}`]
  if (typeof shown === "string") return typeof answer === "string" && isLike(answer, shown) ? [] : wrong
  if (typeof shown !== "object" || shown === null) return answer === shown ? [] : wrong
  if (typeof answer !== "object" || answer === null || Array.isArray(answer) !== Array.isArray(shown)) return wrong
  if (Array.isArray(shown) && (answer as Array<unknown>).length !== shown.length) return wrong
  return Object.entries(shown).flatMap(([name, member]) =>
    differences((answer as Record<string, unknown>)[name], member, `${path}.${name}`)
  )
}

/** One script of all blocks of a page; the output of each stands behind a line with its number. */
const scriptOf = (blocks: ReadonlyArray<Block>): string =>
  blocks.map(({ code }, index) => `printf '\\n@@ %s\\n' ${index}\n${code}`).join("\n")

const parsed = (text: string): unknown =>
  Result.getOrElse(Result.try((): unknown => JSON.parse(text)), () => assert.fail(`not JSON: ${text}`))

const missing = ["curl", "openssl"].some((program) => spawnSync(program, ["--version"]).error !== undefined)

const isRun = ({ language }: Block): boolean => language === "sh"

const client = "@countersign/client"

/** The service that runs, and a shell beside it. */
interface Beside {
  /** What the service was started with. */
  readonly settings: string
  readonly service: NewcomersService
  readonly shell: NewcomersShell
}

describe("guides", () => {
  it("say why where their commands are only shown", () => {
    const noted = guides.flatMap(({ blocks, page }) =>
      blocks.filter(({ note }) => note !== "").map(({ language, note }) => ({ page, language, note }))
    )
    const unknown = noted.filter(({ language, note }) => language !== "console" || notRun[note] === undefined)
    assert.deepStrictEqual(unknown, [])
    assert.sameMembers([...new Set(noted.map(({ note }) => note))], Object.keys(notRun))
  })
})

describe.skipIf(missing)("a guide does what it says (needs curl and openssl)", () => {
  let built: string
  let beside: Beside | undefined

  /** A shell beside a service with these settings, which pages that want the same share; the one before ends. */
  const shellBeside = async (given: Readonly<Record<string, string>>): Promise<Beside> => {
    const settings = JSON.stringify(given)
    if (beside?.settings === settings) return beside
    await beside?.service.stop()
    const service = await newcomersService(given)
    return beside = { settings, service, shell: await newcomersShell(service) }
  }

  beforeAll(async () => {
    built = await clientPackage(inject("bundle"))
  })

  const settingsOf = (guide: Guide): string => JSON.stringify(guide.settings)
  const carriedOut = guides.filter(({ blocks }) => blocks.some(isRun)).toSorted((a, b) =>
    settingsOf(a).localeCompare(settingsOf(b))
  )

  it.each(carriedOut)("$page", async ({ blocks, first, page, settings }) => {
    const { service, shell } = await shellBeside(settings)
    const directory = temporaryDirectory()
    for (const { before, code, language } of blocks) {
      if (language !== "js") continue
      const [, name] = /\bas `([\w.-]+)`[^`]*$/.exec(before) ?? assert.fail(`${page}: save it as what?`)
      writeFileSync(join(directory, name!), shell.placed(code))
    }
    if (blocks.some(({ code, language }) => language === "js" && code.includes(client))) {
      mkdirSync(join(directory, "node_modules", dirname(client)), { recursive: true })
      symlinkSync(built, join(directory, "node_modules", client))
    }
    const run = blocks.filter(isRun)
    // Pages share a service, and each has a product of its own.
    const code = basename(page, ".md")
    // What was run before has the token in the variable that it looks for; the page where it is written asks for it.
    const before = [
      `COUNTERSIGN_TOKEN=${service.token}`,
      ...first.filter(isRun).map((block) => block.code.replaceAll("\"acme-studio\"", `"${code}"`)),
      "unset COUNTERSIGN_TOKEN"
    ]
    const printed = await shell.run(shell.placed(`${before.join("\n")}\n${scriptOf(run)}`), directory)
    const outputs = printed.split(/\n@@ \d+\n/).slice(1).map((output) => output.trim())
    assert.lengthOf(outputs, run.length)
    for (const [index, shown] of blocks.entries()) {
      const asked = blocks[index - 1]
      if (!["json", "text"].includes(shown.language) || asked?.language !== "sh") continue
      const output = outputs[run.indexOf(asked)]!
      if (shown.language === "json") {
        assert.deepStrictEqual(differences(parsed(output), parsed(shown.code), ""), [], `${page}: ${asked.code}`)
      } else {
        const text = shell.placed(shown.code.trim())
        assert.isTrue(isLike(output, text), `${page}: ${asked.code}\nanswers ${output}`)
      }
    }
  })
})
