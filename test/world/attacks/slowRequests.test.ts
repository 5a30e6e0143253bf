import { assert, beforeAll, describe, it } from "@effect/vitest"
import { defaultDoorLimits } from "../../../src/domain/ground/admission/DoorLimits.ts"
import {
  answered,
  asManager,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Attack, Stage } from "../../fixtures/Attack.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

/** Management requests answered at once; apps have room for twice as many. The long form has what the service has. */
const inFlight = isLong ? defaultDoorLimits.inFlight : 100

/** More than the service answers at once. */
const callers = isLong ? 1_005 : 255

/** How long headers may take to arrive, and after them a body, in seconds; the long form has what the service has. */
const arrival = isLong ? defaultDoorLimits.arrivalSeconds : 3

/** Longer than a body may take, in seconds. */
const seconds = isLong ? 30 : arrival + 1

/** Connections that one address may have. */
const perAddress = isLong ? defaultDoorLimits.connectionsPerAddress : 600

let stage: Stage

beforeAll(async () => {
  stage = await startStage({
    environment: {
      COUNTERSIGN_LIMIT_IN_FLIGHT: String(inFlight),
      COUNTERSIGN_LIMIT_CONNECTIONS_PER_ADDRESS: String(perAddress),
      COUNTERSIGN_LIMIT_ARRIVAL_SECONDS: String(arrival)
    }
  })
})

/** Headers of a request whose body is said to come. */
const headOf = (path: string, headers: Readonly<Record<string, string>>): Buffer =>
  requestOf("POST", path, { ...headers, "content-type": "application/json", "content-length": "10000" })

const space = Buffer.from(" ")

interface Slow {
  readonly title: string
  readonly opening: () => Buffer
  readonly drips?: boolean
}

const slow: ReadonlyArray<Slow> = [
  {
    title: "send headers with a token and no body",
    opening: () => headOf("/api/v1/products", asManager)
  },
  {
    title: "send headers with a made-up license key and no body",
    opening: () => headOf("/api/v1/license/validate", { authorization: "License CS-00000-00000-00000-00000-00000" })
  },
  {
    title: "send one byte of a body a second, with a license key that is right",
    opening: () => headOf("/api/v1/license/validate", { authorization: `License ${stage.issued.key}` }),
    drips: true
  }
]

// One after the other: together they would be an attack four times as large as the service is set for.
describe(`${callers} callers who`, () => {
  it.for(slow)(
    "$title hurt nobody else, and are sent away",
    { timeout: attackTimeout },
    async ({ drips, opening, title }, test) => {
      const attack: Attack = {
        kind: "hold",
        addresses: attackers,
        connections: callers,
        opening: opening(),
        ...(drips === true ? { drip: { bytes: space, every: 1_000 } } : {}),
        reads: true,
        returns: isLong
      }
      const attacked = await stage.under(test, `${callers} callers ${title}`, [attack], seconds, !isLong)
      const [outcome] = attacked.outcomes
      const statuses = Object.keys(outcome!.latencies)
      assert.includeMembers(["401", "408", "429", "503"], statuses)
      if (title !== slow[1]!.title) assert.isAbove(answered(outcome!, 408), 0, "who is too slow is told so")
      assert.strictEqual(outcome!.withoutRetryAfter, 0)
      if (!isLong) assert.strictEqual(outcome!.open, 0, "nobody of them is left")
      expectUnharmed(attacked)
    }
  )

  it("send one byte of the headers a second hurt nobody else", async (test) => {
    const attacked = await stage.under(test, `${callers} callers send their headers slowly`, [{
      kind: "hold",
      addresses: attackers,
      connections: callers,
      opening: Buffer.from("POST /api/v1/license/validate HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "),
      drip: { bytes: Buffer.from("a"), every: 1_000 },
      reads: true,
      returns: isLong
    }], seconds)
    assert.includeMembers(["408", "429", "431", "503"], Object.keys(attacked.outcomes[0]!.latencies))
    expectUnharmed(attacked)
  }, attackTimeout)
})

/** Several times what one address may have open. */
const connections = (isLong ? 5 : 2.5) * perAddress

describe(`${connections} idle connections from one address`, () => {
  it("are not all kept, and others are let in", async (test) => {
    const attacked = await stage.under(test, `${connections} idle connections from one address`, [{
      kind: "hold",
      addresses: attackers.slice(0, 1),
      connections,
      opening: Buffer.alloc(0),
      reads: true,
      returns: false
    }], isLong ? seconds : 1)
    assert.isBelow(attacked.outcomes[0]!.open, connections / 2, "one address does not take every connection")
    expectUnharmed(attacked)
  }, attackTimeout)
})
