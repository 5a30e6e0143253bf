import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { EventsFault, PublicKey } from "../../../../src/client/verify/index.ts"
import { verifyEvents } from "../../../../src/client/verify/index.ts"
import { lineCount } from "../../../../src/runtime/cli/evidence/VerifyEvents.ts"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { makeHistory } from "../../../fixtures/History.ts"
import { run, temporaryDirectory } from "../../../fixtures/Program.ts"
import type { Service } from "../../../fixtures/Service.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import { atEnd, eventually } from "../../../fixtures/Session.ts"
import { linesOf, noteOver, origin, signedFeed, signingKey } from "../../../fixtures/SignedFeed.ts"

const directory = temporaryDirectory()
const file = (name: string) => join(directory, name)
const exporting = (base: string, out: string, token = adminToken) =>
  ["events", "export", "--base", base, "--token", token, "--out", out] as const
const exported = (...of: Parameters<typeof exporting>) => runCommand(exporting(...of))
const verified = (path: string, ...more: ReadonlyArray<string>) =>
  runCommand(["verify", "events", path, "--keys", file("keys.json"), ...more])

describe("an export of a service", () => {
  it("finds the service and the token as every other command does", async () => {
    const of = await runCommand(["events", "export", "--out", file("of-environment.ndjson")], {
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_TOKEN: adminToken
    })
    assert.strictEqual(of.status, 0, of.errors)
    const none = await runCommand(["events", "export", "--out", file("none.ndjson")], {
      COUNTERSIGN_URL: "https://licenses.example.com",
      COUNTERSIGN_DATA_DIR: directory
    })
    assert.strictEqual(none.status, 2)
    assert.include(none.errors, "There is no token for https://licenses.example.com. Set COUNTERSIGN_TOKEN")
  })

  let service: Service
  let lines: ReadonlyArray<string>

  beforeAll(async () => {
    service = await startService()
    await makeHistory(service)
    const { sequence } = (await service.feed()).at(-1)
    await eventually("a checkpoint covers the feed", async () => {
      const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
      return status === 200 && body.data.tree_size >= sequence
    })
    writeFileSync(file("keys.json"), (await service.call("GET", "/api/v1/system/public-keys", { token: null })).text)
  })

  it("is the feed as served and the checkpoint, and verifies offline", async () => {
    const ended = await run(["src/runtime/cli.ts", ...exporting(`${service.url}/`, file("events.ndjson"))])
    assert.strictEqual(ended.status, 0, ended.errors)
    lines = readFileSync(file("events.ndjson"), "utf8").trimEnd().split("\n")
    const feed = await service.feed()
    assert.deepStrictEqual(lines.slice(0, -1).map((line) => JSON.parse(line)), feed)
    const { checkpoint } = JSON.parse(lines.at(-1)!)
    assert.strictEqual(checkpoint.tree_size, feed.length)
    assert.include(ended.output, `${feed.length} events of ${checkpoint.origin}`)

    const { errors, output, status } = await verified(file("events.ndjson"))
    assert.strictEqual(status, 0, errors)
    assert.strictEqual(
      output.trim(),
      `verified: ${feed.length} events of ${checkpoint.origin}, chain and tree, signed by ${checkpoint.kid} ` +
        `at ${checkpoint.created_at}`
    )
    writeFileSync(file("note"), checkpoint.note)
    const json = await verified(file("events.ndjson"), "--checkpoint", file("note"), "--json")
    assert.deepInclude(JSON.parse(json.output), { ok: true, events: feed.length })
  })

  it.each<readonly [EventsFault, (lines: ReadonlyArray<string>) => ReadonlyArray<string>]>([
    ["altered", (lines) => lines.with(10, lines[10]!.replace("actor_id\":\"", "actor_id\":\"x"))],
    ["missing", (lines) => lines.toSpliced(10, 1)],
    ["reordered", (lines) => lines.with(10, lines[11]!).with(11, lines[10]!)],
    ["inserted", (lines) => lines.toSpliced(11, 0, lines[10]!)],
    ["truncated", (lines) => [...lines.slice(0, 10), lines.at(-1)!]]
  ])("of which event 11 is %s is not what was signed", async (fault, change) => {
    const { data: publicKeys } = JSON.parse(readFileSync(file("keys.json"), "utf8"))
    const verdict = await verifyEvents({ lines: change(lines), publicKeys })
    assert.deepInclude(verdict, { ok: false, fault, sequence: 11 })
  })

  it("that is not what was signed: exit 1, and the first bad sequence", async () => {
    writeFileSync(file("changed.ndjson"), `${lines.toSpliced(10, 1).join("\n")}\n`)
    const { output, status } = await verified(file("changed.ndjson"))
    assert.strictEqual(status, 1)
    assert.strictEqual(output.trim(), "not verified: event 11 missing: event 12 stands in its place")
  })

  it("agrees with a checkpoint that was kept from before its key was revoked, and says what that is worth", async () => {
    const keysNow = async () => (await service.call("GET", "/api/v1/system/public-keys", { token: null })).text
    const latest = async () => (await service.call("GET", "/api/v1/events/checkpoint")).body.data
    const kept = await latest()
    writeFileSync(file("kept"), kept.note)
    writeFileSync(file("before.keys.json"), await keysNow())
    await service.data("POST", "/api/v1/signing-keys/rotate")
    const [introduced] = (await service.feed("&event_type=log.key_introduced")).slice(-1)
    const proof = await eventually("the key before it has signed the event that introduces it", async () => {
      const covering = await service.call("GET", `/api/v1/events/checkpoint?size=${introduced.sequence}`)
      if (covering.status !== 200) return undefined
      const { tree_size } = covering.body.data
      return service.data("GET", `/api/v1/events/${introduced.id}/proof?size=${tree_size}`)
    })
    writeFileSync(file("key.tlog-proof"), proof.tlog_proof)
    // The key before it signed the checkpoint, too, and would vouch for it.
    for (const { kid, status } of await service.data("GET", "/api/v1/signing-keys")) {
      if (status === "retired") await service.data("POST", `/api/v1/signing-keys/${kid}/revoke`)
    }
    await eventually("the new key alone signs a checkpoint", async () => {
      const { note, tree_size } = await latest()
      return tree_size > proof.tree_size &&
        note.split("\n").filter((line: string) => line.startsWith("\u2014")).length === 2
    })
    assert.strictEqual((await exported(service.url, file("later.ndjson"))).status, 0)
    // The keys of before the rotation do as well, with the proof of what the log said of the next one.
    const followed = (...more: ReadonlyArray<string>) =>
      runCommand(["verify", "events", file("later.ndjson"), "--keys", file("before.keys.json"), ...more])
    assert.match((await followed()).output, /^not verified: unknown_key: /)
    const following = await followed("--key-event", file("key.tlog-proof"))
    assert.strictEqual(following.status, 0, following.output + following.errors)
    const misled = await followed("--key-event", file("kept"))
    assert.deepStrictEqual([misled.status, misled.errors.includes("is not followed: malformed")], [2, true])

    const text = await keysNow()
    const { data, revoked } = JSON.parse(text)
    // Where apps look a key up it is not, so that nothing else that it signs is taken.
    assert.notInclude(data.map((key: PublicKey) => key.kid), kept.kid)
    const jwks = (await service.call("GET", "/.well-known/jwks.json", { token: null })).text
    assert.notInclude(jwks, kept.kid)
    assert.deepInclude(revoked.find((key: PublicKey) => key.kid === kept.kid), { status: "revoked" })

    writeFileSync(file("later.keys.json"), text)
    const verify = (...more: ReadonlyArray<string>) =>
      runCommand(["verify", "events", file("later.ndjson"), "--keys", file("later.keys.json"), ...more])
    const found = await verify("--checkpoint", file("kept"))
    assert.strictEqual(found.status, 0, found.output + found.errors)
    assert.match(found.output, /^verified: /)
    assert.include(found.output, `remark: the kept checkpoint of ${kept.tree_size} events was signed with ${kept.kid}`)
    // An export that ends with it is what anybody could write who has the key.
    const lines = readFileSync(file("later.ndjson"), "utf8").split("\n").slice(0, kept.tree_size)
    writeFileSync(file("later.ndjson"), `${[...lines, JSON.stringify({ checkpoint: kept })].join("\n")}\n`)
    assert.match((await verify()).output, /^not verified: revoked_key: /)
    assert.strictEqual((await verify("--checkpoint", file("kept"))).status, 0)
    // Without the keys that were revoked nobody knows whose it is.
    writeFileSync(file("later.keys.json"), JSON.stringify({ data }))
    assert.match((await verify("--checkpoint", file("kept"))).output, /^not verified: unknown_key: /)
  })

  it("goes on where one before it was ended", async () => {
    writeFileSync(file("again.ndjson.part"), `${lines.slice(0, 20).join("\n")}\n${lines[20]!.slice(0, 50)}`)
    const ended = await exported(service.url, file("again.ndjson"))
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.include(ended.errors, "Continuing after event 20")
    const again = readFileSync(file("again.ndjson"), "utf8").trimEnd().split("\n")
    assert.deepStrictEqual(again.slice(0, lines.length - 1), lines.slice(0, -1))
    // What is left of another log is not gone on with.
    writeFileSync(file("other.ndjson.part"), `${linesOf(signedFeed(5)).join("\n")}\n`)
    assert.strictEqual((await exported(service.url, file("other.ndjson"))).status, 0)
    const other = readFileSync(file("other.ndjson"), "utf8").split("\n")
    assert.deepStrictEqual(other.slice(0, lines.length - 1), lines.slice(0, -1))
  })

  it("says what is wrong with a token, an address and its files", async () => {
    const denied = await exported(service.url, file("denied.ndjson"), "csk_wrong")
    assert.strictEqual(denied.status, 1)
    assert.include(denied.errors, "The token is that of --token")
    assert.include(denied.errors, "UNAUTHENTICATED")
    const nowhere = await verified(file("none.ndjson"))
    assert.strictEqual(nowhere.status, 2)
    assert.include(nowhere.errors, "no such file")
    writeFileSync(file("keyless.json"), "{\"data\":[]}")
    const keyless = await runCommand(["verify", "events", file("events.ndjson"), "--keys", file("keyless.json")])
    assert.include(keyless.errors, "has no public keys")
  })
})

