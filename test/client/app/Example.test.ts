import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { appWithoutBrowser, CertifiedProvider } from "../../fixtures/CertifiedProvider.ts"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"

const service = await startService({ as: "host" })
const directory = temporaryDirectory()

/** Runs a program of the examples, which is given lines, until it ends; answers what it shows. */
const run = (program: string, env: Readonly<Record<string, string>>, lines: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, program)], {
      env: {
        PATH: process.env["PATH"] ?? "",
        COUNTERSIGN_URL: service.url,
        COUNTERSIGN_ADMIN_TOKEN: adminToken,
        ...env
      }
    })
    guardProcess(child)
    let shown = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (shown += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => code === 0 ? resolve(shown) : reject(new Error(shown)))
    child.stdin.end(lines.join("\n"))
  })

/** Types lines at the program of examples/app. */
const play = (...lines: ReadonlyArray<string>) =>
  run("examples/app/main.ts", { EXAMPLE_APP_DIR: directory }, [...lines, "quit", ""])

it("the program of examples/users signs a person in on another device, once for a day", async () => {
  const provider = await new CertifiedProvider().open()
  provider.serve("https://app.example/callback", { ada: {} }, { account: "ada", denies: false })
  const env = { EXAMPLE_USERS_DIR: temporaryDirectory(), ISSUER: provider.issuer, CLIENT_ID: appWithoutBrowser }
  const signIn = () => run("examples/users/main.ts", env, [])
  assert.match(
    await signIn(),
    /^Open http:\S+\/device on any device, and type [A-Z]{4}-[A-Z]{4}\nYour license is active\. \S+ is signed in\.\n$/
  )
  assert.match(await signIn(), /^Your license is active\. \S+ is signed in\.\n$/)
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
