import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  asManager,
  atMost,
  attackers,
  attackTimeout,
  expectUnharmed,
  isLong,
  largest,
  requestOf,
  startStage
} from "../../fixtures/Attack.ts"
import type { Stage } from "../../fixtures/Attack.ts"

const seconds = isLong ? 20 : 1.5

/** What the answer to a refusal may have at most: 16 KiB, and its headers. */
const refusalLimit = 16 * 1024 + 1_024

/** Just below the largest body that any operation takes. */
const size = 250_000

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})

/** Members that no operation knows, as many as fit. */
const unknownMembers = (bytes: number): string => {
  const members: Array<string> = []
  for (let length = 2; length < bytes - 20; length += members.at(-1)!.length + 1) members.push(`"m${members.length}":1`)
  return `{${members.join(",")}}`
}

const nested = (bytes: number): string => `{"metadata":${"[".repeat(bytes / 2 - 20)}${"]".repeat(bytes / 2 - 20)}}`

const wrongElements = (bytes: number): string => `{"name":"a","event_types":[${"1,".repeat(bytes / 2 - 40)}1]}`

const madeUp = { authorization: "License CS-00000-00000-00000-00000-00000" }

interface Large {
  readonly title: string
  readonly path: string
  readonly headers: () => Readonly<Record<string, string>>
  readonly body: string
  readonly statuses: Array<string>
}

const large: ReadonlyArray<Large> = [
  {
    title: "unknown members, with a made-up license key",
    path: "/api/v1/license/validate",
    headers: () => madeUp,
    body: unknownMembers(size),
    statuses: ["401", "413", "429", "503"]
  },
  {
    title: "unknown members, with a license key that is right",
    path: "/api/v1/license/validate",
    headers: () => ({ authorization: `License ${stage.issued.key}` }),
    body: unknownMembers(size),
    statuses: ["413", "429", "503"]
  },
  {
    title: "16 kB of unknown members, with a license key that is right",
    path: "/api/v1/license/validate",
    headers: () => ({ authorization: `License ${stage.issued.key}` }),
    body: unknownMembers(16_000),
    statuses: ["400", "422", "429", "503"]
  },
  {
    title: "unknown members, without a credential",
    path: "/api/v1/products",
    headers: () => ({}),
    body: unknownMembers(size),
    statuses: ["401", "429", "503"]
  },
  {
    title: "unknown members, with a token",
    path: "/api/v1/products",
    headers: () => asManager,
    body: unknownMembers(size),
    statuses: ["400", "422", "429", "503"]
  },
  {
    title: "120,000 arrays in one another, with a token",
    path: "/api/v1/products",
    headers: () => asManager,
    body: nested(size),
    statuses: ["400", "422", "429", "503"]
  },
  {
    title: "120,000 wrong elements, with a token",
    path: "/api/v1/webhooks",
    headers: () => asManager,
    body: wrongElements(size),
    statuses: ["400", "422", "429", "503"]
  }
]

/** Figures are of one attack at a time; without them, all go on at once. */
const attacks = isLong ? large.map((one) => [one]) : [large]

describe("one connection that sends bodies of 250 kB again and again:", () => {
  it.for(attacks.map((together) => ({ together, title: together.map(({ title }) => title).join("; ") })))(
    "$title",
    { timeout: attackTimeout },
    async ({ title, together }, test) => {
      const attacked = await stage.under(
        test,
        `bodies of ${together.map(({ body }) => body.length).join(", ")} bytes: ${title}`,
        together.map(({ body, headers, path }) => ({
          kind: "call",
          addresses: attackers.slice(0, 1),
          connections: 1,
          requests: [requestOf("POST", path, headers(), body)],
          patience: 60_000,
          ...atMost(20, 1)
        })),
        seconds
      )
      for (const [index, { statuses, title }] of together.entries()) {
        const outcome = attacked.outcomes[index]!
        assert.isNotEmpty(Object.keys(outcome.latencies), `${title}: it is answered`)
        assert.includeMembers(statuses, Object.keys(outcome.latencies), title)
        for (const status of Object.keys(outcome.latencies)) {
          assert.isAtMost(largest(outcome, Number(status)), refusalLimit, `${title}: the largest ${status}`)
        }
        assert.strictEqual(outcome.withoutRetryAfter, 0, title)
      }
      expectUnharmed(attacked)
    }
  )

  it("at most 20 findings, and the answer stays small", async () => {
    for (const { body, headers, path } of large.slice(2)) {
      const options = { raw: body, token: null, headers: { "content-type": "application/json", ...headers() } }
      const answer = await stage.service.call("POST", path, options)
      assert.isAtMost(answer.text.length, refusalLimit, path)
      assert.isAtMost(answer.body.error.fields?.length ?? 0, 20, path)
    }
  })
})
