import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { operations as contractOperations } from "../../src/api/composition/docs/Operations.ts"
import { countersign } from "../../src/runtime/CommandLine.ts"
import { runCommand } from "../fixtures/CommandLine.ts"
import { root, temporaryDirectory } from "../fixtures/Program.ts"
import type { Ended } from "../fixtures/Program.ts"

type Node = Completions.CommandDescriptor

interface Placed {
  readonly path: ReadonlyArray<string>
  readonly node: Node
}

const walk = (node: Node, path: ReadonlyArray<string>): ReadonlyArray<Placed> => [
  { path, node },
  ...node.subcommands.flatMap((child) => walk(child, [...path, child.name]))
]

const tree = walk(Completions.fromCommand(await Effect.runPromise(countersign)), [])
const operations = readFileSync(join(root, "docs/reference/operations.md"), "utf8")

/** The words of each command as a shell splits them: one shell for all, because starting one takes longer. */
const wordsOf = (commands: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  // A NUL ends each word, and the separator of records (ASCII 30) each command.
  const lines = commands.map((command) => `printf '%s\\0' ${command.split(/ [|>] /)[0]}; printf '\\036'`)
  const { stderr, stdout } = spawnSync("bash", ["-s"], { input: `set -f\n${lines.join("\n")}\n`, encoding: "utf8" })
  const split = stdout.split("\u001e").slice(0, -1).map((words) => words.split("\0").slice(0, -1))
  assert.strictEqual(split.length, commands.length, stderr)
  return split
}

/** The place in the tree that words name, and what follows. */
const placeOf = (words: ReadonlyArray<string>) => {
  let at = tree[0]!
  for (const [index, word] of words.entries()) {
    const child = tree.find(({ path }) => path.join(" ") === [...at.path, word].join(" "))
    if (child === undefined) return { at, rest: words.slice(index) }
    at = child
  }
  return { at, rest: [] }
}

/** The examples in the help of a command. */
const examplesIn = (help: string): ReadonlyArray<string> =>
  (help.split("EXAMPLES\n")[1] ?? "").split("\n").map((line) => line.trim())
    .filter((line) => /(^|\s)countersign /.test(line) && !line.startsWith("#"))

/** What follows the name of the program in an example. */
const afterName = (example: string): string => example.slice(example.indexOf("countersign ") + "countersign ".length)

/** The help of each command by its name, and the words of each example. */
const helps = new Map<string, Ended>()
const wordsIn = new Map<string, ReadonlyArray<string>>()

beforeAll(async () => {
  for (const { path } of tree) helps.set(["countersign", ...path].join(" "), await runCommand([...path, "--help"]))
  const examples = [...helps.values()].flatMap(({ output }) => examplesIn(output))
  for (const [index, split] of wordsOf(examples.map(afterName)).entries()) wordsIn.set(examples[index]!, split)
})

/** The commands that work in no environment of their own, each with the reason. */
const inNoEnvironment: Readonly<Record<string, string>> = {
  start: "runs the service, which serves every environment",
  "config check": "judges the settings, which are those of the whole service",
  witness: "cosigns the checkpoints of logs of any service",
  "verify events": "reads files, and asks neither the service nor a database",
  "verify export": "reads files, and asks neither the service nor a database"
}

describe.each(tree.map((placed) => [["countersign", ...placed.path].join(" "), placed] as const))(
  "%s",
  (name, placed) => {
    it("says what it does, with examples that are commands of it", () => {
      const { errors, output, status } = helps.get(name)!
      assert.strictEqual(status, 0, errors)
      assert.isNotEmpty(placed.node.description ?? "", "a description")
      if (placed.node.subcommands.length === 0) {
        assert.strictEqual(
          output.includes("--environment"),
          !(placed.path.join(" ") in inNoEnvironment),
          "It takes --environment (inEnvironment in src/runtime/CommandLine.ts), or stands here with the reason"
        )
      }
      const examples = examplesIn(output)
      assert.isNotEmpty(examples, "an example")
      for (const example of examples) {
        const { at, rest } = placeOf(wordsIn.get(example)!)
        assert.isTrue(
          ["countersign", ...at.path].join(" ").startsWith(name),
          `${example} is an example of another command`
        )
        const flags = rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2).split("=")[0]!)
        const known = at.node.flags.flatMap((flag) => [flag.name, `no-${flag.name}`])
        assert.includeMembers([...known, "completions", "environment"], flags, example)
        const required = at.node.arguments.filter((argument) => argument.required)
        assert.isAtLeast(rest.filter((word) => !word.startsWith("--")).length, required.length, example)
      }
    })

    it.skipIf(placed.node.subcommands.length > 0 && name !== "countersign token")("has a row in the operations", () => {
      // One row stands for all operations of the API, which have a reference of their own.
      const row = placed.path[0] === "api" ? "api <operation>" : placed.path.join(" ")
      assert.match(operations, new RegExp(`^\\| \`${row}[\` ]`, "m"))
    })
  }
)

