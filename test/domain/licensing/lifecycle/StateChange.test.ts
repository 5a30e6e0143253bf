import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import type { LicenseStatus } from "../../../../src/domain/licensing/licenses/License.ts"
import {
  licenseReinstated,
  licenseRevoked,
  licenseSuspended
} from "../../../../src/domain/licensing/lifecycle/StateChange.ts"
import type { Authors, StateChange } from "../../../../src/domain/licensing/lifecycle/StateChange.ts"

const example = (Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>)[0]!

const decisions: Readonly<Record<string, (license: License, authors: Authors) => StateChange>> = {
  suspended: licenseSuspended,
  reinstated: licenseReinstated,
  revoked: licenseRevoked
}

const by = (state: string) => ({ state, suspended_by: null })
const revoked = { ...by("revoked"), active_device_count: 0 }

describe("what a person decides about the state of a license", () => {
  it.each<
    readonly [decision: string, status: LicenseStatus, suspendedBy: "subscription" | "nobody", expected: unknown]
  >([
    ["suspended", "active", "nobody", by("suspended")],
    ["suspended", "grace_period", "nobody", by("suspended")],
    ["suspended", "suspended", "nobody", undefined],
    ["suspended", "suspended", "subscription", by("suspended")],
    ["suspended", "expired", "nobody", "expired"],
    ["suspended", "revoked", "nobody", "revoked"],
    ["reinstated", "active", "nobody", undefined],
    ["reinstated", "grace_period", "nobody", undefined],
    ["reinstated", "suspended", "nobody", by("active")],
    ["reinstated", "suspended", "subscription", by("active")],
    ["reinstated", "expired", "nobody", "expired"],
    ["reinstated", "revoked", "nobody", "revoked"],
    ["revoked", "active", "nobody", revoked],
    ["revoked", "grace_period", "nobody", revoked],
    ["revoked", "suspended", "subscription", revoked],
    ["revoked", "expired", "nobody", revoked],
    ["revoked", "revoked", "nobody", undefined]
  ])("%s from %s by %s is told as it should", (decision, status, suspendedBy, expected) => {
    const license = { ...example, status, ...(suspendedBy === "nobody" ? {} : { suspended_by: suspendedBy }) }
    const found = Result.match(decisions[decision]!(license, { reseller: undefined, holder: undefined }), {
      onFailure: ({ error }) => error.detail as unknown,
      onSuccess: (change) => change
    })
    assert.deepStrictEqual(found, expected)
  })
})

describe("two authors of the state of a license, one a reseller", () => {
  const acme = "acme"
  it.each<readonly [decision: string, reseller: string | undefined, holder: Authors["holder"], expected: unknown]>([
    ["reinstated", acme, { reseller: "acme" }, by("active")],
    ["reinstated", acme, { reseller: "bolt" }, "suspended by another reseller"],
    ["reinstated", acme, "vendor", "suspended by vendor"],
    ["reinstated", acme, "purchase", "suspended by purchase"],
    ["reinstated", acme, "subscription", "suspended by subscription"],
    ["reinstated", undefined, { reseller: "acme" }, by("active")],
    ["reinstated", undefined, "vendor", by("active")],
    ["suspended", acme, "vendor", undefined],
    ["suspended", acme, "subscription", undefined],
    ["suspended", undefined, { reseller: "acme" }, by("suspended")],
    ["suspended", undefined, "vendor", undefined]
  ])("%s by %s, where the suspension is the word of %o", (decision, reseller, holder, expected) => {
    const license = {
      ...example,
      status: "suspended" as const,
      ...(holder === "subscription" ? { suspended_by: "subscription" as const } : {})
    }
    const found = Result.match(decisions[decision]!(license, { reseller, holder }), {
      onFailure: ({ error }) => error.detail as unknown,
      onSuccess: (change) => change
    })
    assert.deepStrictEqual(found, expected)
  })
})
