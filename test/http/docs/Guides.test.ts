// The tutorial and the how-to guides are carried out as a reader would: each page from top to bottom, in one shell.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { buildClient } from "../../../build/client.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"

/** A block of code with what is said right before it. */
interface Block {
  readonly language: string
  readonly code: string
  readonly before: string
}

const read = (page: string): string => readFileSync(join(root, "docs", page), "utf8")

const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  let end = 0
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => {
    const before = markdown.slice(end, found.index)
    end = found.index + found[0].length
    return { language: found[1]!, code: found[2]!, before }
  })
}

const pages = ["tutorial", "how-to"].flatMap((folder) =>
  readdirSync(join(root, "docs", folder)).map((name) => `${folder}/${name}`)
)

/** The functions that each page begins with, as the first page defines them. */
const functions = blocksOf(read("tutorial/quick-start.md")).find(({ language }) => language === "sh")!.code

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
    .replaceAll("npm run -s countersign --", `'${process.execPath}' '${join(root, "src/runtime/cli.ts")}'`)
    .replaceAll(/\bnpx node\b/g, `'${process.execPath}'`)

/** Runs a script in a shell, ends what it has started, and answers what it printed; a failure of it is thrown. */
const shell = async (script: string, cwd: string, environment: Readonly<Record<string, string>>): Promise<string> => {
  const bash = spawn("bash", ["-c", `set -e\n${script}`], {
    cwd,
    detached: true,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output = { printed: "", errors: "" }
  bash.stdout.on("data", (chunk: Buffer) => (output.printed += chunk.toString()))
  bash.stderr.on("data", (chunk: Buffer) => (output.errors += chunk.toString()))
  const end = () => Result.try(() => process.kill(-bash.pid!, "SIGKILL"))
  const deadline = setTimeout(end, 200_000)
  const [status] = await once(bash, "exit")
  end()
  clearTimeout(deadline)
  assert.strictEqual(status, 0, `${output.printed}\n${output.errors}`)
  return output.printed
}

const parsed = (text: string): unknown =>
  Result.getOrElse(Result.try((): unknown => JSON.parse(text)), () => assert.fail(`not JSON: ${text}`))

const missing = spawnSync("curl", ["--version"]).error !== undefined

const client = "@countersign/client"

describe.skipIf(missing)("a guide does what it says (needs curl)", () => {
  let service: Service
  /** The package of clients, as `npm run build:client` makes it. */
  const built = temporaryDirectory()
  beforeAll(async () => {
    service = await startService({ environment: { COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" } })
    await buildClient(built)
  })

  it.each(pages)("%s", async (page) => {
    const blocks = blocksOf(read(page))
    const directory = temporaryDirectory()
    for (const { before, code, language } of blocks) {
      if (language !== "js") continue
      const [, name] = /\bas `([\w.-]+)`[^`]*$/.exec(before) ?? assert.fail(`${page}: save it as what?`)
      writeFileSync(join(directory, name!), code)
    }
    if (blocks.some(({ code, language }) => language === "js" && code.includes(client))) {
      mkdirSync(join(directory, "node_modules", dirname(client)), { recursive: true })
      symlinkSync(built, join(directory, "node_modules", client))
    }
    const shells = blocks.filter(({ language }) => language === "sh")
    const own = page === "tutorial/quick-start.md" ? "" : functions
    const printed = await shell(`${own}\n${scriptOf(shells)}`, directory, {
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_TOKEN: adminToken,
      RECEIVER_PORT: String(await freePort()),
      // Commands of the service have its environment.
      DATABASE_URL: service.databaseUrl,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_DATA_DIR: directory
    })
    const outputs = printed.split(/\n@@ \d+\n/).slice(1).map((output) => output.trim())
    assert.lengthOf(outputs, shells.length)
    for (const [index, shown] of blocks.entries()) {
      const asked = blocks[index - 1]
      if (!["json", "text"].includes(shown.language) || asked?.language !== "sh") continue
      const output = outputs[shells.indexOf(asked)]!
      if (shown.language === "json") {
        assert.deepStrictEqual(differences(parsed(output), parsed(shown.code), ""), [], `${page}: ${asked.code}`)
      } else assert.isTrue(isLike(output, shown.code.trim()), `${page}: ${asked.code}\nanswers ${output}`)
    }
  })
})
