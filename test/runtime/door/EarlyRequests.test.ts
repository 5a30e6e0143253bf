import { assert, describe, it } from "@effect/vitest"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { connect, Socket } from "node:net"
import { defaultDoorLimits } from "../../../src/domain/ground/admission/DoorLimits.ts"
import { Door, EarlyRequests } from "../../../src/runtime/door/Door.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"

/** Node says this of a request once its headers are read, whether or not anybody listens. */
const channel = "http.server.request.start"

/** A port that is open, with nobody to answer; `came` are the paths that were asked for. */
const openDoor = async () => {
  const door = new Door(defaultDoorLimits)
  const came: Array<string> = []
  const note = (message: unknown) => {
    const { request, server } = message as { readonly request: IncomingMessage; readonly server: unknown }
    if (server === door) came.push(request.url ?? "")
  }
  subscribe(channel, note)
  atEnd(async () => {
    unsubscribe(channel, note)
    door.close()
    door.closeAllConnections()
  })
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve))
  return { came, door, port: (door.address() as AddressInfo).port }
}

/** Answers what was asked, body included. */
const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  response.end(`${request.method} ${request.url} ${text}`)
}

/** Sends bytes as they are; `heard` is what has come back. */
const send = (port: number, text: string) => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  atEnd(async () => void socket.destroy())
  let heard = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (heard += chunk))
  socket.write(text)
  return { socket, heard: () => heard }
}

describe("requests that come after the port was opened and before anybody listens", () => {
  it("are answered once somebody does", async () => {
    const { came, door, port } = await openDoor()
    const url = `http://127.0.0.1:${port}`
    const answers = Promise.all([
      fetch(`${url}/readyz`),
      fetch(`${url}/api`, { method: "POST", body: "a body" })
    ].map(async (answer) => (await answer).text()))
    const waiting = send(port, "POST /waits HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n")
    await eventually("all have come", () => came.length === 3)

    door.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      response.writeContinue()
      void echo(request, response)
    })
    door.on("request", (request: IncomingMessage, response: ServerResponse) => void echo(request, response))
    assert.deepStrictEqual(await answers, ["GET /readyz ", "POST /api a body"])
    await eventually("the word to go on", () => waiting.heard().startsWith("HTTP/1.1 100 Continue\r\n"))
    waiting.socket.write("data")
    await eventually("its answer", () => waiting.heard().includes("POST /waits data"))
    assert.strictEqual(await (await fetch(`${url}/later`)).text(), "GET /later ")
  })

  it("are ended from the thousand and first on, and not handed on when their caller has gone", () => {
    const early = new EarlyRequests()
    const requests = Array.from({ length: 1_001 }, () => new IncomingMessage(new Socket()))
    for (const request of requests) assert.isTrue(early.hold("request", request, new ServerResponse(request)))
    assert.strictEqual(requests.findIndex(({ destroyed }) => destroyed), 1_000)
    // One that left while it was held.
    requests[0]!.destroy()
    const taken: Array<IncomingMessage> = []
    early.release((_, request) => void taken.push(request))
    assert.deepStrictEqual(taken, requests.slice(1, 1_000))
    assert.isFalse(early.hold("request", requests[1]!, new ServerResponse(requests[1]!)))
  })
})
