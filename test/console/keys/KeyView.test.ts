import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "../../../src/client/api/index.ts"
import {
  endOf,
  isForgotten,
  limitsLine,
  makerOf,
  rangesIn,
  stateOf,
  tryCommand,
  useCases
} from "../../../src/console/keys/UseCases.ts"

const now = Date.parse("2026-11-01T00:00:00Z")
const day = 86_400_000
const at = (days: number): string => new Date(now + days * day).toISOString()
const key = (members: Partial<ApiKey> = {}): ApiKey => ({
  id: "key_1",
  name: "Web shop",
  key_prefix: "csk_1",
  scopes: ["license:read"],
  allowed_cidrs: [],
  is_active: true,
  created_at: at(-200),
  ...members
})

describe("an API key", () => {
  it("is forgotten when it works and was not used for 90 days, or ever", () => {
    assert.isTrue(isForgotten(key(), now))
    assert.isTrue(isForgotten(key({ last_used_at: at(-91) }), now))
    assert.isFalse(isForgotten(key({ last_used_at: at(-89) }), now))
    assert.isFalse(isForgotten(key({ is_active: false }), now))
    assert.isFalse(isForgotten(key({ created_at: at(-1) }), now))
  })

  it("has a state in a word", () => {
    assert.strictEqual(stateOf(key(), now), "active")
    assert.strictEqual(stateOf(key({ is_active: false, expires_at: at(-1) }), now), "expired")
    assert.strictEqual(stateOf(key({ is_active: false, expires_at: at(1) }), now), "revoked")
  })

  it("says what it is limited to, who made it, and how it is tried", () => {
    assert.isUndefined(limitsLine(key(), undefined))
    assert.strictEqual(
      limitsLine(key({ allowed_cidrs: ["::1/128"] }), "a, b and 1 more"),
      "a, b and 1 more · 1 address range"
    )
    assert.strictEqual(limitsLine(key({ license_tag: "acme" }), "Notes"), "Notes · #acme")
    assert.strictEqual(
      limitsLine(key({ license_tag: "acme", max_licenses: 1200 }), "Notes"),
      "Notes · #acme · at most 1,200 licenses"
    )
    assert.strictEqual(makerOf(key({ created_by: { type: "api_key", id: "bootstrap" } })), "Admin token")
    assert.strictEqual(makerOf(key({ created_by: { type: "person", id: "per_1", name: "Mei" } })), "Mei")
    assert.isUndefined(makerOf(key()))
    assert.strictEqual(
      tryCommand("https://l.example", "csk_x"),
      `curl https://l.example/api/v1/whoami -H "Authorization: Bearer csk_x"`
    )
  })
})

describe("the choices of a new key", () => {
  it("are an end in days, ranges of addresses, and rights that are never admin", () => {
    assert.strictEqual(endOf("90", now), at(90))
    assert.isUndefined(endOf("never", now))
    assert.deepStrictEqual(rangesIn(" 192.0.2.0/24,\n2001:db8::/32 "), ["192.0.2.0/24", "2001:db8::/32"])
    for (const { scopes } of Object.values(useCases)) assert.notInclude(scopes, "admin")
  })
})
