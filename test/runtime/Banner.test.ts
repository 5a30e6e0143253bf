// What a newcomer sees: the program on a terminal of its own.
import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { placeForFiles } from "../fixtures/FilesPlace.ts"
import { freePort } from "../fixtures/FreePort.ts"
import { guardProcess } from "../fixtures/Guarded.ts"
import { root, temporaryDirectory } from "../fixtures/Program.ts"
import { atEnd, eventually } from "../fixtures/Session.ts"

/** Runs a program on a pseudo-terminal, copies what it prints, and passes SIGTERM on as Ctrl-C. */
const terminal = `
import os, pty, signal, sys
pid, place = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.write(place, b"\\x03"))
while True:
    try:
        data = os.read(place, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

const hasTerminal = spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0

describe("a first start on a terminal", () => {
  it.skipIf(!hasTerminal)("says in ten lines where all is, nothing else, and no secret (needs Python)", async () => {
    const directory = temporaryDirectory(placeForFiles())
    const port = String(await freePort())
    const program = [
      process.execPath,
      "--import",
      join(root, "src/runtime/compileCache.mjs"),
      join(inject("bundle"), "main.js")
    ]
    const child = spawn("python3", ["-c", terminal, ...program], {
      cwd: root,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: process.env["HOME"] ?? "",
        PORT: port,
        COUNTERSIGN_DATA_DIR: directory
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    guardProcess(child)
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
    atEnd(async () => {
      child.kill("SIGKILL")
      await ended
    })
    await eventually("the banner ends", () => /Stop +Ctrl-C/.test(output))
    const said = output.replaceAll("\r", "")
    const lines = said.trimEnd().split("\n")
    assert.strictEqual(lines[0], `Countersign is ready at http://127.0.0.1:${port}`)
    assert.isAtMost(lines.length, 10, said)
    assert.include(said, `kept in ${join(directory, "admin.token")}`)
    assert.include(said, directory)
    assert.notInclude(said, readFileSync(join(directory, "admin.token"), "utf8").trim())
    assert.notInclude(said, readFileSync(join(directory, "master.key"), "utf8").trim())
    const urls = [...said.matchAll(/http:\S+/g)].map(([url]) => url)
    assert.isAtLeast(urls.length, 4)
    // As a browser asks: every address that is told is one.
    for (const url of urls) {
      const { status } = await fetch(url, { headers: { accept: "text/html" } })
      assert.strictEqual(status, url.endsWith("/whoami") ? 401 : 200, url)
    }
    const [, request = ""] = /Try +(.+)/.exec(said) ?? []
    const tried = spawnSync("sh", ["-c", request], { cwd: root })
    assert.include(tried.stdout.toString(), "\"kind\":\"bootstrap\"", tried.stderr.toString())
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0)
  })
})
