import { assert, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

/** Where Debian installs the sources of Go packages (golang-golang-x-mod-dev). */
const sources = "/usr/share/gocode"

const hasGo = existsSync(join(sources, "src/golang.org/x/mod/sumdb/tlog")) &&
  spawnSync("go", ["version"]).status === 0
const unlessGo = hasGo ? "" : " (left out: this machine has no Go with golang.org/x/mod)"

/** Compiles the monitor once; answers the program. */
const compiled = (): string => {
  const program = join(temporaryDirectory(), "tlogMonitor")
  const { status, stderr } = spawnSync("go", ["build", "-o", program, join(root, "test/fixtures/tlogMonitor.go")], {
    env: { ...process.env, GOPATH: sources, GO111MODULE: "off", GOFLAGS: "", GOCACHE: temporaryDirectory() },
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return program
}

/** Makes customers, and answers the verifier key of the log once a checkpoint covers them. */
const grown = async (service: Service, from: number, to: number): Promise<string> => {
  for (let at = from; at < to; at++) await service.data("POST", "/api/v1/customers", { code: `c-${at}`, name: `${at}` })
  const { sequence } = (await service.feed()).at(-1)
  return eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= sequence ? body.data.verifier_key : undefined
  })
}

describe.skipIf(!hasGo)(`the log, read by golang.org/x/mod/sumdb${unlessGo}`, () => {
  it("is followed from checkpoint to checkpoint, and each entry is proven from tiles", async () => {
    const service = await startService()
    const program = compiled()
    const run = async (verifierKey: string, ...seen: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      const { stdout } = await promisify(execFile)(program, [
        `${service.url}/api/v1/log/1`,
        adminToken,
        verifierKey,
        ...seen
      ])
      return stdout.trim().split(" ")
    }
    const first = await run(await grown(service, 0, 40))
    const second = await run(await grown(service, 40, 330), ...first)
    assert.isAbove(Number(second[0]), 300)
    const other = [first[0]!, second[1]!]
    const found = await run(await grown(service, 330, 331), ...other).then(() => "nothing", ({ stdout }) => stdout)
    assert.match(found, /invalid transparency proof/)
  })
})