describe("the lines of an export, which a bar is to reach", () => {
  const checkpoint = JSON.stringify({ checkpoint: { tree_size: 450 } })
  const events = signedFeed(450).map((event) => JSON.stringify(event))
  const written = (name: string, lines: ReadonlyArray<string>) => {
    writeFileSync(file(name), `${lines.join("\n")}\n`)
    return file(name)
  }

  it("are told by its first and its last one, before it is read", async () => {
    assert.strictEqual(await lineCount(written("whole", [...events, checkpoint])), 451)
    const rest = written("rest", [...events.slice(200), checkpoint])
    assert.strictEqual(await lineCount(rest), 251)
    assert.strictEqual(await lineCount(rest, { start: { sequence: 150 } }), 301)
  })

  it.each([
    ["no checkpoint", events],
    ["no event before it", [checkpoint]],
    ["something else", ["{", "null", "[1]"]],
    ["nothing", []]
  ])("are not known where it has %s", async (name, lines) => {
    assert.isUndefined(await lineCount(written(name, lines)))
  })
})

describe("an export from a service in trouble", () => {
  it("is whole all the same, and holds lines that contain line separators", async () => {
    const feed = signedFeed(450)
    const key = signingKey(9)
    const note = noteOver(feed, key)
    let answers = 0
    const seen: Array<number> = []
    const server = createServer((request, response) => {
      answers += 1
      const url = new URL(request.url!, "http://localhost")
      // Of each two answers the first is an overload, a lost connection, or half an answer.
      if (answers % 2 === 1) {
        const trouble = (answers - 1) / 2 % 3
        if (trouble === 0) {
          const error = { code: "UNAVAILABLE", message: "Busy" }
          response.writeHead(503, { "content-type": "application/json", "retry-after": "0" })
          response.end(JSON.stringify({ error }))
        } else if (trouble === 1) {
          request.socket.destroy()
        } else {
          response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
          response.write("{\"data\":[")
          response.socket!.end()
        }
        return
      }
      const answer = (body: unknown) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(body))
      }
      if (url.pathname.endsWith("/checkpoint")) return answer({ data: { tree_size: 450, origin, note } })
      const cursor = Number(url.searchParams.get("cursor"))
      seen.push(cursor)
      const data = feed.slice(cursor, cursor + 200)
      const next_cursor = String(cursor + data.length)
      answer({ data, page_info: { has_more: cursor + 200 < feed.length, next_cursor } })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    atEnd(() => new Promise((resolve) => server.close(resolve)))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ended = await exported(base, file("trouble.ndjson"))
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.deepStrictEqual(seen, [0, 200, 400])
    writeFileSync(file("keys.json"), JSON.stringify([key.published]))
    const { output } = await verified(file("trouble.ndjson"))
    assert.match(output, /^verified: 450 events /)
    // A file that was cut in the middle of a line.
    truncateSync(file("trouble.ndjson"), 100_000)
    assert.match((await verified(file("trouble.ndjson"))).output, /^not verified: event \d+ altered: /)
  })
})
