import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"

const service = await startService()
const directory = temporaryDirectory()

/** Types lines at the program of examples/app, until it ends; answers what it shows. */
const play = (...lines: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "examples/app/main.ts")], {
      env: {
        PATH: process.env["PATH"] ?? "",
        COUNTERSIGN_URL: service.url,
        COUNTERSIGN_ADMIN_TOKEN: adminToken,
        EXAMPLE_APP_DIR: directory
      }
    })
    guardProcess(child)
    let shown = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (shown += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => code === 0 ? resolve(shown) : reject(new Error(shown)))
    child.stdin.end([...lines, "quit", ""].join("\n"))
  })

it("the program of examples/app does what its README says, with the service and without it", async () => {
  const first = await play("activate", "use 3", "offline", "suspend", "check", "reinstate", "check")
  assert.match(
    first,
    /STOPS {2}unlicensed[^]*runs {3}active[^]*counted; 7 left[^]*STOPS {2}suspended[^]*runs {3}active/
  )
  await service.kill("SIGKILL")
  const second = await play("check", "use 2", "state")
  assert.notMatch(second, /STOPS/)
  assert.match(second, /kept, and sent when the service is back/)
})
