import { assert, beforeAll, describe, it } from "@effect/vitest"
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import type { Receiver } from "../../../fixtures/Receiver.ts"
import { startReceiver } from "../../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"

/** A data directory that a service of its own has been told. */
const servedIn = async () => {
  const directory = temporaryDirectory()
  const service = await startService({ as: "host", environment: { COUNTERSIGN_DATA_DIR: directory } })
  return { directory, service, file: join(directory, "service.port") }
}

const whoami = (directory: string, more: Readonly<Record<string, string>> = {}) =>
  runCommand(["whoami"], { COUNTERSIGN_DATA_DIR: directory, PORT: "0", COUNTERSIGN_ADMIN_TOKEN: adminToken, ...more })

describe("the port that a service writes down", () => {
  let stranger: Receiver

  beforeAll(async () => {
    stranger = await startReceiver()
  })

  const asksNobody = async (directory: string, more: Readonly<Record<string, string>> = {}) => {
    for (const token of [{}, { COUNTERSIGN_TOKEN: adminToken }]) {
      const { errors, status } = await whoami(directory, { ...token, ...more })
      assert.deepStrictEqual(stranger.received, [], "a token was sent to a stranger")
      assert.strictEqual(status, 2, errors)
      assert.include(errors, "no running service has written it")
    }
  }

  it("is asked at the host that the environment says", async () => {
    const { directory, service } = await servedIn()
    for (const HOST of ["127.0.0.1", "localhost"]) {
      const { errors, output, status } = await whoami(directory, { HOST })
      assert.strictEqual(status, 0, errors)
      assert.include(output, `http://${HOST}:${new URL(service.url).port}`)
    }
    assert.strictEqual(await service.kill("SIGTERM"), 0)
  })

  it("is not believed after the service was killed, when another program listens there", async () => {
    const { directory, file, service } = await servedIn()
    await service.kill("SIGKILL")
    assert.isTrue(existsSync(file), "it could not be removed")
    const there = await startReceiver(Number(new URL(service.url).port))
    await asksNobody(directory)
    assert.deepStrictEqual(there.received, [])
  })

  it("is no address, so that a repository that is cloned cannot say where tokens go", async () => {
    const directory = temporaryDirectory()
    const { origin } = new URL(stranger.url)
    const self = { pid: process.pid, started: "since ever" }
    const texts = [
      `${origin}\n`,
      `${stranger.port}`,
      JSON.stringify({ port: stranger.port }),
      ...[process.pid, 1, 0, -1, 4_194_305, "1", null].map((pid) =>
        JSON.stringify({ ...self, pid, port: stranger.port })
      ),
      JSON.stringify({ pid: process.pid, port: stranger.port }),
      "{",
      "null"
    ]
    for (const name of ["service.url", "service.port"]) {
      for (const text of texts) {
        writeFileSync(join(directory, name), text)
        await asksNobody(directory)
      }
      rmSync(join(directory, name))
    }
    mkdirSync(join(directory, "service.port"))
    await asksNobody(directory)
  })

  it("is not believed of a process that runs, where it is no port", async () => {
    const { directory, file, service } = await servedIn()
    const kept = JSON.parse(readFileSync(file, "utf8"))
    for (const port of [new URL(stranger.url).host, `1@${stranger.url}`, `${stranger.port}`, 0, -1, 65_536, 1.5]) {
      writeFileSync(file, JSON.stringify({ ...kept, port }))
      await asksNobody(directory)
    }
    await service.kill("SIGKILL")
  })

  it("is not believed where others could have written it", async () => {
    const { directory, file, service } = await servedIn()
    assert.strictEqual((await whoami(directory)).status, 0)
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(file, mode)
      await asksNobody(directory)
    }
    chmodSync(file, 0o644)
    assert.strictEqual((await whoami(directory)).status, 0)
    if (process.getuid?.() === 0) {
      chownSync(file, 65_534, 65_534)
      await asksNobody(directory)
      const other = temporaryDirectory()
      symlinkSync(file, join(other, "service.port"))
      await asksNobody(other)
    }
    await service.kill("SIGKILL")
  })
})
