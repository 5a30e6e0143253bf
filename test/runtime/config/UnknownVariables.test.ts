import { assert, describe, it } from "@effect/vitest"
import { unknownVariables } from "../../../src/runtime/config/Config.ts"
import { table } from "../../../src/runtime/config/ConfigTable.ts"
import { doorTable } from "../../../src/runtime/config/MailTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { run } from "../../fixtures/Program.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

describe("a variable that looks like a setting and is none", () => {
  it("is named with the setting that is likely meant", () => {
    const meant = {
      COUNTERSIGN_PUBLIC_URI: "COUNTERSIGN_PUBLIC_URL",
      COUNTERSIGN_MASTERKEY: "COUNTERSIGN_MASTER_KEY",
      COUNTERSIGN_ADMIN_TOKEN_FIL: "COUNTERSIGN_ADMIN_TOKEN_FILE",
      COUNTERSIGN_LIMIT_INFLIGHT: "COUNTERSIGN_LIMIT_IN_FLIGHT",
      COUNTERSIGN_DATABASE_URL: "DATABASE_URL",
      COUNTERSIGN_PORT: "PORT",
      countersign_witness: "COUNTERSIGN_WITNESS"
    }
    assert.deepStrictEqual(
      unknownVariables(Object.keys(meant)),
      Object.entries(meant).toSorted(([a], [b]) => a < b ? -1 : 1).map(([name, setting]) =>
        `The variable ${name} is no setting and has no effect. Did you mean ${setting}?`
      )
    )
  })

  it("is named without a guess when none is near, and cut when it is long", () => {
    const [long = "", strange = ""] = unknownVariables([`COUNTERSIGN_${"A".repeat(500)}`, "COUNTERSIGN_ZEBRA_CROSSING"])
    assert.strictEqual(
      strange,
      "The variable COUNTERSIGN_ZEBRA_CROSSING is no setting and has no effect. --help lists all settings."
    )
    assert.isBelow(long.length, 200)
  })

  it("is none of the settings, and nothing of other programs", () => {
    const rows = [...Object.values<Setting<unknown>>(table), ...Object.values<Setting<unknown>>(doorTable)]
    const names = rows.flatMap(({ isSecret, name }) => isSecret === true ? [name, `${name}_FILE`] : [name])
    assert.isAbove(names.length, 30)
    assert.deepStrictEqual(unknownVariables([...names, "COUNTERSIGN_TOKEN", "PATH", "MY_COUNTERSIGN_PORT"]), [])
  })

  it("is named beside the settings that prevent a start", async () => {
    const ended = await run(["src/runtime/main.ts"], {
      PORT: "0",
      DATABASE_URL: "postgres://someone@127.0.0.1:1/licenses",
      COUNTERSIGN_MASTERKEY: "sesame"
    })
    assert.strictEqual(ended.status, 2)
    assert.include(ended.errors, "COUNTERSIGN_MASTER_KEY is required with DATABASE_URL")
    assert.include(
      ended.errors,
      "COUNTERSIGN_MASTERKEY is no setting and has no effect. Did you mean COUNTERSIGN_MASTER"
    )
    assert.notInclude(ended.errors, "sesame")
  })

  it("is warned of at the start, without its value", async () => {
    const service = await startService({
      as: "program",
      environment: { COUNTERSIGN_PUBLIC_URI: "https://sesame.example", COUNTERSIGN_VENDOR_NAME: "Acme" }
    })
    const line = await eventually(
      "the warning is logged",
      () => service.logs().split("\n").find((line) => line.includes("COUNTERSIGN_PUBLIC_URI"))
    )
    assert.include(line, "Did you mean COUNTERSIGN_PUBLIC_URL?")
    assert.match(line, /WARN/i)
    assert.notInclude(service.logs(), "sesame")
    assert.notInclude(service.logs(), "COUNTERSIGN_VENDOR_NAME")
  })
})
