import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EventKind from "../../../src/domain/log/EventKind.ts"
import { matches } from "../../../src/domain/log/Subscription.ts"

describe("the registry of event kinds", () => {
  it("holds every kind that was promised, once, in one form", () => {
    const promised = [
      ...["product", "policy", "feature", "version", "customer", "order", "subscription", "custom_field"].flatMap(
        (resource) => [`${resource}.created`, `${resource}.updated`, `${resource}.deleted`]
      ),
      ...("created updated activated deactivated suspended reinstated revoked renewed transferred key_rotated " +
        "grace_started expiring expired feature_assigned feature_removed usage_recorded usage_reset quota_reached")
        .split(" ").map((action) => `license.${action}`),
      ...("device.reset device.blacklisted lease.checked_out lease.checked_in lease.expired offline.issued " +
        "api_key.created api_key.revoked api_key.rotated signing_key.created signing_key.retired signing_key.revoked " +
        "webhook.created webhook.updated webhook.deleted webhook.disabled webhook.secret_rotated " +
        "report_export.created report_export.ready report_export.failed report_export.downloaded").split(" ")
    ]
    for (const kind of promised) assert.include<string>(EventKind.kinds, kind)
    assert.strictEqual(new Set(EventKind.kinds).size, EventKind.kinds.length)
    for (const kind of EventKind.kinds) assert.match(kind, /^[a-z_]+\.[a-z_]+$/)
  })

  it("knows families and resource types", () => {
    assert.strictEqual(EventKind.familyOf("custom_field.created"), "custom_field")
    assert.strictEqual(EventKind.resourceTypeOf("license.usage_recorded"), "license")
    assert.strictEqual(EventKind.resourceTypeOf("offline.issued"), "license")
    assert.strictEqual(EventKind.resourceTypeOf("mail.sent"), "license")
    for (const family of ["offline", "mail"] as const) {
      assert.include(EventKind.families, family)
      assert.notInclude<string>(EventKind.resourceTypes, family)
    }
    assert.lengthOf(EventKind.resourceTypes, EventKind.families.length - 2)
  })

  it("decodes kinds and subscription entries, and nothing else", () => {
    const kind = Schema.is(EventKind.EventKindSchema)
    const entry = Schema.is(EventKind.SubscriptionEntrySchema)
    assert.isTrue(kind("license.activated"))
    assert.isFalse(kind("license.*"))
    for (const text of ["license.activated", "license.*", "offline.*"]) {
      assert.isTrue(entry(text))
      assert.isTrue(EventKind.isSubscription(text))
    }
    for (const text of ["", "*", "license", "license.", "license.sold", "licence.*", "License.*", "constructor"]) {
      assert.isFalse(entry(text))
      assert.isFalse(EventKind.isSubscription(text))
    }
    assert.isTrue(Schema.is(EventKind.AuditActorType)("oidc_subject"))
    assert.isFalse(Schema.is(EventKind.AuditActorType)("user"))
  })
})

describe("matches", () => {
  it("takes all with an empty list, families, and single kinds", () => {
    for (const kind of EventKind.kinds) assert.isTrue(matches([], kind))
    assert.isTrue(matches(["license.*"], "license.expired"))
    assert.isFalse(matches(["license.*"], "lease.expired"))
    assert.isTrue(matches(["device.*", "lease.expired"], "lease.expired"))
    assert.isFalse(matches(["license.expiring"], "license.expired"))
  })
})

describe("kindsOfFilters", () => {
  it("takes the kinds that both filters name, and all where none is given", () => {
    assert.isUndefined(EventKind.kindsOfFilters({}))
    assert.deepStrictEqual(EventKind.kindsOfFilters({ event_type: "license.created" }), ["license.created"])
    const offline = EventKind.kindsOfFilters({ event_type: "offline.*", resource_type: "license" })!
    assert.isAbove(offline.length, 0)
    assert.isTrue(offline.every((kind) => kind.startsWith("offline.")))
    assert.deepStrictEqual(EventKind.kindsOfFilters({ event_type: "license.*", resource_type: "device" }), [])
    assert.deepStrictEqual(EventKind.kindsOfFilters({ event_type: "license.created", resource_type: "device" }), [])
  })
})
