import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { placeAt } from "../../../src/runtime/node/WitnessPlaces.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { atEnd } from "../../fixtures/Session.ts"

const listening = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const addressOf = (url: string) => placeAt({ url: Redacted.make(url) })

describe("a witness that is a file", () => {
  const directory = temporaryDirectory()

  it.effect("keeps what was written last, whole, and nothing beside it", () =>
    Effect.gen(function*() {
      const path = join(directory, "witness.note")
      const place = placeAt({ path })
      assert.strictEqual(place.name, path)
      assert.isUndefined(yield* place.read)
      for (const note of ["one\n", "two \u2014\n"]) {
        yield* place.replace(note)
        assert.strictEqual(yield* place.read, note)
        assert.strictEqual(readFileSync(path, "utf8"), note)
      }
      assert.deepStrictEqual(readdirSync(directory), ["witness.note"])
    }))

  it.effect("is away when its directory is, or when it is no file", () =>
    Effect.gen(function*() {
      const away = placeAt({ path: join(directory, "mount", "witness.note") })
      assert.include((yield* Effect.flip(away.read)).message, "ENOENT")
      assert.include((yield* Effect.flip(away.replace("note"))).message, "ENOENT")
      mkdirSync(join(directory, "taken"))
      const taken = placeAt({ path: join(directory, "taken") })
      assert.include((yield* Effect.flip(taken.read)).message, "EISDIR")
      assert.isDefined((yield* Effect.flip(taken.replace("note"))).message)
      assert.notInclude(readdirSync(directory).join(), "taken.")
    }))
})

describe("a witness that is an address", () => {
  it.live("answers GET with what was PUT there, and 404 until then", () =>
    Effect.gen(function*() {
      let kept: string | undefined
      const asked: Array<string> = []
      const url = yield* Effect.promise(() =>
        listening((request, response) => {
          asked.push(`${request.method} ${request.url}`)
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            if (request.method === "PUT") {
              kept = Buffer.concat(chunks).toString()
              response.writeHead(201).end()
            } else if (kept === undefined) response.writeHead(404).end("none")
            else response.end(kept)
          })
        })
      )
      const place = addressOf(`${url}/log?key=hush-hush`)
      // Whoever knows the address may write to it, so its query is not shown.
      assert.strictEqual(place.name, `${url}/log`)
      assert.isUndefined(yield* place.read)
      yield* place.replace("note \u2014\n")
      assert.strictEqual(yield* place.read, "note \u2014\n")
      assert.deepStrictEqual(asked, [
        "GET /log?key=hush-hush",
        "PUT /log?key=hush-hush",
        "GET /log?key=hush-hush"
      ])
    }))

  it.live("is away when it answers anything else, or not at all", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, RequestListener>> = {
        "/busy": (_, response) => response.writeHead(503).end(),
        "/elsewhere": (_, response) => response.writeHead(302, { location: "/log" }).end(),
        "/endless": (_, response) => response.end("x".repeat(70_000)),
        "/broken": ({ socket }) => socket.destroy()
      }
      const url = yield* Effect.promise(() =>
        listening((request, response) => answers[request.url!.split("?")[0]!]!(request, response))
      )
      for (const path of Object.keys(answers)) {
        const { message } = yield* Effect.flip(addressOf(`${url}${path}?key=hush-hush`).read)
        assert.notInclude(message, "hush-hush")
        if (path !== "/endless") yield* Effect.flip(addressOf(`${url}${path}`).replace("note"))
      }
      assert.include((yield* Effect.flip(addressOf(`${url}/busy`).read)).message, "503")
      assert.isDefined((yield* Effect.flip(addressOf("http://127.0.0.1:1/log").read)).message)
    }))
})
