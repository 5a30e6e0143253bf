import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { table, tables } from "../../../src/runtime/config/ConfigTable.ts"
import type { Setting } from "../../../src/runtime/config/Setting.ts"
import { directives, hasProgram, readRoot } from "../../fixtures/OpsFiles.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"

const unit = readRoot("ops/systemd/countersign.service")

/** Every value of a directive. */
const values = (directive: string): ReadonlyArray<string> => directives(unit, directive)

/** The unit with a Node that this machine has. */
const installed = (): string => {
  const file = join(temporaryDirectory(), "countersign.service")
  writeFileSync(file, unit.replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`))
  return file
}

describe("ops/systemd/countersign.service", () => {
  const rows: ReadonlyArray<Setting<unknown>> = Object.values(table)

  it("sets what the service knows, and each secret from a credential that is loaded", () => {
    const settings = new Map(values("Environment").map((pair) => pair.split("=") as [string, string]))
    const known = rows.flatMap(({ isSecret, name }) => isSecret === true ? [name, `${name}_FILE`] : [name])
    for (const name of settings.keys()) if (name !== "NODE_ENV") assert.include(known, name)
    const loaded = values("LoadCredential").map((pair) => pair.split(":")[0]!)
    // The test environment has a database beside the live one, unless somebody names another.
    const files = rows.filter((row) => row.isSecret === true && row !== table.testDatabaseUrl).map(({ name }) =>
      settings.get(`${name}_FILE`)
    )
    assert.sameMembers(files, loaded.map((name) => `%d/${name}`))
    // As docs/how-to/deploy.md installs them.
    assert.include(readRoot("docs/how-to/deploy.md"), `install -m 600 ${loaded.join(" ")} /etc/countersign/`)
  })

  it("has for each other secret two lines to uncomment, and the command line finds its file", () => {
    const others = tables.flatMap((settings) => Object.values(settings)).filter(({ isSecret, name }) =>
      isSecret === true && !values("Environment").some((pair) => pair.startsWith(`${name}_FILE=`))
    )
    assert.isNotEmpty(others)
    const lines = others.flatMap(({ name }) => {
      const file = name.replace("COUNTERSIGN_", "").toLowerCase()
      return [`#LoadCredential=${file}:/etc/countersign/${file}`, `#Environment=${name}_FILE=%d/${file}`]
    })
    assert.sameMembers(unit.split("\n").filter((line) => /^#\w+=/.test(line)), lines)
    const [, found = ""] = /^for secret in ([^;]*);/m.exec(readRoot("ops/systemd/countersign")) ?? []
    assert.sameMembers(found.split(/[\s\\]+/), others.map(({ name }) => name))
  })

  it("takes all settings from a file that root alone reads", () => {
    assert.deepStrictEqual(values("EnvironmentFile"), ["-/etc/countersign/environment"])
    assert.match(readRoot("docs/how-to/deploy.md"), /^\(umask 077; echo '.*' > \/etc\/countersign\/environment\)$/m)
  })

  it("waits for a stop, which takes at most 15 seconds, and allows for all connections", () => {
    assert.isAbove(Number(values("TimeoutStopSec")[0]), 15)
    assert.isAbove(Number(values("LimitNOFILE")[0]), 10_000)
  })

  it("is not started again with wrong settings: the service ends with the code that says so", async () => {
    assert.deepStrictEqual(values("RestartPreventExitStatus"), ["2"])
    const directory = temporaryDirectory()
    mkdirSync(join(directory, "data"))
    const { status } = await run(["src/runtime/main.ts"], {
      PORT: "none",
      COUNTERSIGN_DATA_DIR: join(directory, "data")
    })
    assert.strictEqual(status, 2)
  })

  it("is started again for as long as the database is away", () => {
    assert.deepStrictEqual(values("StartLimitIntervalSec"), ["0"])
    assert.deepStrictEqual(values("Restart"), ["on-failure"])
  })

  const hasAnalyze = hasProgram("systemd-analyze")
  it.skipIf(!hasAnalyze)("is a unit to systemd-analyze verify, where the machine has it", () => {
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", installed()], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    // It warns of what it does not know and answers 0.
    assert.notMatch(stderr, /countersign\.service/)
  })

  it.skipIf(!hasAnalyze)(
    "is exposed by less than 2 of 10, says systemd-analyze security, where the machine has it",
    () => {
      const { status, stdout } = spawnSync(
        "systemd-analyze",
        ["security", "--offline=yes", "--threshold=20", installed()],
        { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } }
      )
      assert.strictEqual(status, 0, stdout)
    }
  )
})

describe("the backup of systemd", () => {
  const backup = readRoot("ops/systemd/countersign-backup.service")

  it("has the settings and the secrets of the service, and no less protection", () => {
    for (const name of ["LoadCredential", "EnvironmentFile"]) {
      assert.deepStrictEqual(directives(backup, name), values(name))
    }
    const files = (text: string) => directives(text, "Environment").filter((pair) => pair.includes("_FILE="))
    assert.deepStrictEqual(files(backup), files(unit))
    for (const name of ["DynamicUser", "NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "UMask"]) {
      assert.deepStrictEqual(directives(backup, name), values(name), name)
    }
  })

  it.skipIf(!hasProgram("systemd-analyze"))(
    "is a timer and a unit to systemd-analyze verify, where the machine has it",
    () => {
      const directory = temporaryDirectory()
      const names = ["countersign-backup.service", "countersign-backup.timer"]
      for (const name of names) {
        const text = readRoot(`ops/systemd/${name}`).replace("/usr/bin/node", process.execPath)
        writeFileSync(join(directory, name), text)
      }
      const files = names.map((name) => join(directory, name))
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" })
      assert.strictEqual(status, 0, stderr)
      assert.notMatch(stderr, /countersign-backup/)
    }
  )

  it("reports to node_exporter what the alert asks for", () => {
    const post = directives(backup, "ExecStartPost").find((line) => line.startsWith("+-"))!
    const [, script = ""] = /-c '(.*)'$/.exec(post) ?? []
    const directory = temporaryDirectory()
    const line = script.replace("/var/lib/prometheus/node-exporter", directory).replaceAll("%%", "%")
    const { status, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    assert.match(
      readFileSync(join(directory, "countersign.prom"), "utf8"),
      /^countersign_backup_completed_timestamp_seconds \d{10}\n$/
    )
  })
})
