import { assert, describe, it } from "@effect/vitest"
import { liveSecrets, withApiKey, withSecret } from "../../../../src/domain/sales/billing/ConnectionSecrets.ts"
import type { Credentials } from "../../../../src/domain/sales/billing/ConnectionSecrets.ts"

const now = Date.parse("2027-01-01T00:00:00.000Z")
const day = 86_400

/** Credentials as text: each secret with the hours that it has left, `-` without an end, and the API key. */
const shown = ({ api_key, secrets }: Credentials, at = now) =>
  [
    ...secrets.map(({ secret, until }) =>
      `${secret} ${until === undefined ? "-" : (Date.parse(until) - at) / 3_600_000}`
    ),
    ...(api_key === undefined ? [] : [api_key])
  ].join(", ")

const first = withSecret({ secrets: [] }, "a", 0, now)

describe("the secrets of a billing connection", () => {
  it("are the newest, and those before it until their overlap ends", () => {
    assert.strictEqual(shown(first), "a -")
    const second = withSecret(first, "b", day, now)
    assert.strictEqual(shown(second), "b -, a 24")
    assert.deepStrictEqual(liveSecrets(second, now), ["b", "a"])
    assert.deepStrictEqual(liveSecrets(second, now + day * 1000), ["b"])
    assert.strictEqual(shown(withSecret(second, "c", 2 * day, now)), "c -, b 48, a 24")
    assert.strictEqual(shown(withSecret(second, "c", 3600, now)), "c -, b 1, a 1")
    assert.strictEqual(shown(withSecret(second, "c", 0, now)), "c -")
  })

  it("do not change when the newest is given again, and one that was replaced may come back", () => {
    const second = withSecret(first, "b", day, now)
    assert.strictEqual(withSecret(second, "b", 0, now), second)
    assert.strictEqual(shown(withSecret(second, "a", day, now)), "a -, b 24")
  })

  it("are five at most", () => {
    const six = ["b", "c", "d", "e", "f"].reduce((before, secret) => withSecret(before, secret, day, now), first)
    assert.deepStrictEqual(liveSecrets(six, now), ["f", "e", "d", "c", "b"])
  })

  it("stand beside an API key, which the empty text removes", () => {
    const keyed = withApiKey(first, "rk_1")
    assert.strictEqual(shown(keyed), "a -, rk_1")
    assert.strictEqual(shown(withSecret(keyed, "b", 0, now)), "b -, rk_1")
    assert.strictEqual(shown(withApiKey(keyed, "")), "a -")
  })
})
