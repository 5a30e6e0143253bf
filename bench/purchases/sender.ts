// Sends events of a payment provider at a steady rate, whatever the answers take: as a provider does, who waits for nobody.
import { Agent, request } from "node:http"
import { answerQuestions } from "../harness/Worker.ts"
import { eventsOfCheckout, readyEvents } from "./StripeEvents.ts"
import type { ReadyEvent } from "./StripeEvents.ts"

export interface SendQuestion {
  readonly port: number
  readonly path: string
  readonly secret: string
  /** Begins the ids of what is sent, so that no two rounds send the same. */
  readonly run: string
  /** Events a second. */
  readonly rate: number
  readonly seconds: number
}

export interface SendAnswer {
  /** From the time at which an event was due to the end of its answer, in milliseconds. */
  readonly latencies: Float64Array
  /** How often an event was refused, and one of the answers. A provider sends it again, and so does this. */
  readonly refused: number
  readonly refusal: string | undefined
  readonly seconds: number
  /** When the event was due from which on a subscription is owed its license, in milliseconds since 1970. */
  readonly decided: ReadonlyMap<string, number>
}

/** How long after a refusal an event is sent again. */
const retryMillis = 250

/** How often an event is sent: for a minute at least. */
const attempts = 240

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const send = (
  { path, port }: SendQuestion,
  { body, signature }: ReadyEvent
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ agent, host: "127.0.0.1", port, path, method: "POST" }, (incoming) => {
      let text = ""
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, text }))
      incoming.once("error", reject)
    })
    outgoing.once("error", reject)
    outgoing.setHeader("content-type", "application/json; charset=utf-8")
    outgoing.setHeader("stripe-signature", signature)
    outgoing.setHeader("content-length", Buffer.byteLength(body))
    outgoing.end(body)
  })

const run = async (question: SendQuestion): Promise<SendAnswer> => {
  const { rate, run, secret, seconds } = question
  const events = readyEvents(run, Math.ceil(rate * seconds / eventsOfCheckout), secret)
  const latencies: Array<number> = []
  const decided = new Map<string, number>()
  let refused = 0
  let refusal: string | undefined
  const begun = performance.now()
  const pending: Array<Promise<void>> = []
  const deliver = async (event: ReadyEvent, due: number): Promise<void> => {
    for (let attempt = 1;; attempt++) {
      const answer = await send(question, event).catch((cause: unknown) => ({ status: 0, text: String(cause) }))
      if (answer.status === 200) break
      refused += 1
      refusal ??= `${answer.status} ${answer.text}`
      if (attempt === attempts) throw new Error(refusal)
      await pause(retryMillis)
    }
    latencies.push(performance.now() - due)
  }
  for (const [index, event] of events.entries()) {
    const due = begun + index * 1000 / rate
    const early = due - performance.now()
    if (early > 0) await pause(early)
    if (event.decides !== undefined) decided.set(event.decides, performance.timeOrigin + due)
    pending.push(deliver(event, due))
  }
  await Promise.all(pending)
  return {
    latencies: Float64Array.from(latencies),
    refused,
    refusal,
    seconds: (performance.now() - begun) / 1000,
    decided
  }
}

answerQuestions(run)
