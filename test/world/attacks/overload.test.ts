import { assert, beforeAll, describe, it } from "@effect/vitest"
import { defaultDoorLimits } from "../../../src/domain/ground/admission/DoorLimits.ts"
import {
  answered,
  attackers,
  attackTimeout,
  isLong,
  largest,
  report,
  startStage,
  took,
  validateOf
} from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import { eventually } from "../../fixtures/Session.ts"

const licenses = isLong ? 64 : 16
/** As many as are let in at once with the limit of the delay. */
const unshed = 200
const seconds = isLong ? 20 : 0.5
const rounds = isLong ? 5 : 1

/** How long callers wait for an answer, in milliseconds. */
const patience = isLong ? 10_000 : 40_000

let stage: Stage
let requests: ReadonlyArray<Uint8Array>

beforeAll(async () => {
  // As it is set where nobody says otherwise; tests of other things do not want to be shed on a busy machine.
  stage = await startStage({ environment: { COUNTERSIGN_LIMIT_DELAY_MS: String(defaultDoorLimits.delayMillis) } })
  const issued = await Promise.all(Array.from({ length: licenses }, () => stage.license()))
  requests = issued.map(({ fingerprint, key }) => validateOf(key, fingerprint))
})

interface Round {
  /** Answers 200 a second with as many callers as are let in, and at three times the capacity. */
  readonly crowded: number
  readonly goodput: number
  /** The 99th percentile of answers 200 and the median of the refusals, in milliseconds. */
  readonly served: number
  readonly shed: number
}

const crowdAndOverload = async (capacity: number): Promise<Round> => {
  // Hundreds at once cost more each, whatever is shed: there is more to keep in memory.
  const [crowd] = await stage.send(
    [{ kind: "call", addresses: attackers, connections: unshed, requests, patience }],
    seconds / 2
  )
  const crowded = answered(crowd!, 200) / crowd!.seconds
  // Two of them, because one process does not ask so much.
  const half = (address: string): Attack => ({
    kind: "call",
    addresses: [address],
    connections: 450,
    requests,
    perSecond: Math.round(capacity * 1.5),
    waits: false,
    tellsEager: true,
    patience
  })
  const parties = await stage.send(attackers.map(half), seconds)
  const sum = (count: (outcome: typeof parties[number]) => number) =>
    parties.reduce((total, party) => total + count(party), 0)
  const goodput = sum((party) => answered(party, 200) / party.seconds)
  const served = Math.max(...parties.map((party) => took(party, 200, 0.99)))
  const shed = Math.max(...parties.map((party) => answered(party, 503) === 0 ? 0 : took(party, 503, 0.5)))
  report("validate at three times the capacity", [
    `capacity ${capacity.toFixed(0)}/s with 32 connections, ${crowded.toFixed(0)}/s with ${unshed}, goodput ${
      goodput.toFixed(0)
    }/s ` +
    `(${(100 * goodput / capacity).toFixed(0)} and ${(100 * goodput / crowded).toFixed(0)} %)`,
    `p99 of what is served ${served.toFixed(0)} ms; ${sum((party) => answered(party, 503))} times 503, ` +
    `p50 ${shed.toFixed(0)} ms; ${sum(({ latencies }) => latencies["eager"]?.length ?? 0)} times 503 for who asks ` +
    `again at once; ${sum((party) => answered(party, 429))} times 429`,
    `${sum(({ unanswered }) => unanswered)} without an answer, ` +
    `${sum(({ unsent }) => unsent)} not sent because all connections were busy`
  ])
  for (const party of parties) {
    assert.includeMembers(["200", "429", "503", "eager"], Object.keys(party.latencies))
    assert.strictEqual(party.withoutRetryAfter, 0)
    assert.isAtMost(largest(party, 503), 2_048)
  }
  assert.strictEqual(sum(({ unanswered }) => unanswered), 0, "everybody is answered")
  return { crowded, goodput, served, shed }
}

describe("three times what the service can do", () => {
  it("is shed: what is served is served in time, and what is not is told so at once", async () => {
    const [best] = await stage.send(
      [{ kind: "call", addresses: attackers, connections: 32, requests, patience }],
      seconds
    )
    const capacity = answered(best!, 200) / best!.seconds
    const sent: Array<Round> = []
    // In turns, because a machine is not as fast in one minute as in the next.
    for (let round = 0; round < rounds; round++) sent.push(await crowdAndOverload(capacity))
    const middle = (value: (round: Round) => number) => sent.map(value).toSorted((a, b) => a - b)[rounds >> 1]!
    if (isLong) {
      assert.isAtLeast(middle(({ crowded, goodput }) => goodput / crowded), 0.8, "goodput, of its best")
      assert.isAtMost(middle(({ served }) => served), 1_000, "p99 of what is served, in milliseconds")
      // A generator that shares the machine sees more than the service takes.
      assert.isAtMost(middle(({ shed }) => shed), 200, "median of the refusals, in milliseconds")
    }

    const after = await stage.measure(isLong ? 2 : 0.5)
    assert.strictEqual(after.failures, "", "and then all is as before")
    await eventually(
      "the service is ready",
      async () => (await stage.service.call("GET", "/readyz", { token: null })).status === 200
    )
  }, attackTimeout)
})
