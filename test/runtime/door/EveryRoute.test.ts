// Every route that there is, asked at the door: it passes load control, or its answer is prepared and given in a turn. Whatever does
// neither, anybody may ask for without end.
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { methodsOf } from "../../../src/api/composition/docs/Operations.ts"
import { makeLoopTurns } from "../../../src/domain/ground/admission/LoopTurns.ts"
import { logoutPath } from "../../../src/domain/people/SignInFlow.ts"
import { makeCors } from "../../../src/http/ground/edge/Refusal.ts"
import { NodeReadiness } from "../../../src/http/ground/edge/StaticAnswer.ts"
import { DoorServer, keepDoor } from "../../../src/runtime/Server.ts"
import { Admission } from "../../../src/services/ground/admission/Admission.ts"
import { EventLoopTurns } from "../../../src/services/ground/admission/QuestionGroups.ts"
import { everyRoute, layerEverything, pathOf } from "../../fixtures/EveryRoute.ts"
import { atEnd, migrated } from "../../fixtures/Session.ts"

/** The steps of a request: load control is asked, it has a turn, it is handed to the application. */
type Step = "load" | "turn" | "handed"

/** The routes that load control does not judge, and why it need not. */
const open: Readonly<Record<string, string>> = {
  "/health": "A constant.",
  "/healthz": "A constant.",
  "/readyz": "One look for all who ask meanwhile, kept for a while.",
  "/metrics":
    "One reading for all who ask meanwhile. A line of its own answers one of them each 2 ms, networks in turns."
}

/** The one with a line of its own, whose turns are in test/runtime/door/DirectDoors.test.ts. */
const ownLine = "/metrics"

let steps: Array<Step> = []
let isFull = false

const loop = makeLoopTurns({ now: () => performance.now(), soon: (task) => void setImmediate(task) })
const turns: typeof loop = {
  ...loop,
  add: (lane, task) => {
    loop.add(lane, () => {
      steps.push("turn")
      task()
    })
  }
}

const scope = Scope.makeUnsafe()
atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const port = await Effect.runPromise(
  Effect.gen(function*() {
    const context = yield* Layer.build(layerEverything(yield* Effect.promise(migrated)))
    const admission = Context.get(context, Admission)
    Context.get(context, NodeReadiness).tell(
      Effect.succeed({ status: 200, data: { status: "ready", db: "ok", phase: "ready", reason: undefined } })
    )
    yield* keepDoor(makeCors(["https://app.example.com"], methodsOf)).pipe(
      Effect.provideService(EventLoopTurns, turns),
      Effect.provideService(Admission, {
        ...admission,
        admit: (...asked) => {
          steps.push("load")
          return isFull ? undefined : admission.admit(...asked)
        }
      }),
      Effect.provideContext(context)
    )
    Context.get(context, DoorServer).on("request", (_, response) => {
      steps.push("handed")
      response.writeHead(418).end()
    })
    const { address } = Context.get(context, HttpServer.HttpServer)
    return address._tag === "UnixPathAddress" ? 0 : address.port
  }).pipe(Scope.provide(scope))
)

/** Sends a request as it is written, alone on its connection; answers its status, and the steps until then. */
const ask = async (head: string, body = "") => {
  steps = []
  const socket = connect(port, "127.0.0.1")
  const status = await new Promise<number>((resolve, reject) => {
    socket.once("error", reject).once("close", () => reject(new Error(`${head}: no answer`)))
    socket.once("data", (bytes) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1])))
    socket.write(`${head}\r\nconnection: close\r\n\r\n${body}`)
  })
  socket.destroy()
  return { status, steps: [...steps] }
}

const asked = (method: string, path: string) =>
  method === "GET" || method === "HEAD" || method === "OPTIONS"
    ? ask(`${method} ${path} HTTP/1.1\r\nhost: x`)
    : ask(`${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2`, "{}")

const routes = await everyRoute()
const targets = [
  ...new Set(routes.flatMap((route) => {
    const methods = route.method === "*" ? ["GET", "POST"] : route.method === "GET" ? ["GET", "HEAD"] : [route.method]
    return methods.map((method) => `${method} ${pathOf(route)}`)
  }))
].map((target) => target.split(" ") as [string, string])

describe("every route of the service", () => {
  it("is known from its router", () => {
    assert.isAbove(targets.length, 400)
    const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    for (
      const one of [
        "POST /api/v1/license/validate",
        `POST ${logoutPath}`,
        "GET /portal",
        "POST /unsubscribe/:token",
        "GET /console/*",
        "GET /readyz"
      ]
    ) assert.isTrue(served.has(one), one)
  })

  it("passes load control, or is one of those that are open by name", async () => {
    isFull = true
    const found = new Set<string>()
    for (const [method, path] of targets) {
      const answer = await asked(method, path)
      if (answer.steps[0] === "load") {
        assert.deepStrictEqual([answer.status, answer.steps], [503, ["load"]], `${method} ${path}`)
        continue
      }
      found.add(path)
      if (path !== ownLine) assert.deepStrictEqual(new Set(answer.steps), new Set(["turn"]), `${method} ${path}`)
    }
    assert.sameMembers([...found], Object.keys(open))
  })

  it("has its turn before anything is done for it", async () => {
    isFull = false
    for (const [method, path] of targets) {
      if (Object.hasOwn(open, path)) continue
      const answer = await asked(method, path)
      assert.deepStrictEqual([answer.status, answer.steps], [418, ["load", "turn", "handed"]], `${method} ${path}`)
    }
  })
})

describe("what the door answers by itself", () => {
  it.each([
    ["another spelling of a path", "GET /healthz/ HTTP/1.1\r\nhost: x"],
    ["a path with a slash at its end", "GET /api/v1/licenses/ HTTP/1.1\r\nhost: x"],
    ["no host", "GET /readyz HTTP/1.1"],
    ["two hosts", "GET /api/v1/whoami HTTP/1.1\r\nhost: x\r\nhost: y"],
    ["another transfer coding", "POST /api/v1/licenses HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked"],
    ["an expectation", "POST /api/v1/licenses HTTP/1.1\r\nhost: x\r\nexpect: a-miracle"],
    ["a probe with a body", "GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 0"],
    ["a scrape by another method", "DELETE /metrics HTTP/1.1\r\nhost: x"],
    [
      "a preflight",
      "OPTIONS /api/v1/licenses HTTP/1.1\r\nhost: x\r\norigin: https://app.example.com\r\naccess-control-request-method: POST"
    ],
    ["a scrape behind another one", "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\nGET /metrics HTTP/1.1\r\nhost: x"],
    ["what there is not", "GET /nope HTTP/1.1\r\nhost: x"]
  ])("has its turn: %s", async (_title, head) => {
    isFull = false
    const { status, steps: taken } = await ask(head)
    assert.include(taken, "turn", `answered ${status} at once`)
  })
})
