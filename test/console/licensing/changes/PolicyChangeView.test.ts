import { assert, describe, it } from "@effect/vitest"
import type { LicensePolicyChangeResponse } from "../../../../src/client/api/index.ts"
import { changeRows } from "../../../../src/console/licensing/changes/PolicyChangeView.ts"

type Change = LicensePolicyChangeResponse["changes"][number]

const context = { license: { active_device_count: 3 }, names: new Map([["dev_1", "Ada's MacBook"]]) }

const row = (change: Change) => {
  const [{ key: _key, ...shown }] = changeRows([change], context) as [ReturnType<typeof changeRows>[number]]
  return Object.values(shown)
}

describe("a change of policy, as rows", () => {
  it.each<readonly [Change, ReadonlyArray<string>]>([
    [{ kind: "term", name: "max_activations", before: 5, after: 2 }, [
      "Device limit",
      "5",
      "2",
      "3 in use: choose which stay"
    ]],
    [{ kind: "term", name: "max_activations", before: 1, after: 3 }, ["Device limit", "1", "3", "3 in use"]],
    [{ kind: "term", name: "allow_vm", before: true, after: false }, [
      "Virtual machines",
      "Allowed",
      "Not allowed",
      "Refused from the next check"
    ]],
    [{ kind: "term", name: "duration", after: "P1Y" }, ["License duration", "–", "1 year", ""]],
    [{ kind: "term", name: "activation_overage", before: "deny", after: "10%" }, [
      "Device overage",
      "Refuse",
      "10% more",
      ""
    ]],
    [{ kind: "license", name: "expires_at", before: "2026-01-02T00:00:00Z" }, [
      "Expires",
      "2 Jan 2026",
      "never",
      "Does not end"
    ]],
    [{ kind: "counter", name: "render", before: 7, after: 0 }, ["Usage of render", "7", "0", "Starts again at zero"]],
    [
      {
        kind: "feature",
        feature_id: "feat_1",
        feature_code: "render",
        change: "changed",
        before: { enabled: true, max_consumptions: 1000, period: "month" },
        after: { enabled: true }
      },
      ["render", "1,000 a month", "yes", "Has another quota"]
    ],
    [{ kind: "device", id: "dev_1" }, ["Device", "Ada's MacBook", "–", "Gives its seat back"]],
    [{ kind: "lease", id: "lse_1" }, ["Floating seat", "lse_1", "–", "Gives its seat back"]]
  ])("%j", (change, expected) => assert.deepStrictEqual(row(change), [...expected]))
})