describe("countersign api", () => {
  it("has every operation of the contract, under its id", () => {
    const below = tree.filter(({ path }) => path[0] === "api" && path.length === 2).map(({ path }) => path[1])
    assert.sameMembers(below, contractOperations.map(({ operationId }) => operationId))
  })
})

describe("commands that ask a service", () => {
  const asking = tree.filter(({ node }) => node.flags.some(({ name }) => name === "url"))

  it("are all that take an address", () => {
    const others = tree.filter((placed) => !asking.includes(placed))
      .filter(({ node }) =>
        node.flags.some(({ description = "" }) => /\b(address of|the) service,? http/i.test(description))
      )
    assert.deepStrictEqual(others.map(({ path }) => path.join(" ")), [])
    assert.isAtLeast(asking.length, 10)
  })

  it.each(asking.map(({ node, path }) => [path.join(" "), path, node] as const))(
    "%s asks the one of COUNTERSIGN_URL without being told on its line",
    async (_, path, node) => {
      const given = node.arguments.filter(({ required }) => required).map(() => "none")
      const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
        "events export": ["--out", join(temporaryDirectory(), "events.ndjson")],
        "api downloadReportExport": ["--out", "none"],
        "api getEventLogEntries": ["--out", "none"],
        "api getEventLogTile": ["--out", "none"],
        "api downloadReportExportSnapshot": ["--out", "none"],
        "api downloadReportExportArchive": ["--out", "none"],
        "licenses extend": ["--days", "1"],
        "webhooks listen": ["--forward-to", "http://127.0.0.1:1"],
        // A file is read before anybody is asked.
        import: [join(root, "package.json")]
      }
      const ended = await runCommand([...path, ...given, ...needed[path.join(" ")] ?? []], {
        COUNTERSIGN_URL: "not an address",
        COUNTERSIGN_TOKEN: "none"
      })
      assert.strictEqual(ended.status, 2, ended.errors)
      assert.include(ended.errors, "The address of the service must ")
    }
  )
})

describe("completions", () => {
  it.each([
    [["licenses", "sus"], ["suspend"]],
    [["licenses", "suspend", "--cu"], ["--curl"]],
    [["webhooks", "listen", "--forw"], ["--forward-to"]],
    [["ev"], ["events"]]
  ])("bash completes %j", async (words, expected) => {
    const { output } = await runCommand(["--completions", "bash"])
    // Longer than an argument may be.
    const script = join(temporaryDirectory(), "countersign.bash")
    writeFileSync(script, output)
    const line = ["countersign", ...words].join(" ")
    const asked = spawnSync("bash", [
      "--norc",
      "-c",
      `source ${script}
      [[ $(complete -p countersign) =~ -F\\ ([^ ]+) ]] || exit 9
      COMP_WORDS=(${line}); COMP_CWORD=${words.length}; COMP_LINE='${line}'; COMP_POINT=${line.length}
      "\${BASH_REMATCH[1]}" countersign '${words.at(-1)}' '${words.at(-2) ?? "countersign"}'
      printf '%s\\n' "\${COMPREPLY[@]}"`
    ], { encoding: "utf8" })
    assert.deepStrictEqual(asked.stdout.trim().split("\n").map((word) => word.trim()), expected, asked.stderr)
  })

  it.each(["zsh", "fish"])("%s has a script that names every command", async (shell) => {
    const { output, status } = await runCommand(["--completions", shell])
    assert.strictEqual(status, 0)
    for (const { node } of tree) assert.include(output, node.name)
    // Where the machine has the shell, it reads the script.
    const read = spawnSync(shell, ["-n"], { input: output, encoding: "utf8" })
    if (read.error === undefined) assert.strictEqual(read.status, 0, read.stderr)
  })
})
