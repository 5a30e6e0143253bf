import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { guardMount } from "../../fixtures/Guarded.ts"
import { run, serve, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"

/** A disk of its own, in memory; undefined where this user may not mount one. */
const disk = ((size: string): string | undefined => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined
  const directory = temporaryDirectory()
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", directory], { stdio: "ignore" })
  } catch {
    return undefined
  }
  guardMount(directory)
  // Lazily: what is killed at the end may still hold a file.
  atEnd(async () => void execFileSync("umount", ["--lazy", directory]))
  return directory
})("192m")

const filler = join(disk ?? "", "filler")

/** Leaves no room on the disk. */
const fill = (): void => {
  const file = openSync(filler, "w")
  const piece = Buffer.alloc(64 * 1024)
  try {
    for (;;) writeSync(file, piece)
  } catch (cause) {
    assert.include(String(cause), "ENOSPC")
  } finally {
    closeSync(file)
  }
}

const settings = {
  COUNTERSIGN_DATA_DIR: disk ?? "",
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  COUNTERSIGN_LOG_FORMAT: "json"
}

const program = ["src/runtime/main.ts"]

const ask = async (url: string, path: string, body?: object) => {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "authorization": `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() as Body }
}

/** With so much in it that a few of them take a page of the table each. */
const product = () => ({ name: "p", code: randomUUID(), metadata: { text: randomUUID().repeat(200) } })

const products = "/api/v1/products"

/** How many files of the table still have room, at most. */
const attempts = 200

// Needs root on Linux, to mount a disk that can be filled.
describe.skipIf(disk === undefined)("a full disk of the embedded database", () => {
  it("is told to callers, to operators and in the log, while reads go on; and is over when there is room", async () => {
    const service = await serve(program, settings)
    assert.strictEqual((await ask(service.url, products, product())).status, 201)
    assert.notProperty((await ask(service.url, "/readyz")).body.data, "reason")

    fill()
    let written = await ask(service.url, products, product())
    for (let attempt = 0; written.status === 201 && attempt < attempts; attempt++) {
      written = await ask(service.url, products, product())
    }
    assert.strictEqual(`${written.status} ${written.body.error.code}`, "503 UNAVAILABLE")
    assert.include(written.body.error.message, "the disk of its database is full")
    assert.isAbove(Number(written.headers.get("retry-after")), 1)
    assert.strictEqual((await ask(service.url, products)).status, 200)
    const full = await ask(service.url, "/readyz")
    assert.strictEqual(full.status, 200)
    assert.include(full.body.data.reason, "The disk of the database has 0 MiB left")
    assert.include(service.printed(), "No space left on device")

    // The server comes back when there is room; until then the log says what it lacks.
    const [postmaster] = readFileSync(join(settings.COUNTERSIGN_DATA_DIR, "postgres/postmaster.pid"), "utf8").split(
      "\n"
    )
    process.kill(Number(postmaster), "SIGQUIT")
    await eventually(
      "the start of the server fails",
      () => service.printed().includes("The disk is full: make room on it")
    )
    const away = await ask(service.url, "/readyz")
    assert.strictEqual(away.status, 503)
    assert.include(away.body.data.reason, "0 MiB left")

    rmSync(filler)
    const code = randomUUID()
    await eventually(
      "writes go on",
      async () => [201, 409].includes((await ask(service.url, products, { name: "p", code })).status)
    )
    await eventually("the event is in the feed", async () => {
      const { body } = await ask(service.url, "/api/v1/events?order=desc&limit=1")
      return body.data?.[0]?.data?.code === code
    })
    assert.notProperty((await ask(service.url, "/readyz")).body.data, "reason")
    assert.strictEqual(await service.stop(), 0)
  })

  it("prevents a start, which says why", async () => {
    fill()
    const ended = await run(program, { PORT: "0", ...settings })
    assert.strictEqual(ended.status, 3)
    assert.match(ended.errors, /make room on/i)
    assert.notMatch(ended.errors, /^\s+at /m, "no stack")
    rmSync(filler)
  })
})
