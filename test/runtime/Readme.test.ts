import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import type { ChildProcessByStdio } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { expectHealthy } from "../fixtures/Doctor.ts"
import { guardProcess } from "../fixtures/Guarded.ts"
import { blocks, section } from "../fixtures/Markdown.ts"
import { root, run, shell, temporaryDirectory } from "../fixtures/Program.ts"
import { adminToken } from "../fixtures/Service.ts"
import { atEnd, database, eventually } from "../fixtures/Session.ts"

// The second case ends what the first has used: a start from the source tree costs more than both.
describe("npm start", () => {
  let databaseUrl: string
  let npm: ChildProcessByStdio<null, Readable, null>
  let url: string
  let output = ""
  let isClosed = false
  beforeAll(async () => {
    databaseUrl = await database()
    npm = spawn("npm", ["start"], {
      cwd: root,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        PORT: "0",
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
        COUNTERSIGN_ADMIN_TOKEN: adminToken,
        COUNTERSIGN_LOG_FORMAT: "json"
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    guardProcess(npm)
    npm.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    // The service itself holds the other end of its output for as long as it runs.
    npm.stdout.once("close", () => (isClosed = true))
    atEnd(() => {
      npm.kill("SIGTERM")
      return eventually("the service has ended", () => isClosed)
    })
    url = await eventually("the service starts", () => /is ready at (http:[^\s"]+)/.exec(output)?.[1])
  })

  it("takes the README's first requests as they are written, and its program verifies the answer", async () => {
    const text = section("README.md", "## First requests")
    const requests = blocks(text, "sh").join("\n")
    // A shell that is typed into need not know comments: pasted, one would be taken for a command.
    assert.notMatch(requests, /(^|\s)#/m)
    const [verify = ""] = blocks(text, "js")
    const cwd = temporaryDirectory()
    const { stdout } = await shell(
      requests.replace("http://127.0.0.1:8080", url).replace("npm run", `npm --prefix '${root}' run`),
      cwd,
      { COUNTERSIGN_ADMIN_TOKEN: adminToken, COUNTERSIGN_DATA_DIR: cwd }
    )
    assert.match(stdout, /^CS(-[0-9A-Z]{5}){5}$/m)
    assert.include(stdout, "\"nonce\":\"n-7f3a9c21d0\"")

    writeFileSync(join(cwd, "verify.mjs"), verify)
    const genuine = await run(["verify.mjs"], {}, cwd)
    assert.match(genuine.output, /^genuine: active lic_\w+$/m, genuine.errors)
    const answer = readFileSync(join(cwd, "answer.json"), "utf8")
    writeFileSync(join(cwd, "answer.json"), answer.replace("\"status\":\"active\"", "\"status\":\"active \""))
    assert.include((await run(["verify.mjs"], {}, cwd)).errors, "forged")
  })

  it("is stopped by the signal that stops npm, and leaves what the doctor finds in order", async () => {
    npm.kill("SIGTERM")
    await eventually("the service has ended", () => isClosed)
    assert.include(output, "draining")
    assert.strictEqual(await fetch(url).then(() => "answers", () => "gone"), "gone")
    await expectHealthy(databaseUrl, [])
  })
})
