import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import { formatLicenseKey, formatManagementToken } from "../../../src/domain/keys/security/Credential.ts"
import {
  answered,
  atMost,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Stage } from "../../fixtures/Attack.ts"

/** How many credentials are guessed, and what share of them may be answered as wrong. */
const guesses = isLong ? 10_000 : 1_000
const share = isLong ? 0.1 : 0.25
const seconds = isLong ? 15 : 1.5

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})

const validate = (authorization: string): Buffer =>
  requestOf("POST", "/api/v1/license/validate", { authorization }, { fingerprint: randomUUID() })

const list = (authorization: string): Buffer => requestOf("GET", "/api/v1/products", { authorization })

const wrong: ReadonlyArray<{ readonly title: string; readonly guess: () => Buffer }> = [
  {
    title: "well-formed license keys that nobody has",
    guess: () => validate(`License ${formatLicenseKey(randomBytes(15))}`)
  },
  {
    title: "license keys of another system that nobody has",
    guess: () => validate(`License ${randomBytes(12).toString("hex")}`)
  },
  { title: "malformed license keys", guess: () => validate(`License CS-${randomBytes(12).toString("hex")}`) },
  {
    title: "well-formed tokens that nobody has",
    guess: () => list(`Bearer ${formatManagementToken(randomBytes(32))}`)
  },
  { title: "malformed tokens", guess: () => list(`Bearer ${randomBytes(12).toString("hex")}`) }
]

/** Figures are of one attack at a time; without them, all go on at once. */
const attacks = isLong ? wrong.map((one) => [one]) : [wrong]

describe(`${guesses} guesses`, () => {
  it.for(attacks.map((together) => ({ together, title: together.map(({ title }) => title).join(", of ") })))(
    "of $title: nearly all are 429, and right ones go on",
    { timeout: attackTimeout },
    async ({ title, together }, test) => {
      const attacked = await stage.under(
        test,
        `${guesses} ${title}`,
        together.map(({ guess }) => ({
          kind: "call",
          addresses: attackers,
          connections: 16,
          requests: Array.from({ length: guesses }, guess),
          total: guesses,
          patience: 60_000,
          ...atMost(750, 16)
        })),
        seconds
      )
      for (const [index, { title }] of together.entries()) {
        const outcome = attacked.outcomes[index]!
        assert.includeMembers(["401", "429", "503"], Object.keys(outcome.latencies), title)
        assert.isAtMost(answered(outcome, 401), guesses * share, `${title}: who guesses is not answered for long`)
        if (isLong) assert.isAbove(answered(outcome, 429), answered(outcome, 401))
        assert.strictEqual(outcome.withoutRetryAfter, 0, title)
      }
      expectUnharmed(attacked)
    }
  )
})
