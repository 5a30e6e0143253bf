import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Allowed } from "../../../build/audit.ts"
import { audit, judge } from "../../../build/audit.ts"
import { lockedPackages } from "../../../build/packages.ts"
import { root, temporaryDirectory } from "../../fixtures/Program.ts"
import { atEnd } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const weakness = (name: string, severity: string, id = "GHSA-aaaa-bbbb-cccc") => ({
  id: 1,
  name,
  severity,
  title: "Something bad",
  url: `https://github.com/advisories/${id}`,
  vulnerable_versions: "*"
})

const report = (...found: ReadonlyArray<ReturnType<typeof weakness>>) => ({
  vulnerabilities: Object.fromEntries(
    found.map((one) => [one.name, { via: [one], nodes: [`node_modules/${one.name}`] }])
  )
})

const isOfProduction = (folder: string) => !folder.endsWith("/vitest")
const today = "2026-11-24"
const pardon = (until: string): ReadonlyArray<Allowed> => [
  { id: "GHSA-aaaa-bbbb-cccc", reason: "Never called.", until }
]

describe("the audit", () => {
  it("fails on what is high or critical, and on nothing below", () => {
    for (const severity of ["critical", "high"]) {
      const { isFine, lines } = judge(report(weakness("undici", severity)), [], isOfProduction, today)
      assert.isFalse(isFine)
      assert.include(lines.join("\n"), `${severity}: undici: Something bad (GHSA-aaaa-bbbb-cccc)`)
    }
    for (const severity of ["moderate", "low", "info"]) {
      assert.isTrue(judge(report(weakness("undici", severity)), [], isOfProduction, today).isFine)
    }
  })

  it("tells of what development has, and fails for what both have", () => {
    const found = judge(report(weakness("vitest", "critical")), [], isOfProduction, today)
    assert.isTrue(found.isFine)
    assert.include(found.lines.join("\n"), "of development, critical: vitest")
  })

  it("lets pass what is allowed until its day is over, and says what is allowed in vain", () => {
    const found = report(weakness("undici", "high"))
    assert.isTrue(judge(found, pardon(today), isOfProduction, today).isFine)
    const late = judge(found, pardon("2026-11-23"), isOfProduction, today)
    assert.isFalse(late.isFine)
    assert.include(late.lines.join("\n"), "was allowed until 2026-11-23: Never called.")
    assert.isFalse(
      judge(report(weakness("undici", "high", "GHSA-dddd-eeee-ffff")), pardon(today), isOfProduction, today).isFine
    )
    assert.include(judge(report(), pardon(today), isOfProduction, today).lines.join("\n"), "take it out")
  })

  it("has a list whose entries have an id, a reason and a day", () => {
    const list = JSON.parse(readFileSync(join(root, "build/audit-allowed.json"), "utf8")) as ReadonlyArray<Allowed>
    for (const { id, reason, until } of list) {
      assert.match(id, /^GHSA(-[a-z0-9]{4}){3}$/)
      assert.isAbove(reason.length, 20)
      assert.match(until, /^\d{4}-\d\d-\d\d$/)
    }
  })
})

/** What the audit says where the registry is this. */
const against = async (listener: RequestListener, seconds = 60) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  atEnd(async () => stop())
  const { port } = server.address() as AddressInfo
  const found = await audit({
    root,
    seconds,
    allowed: [],
    environment: { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_cache: temporaryDirectory() }
  })
  stop()
  return { ...found, text: found.lines.join("\n"), origin: `127.0.0.1:${port}` }
}

describe("the audit, of this checkout by npm", () => {
  it("fails where the registry knows of something", async () => {
    const { version = "" } = lockedPackages(root)["node_modules/undici"]!
    const found = await against(({ method, url = "" }, response) => {
      response.setHeader("content-type", "application/json")
      if (method === "POST" && url.endsWith("/advisories/bulk")) {
        return response.end(JSON.stringify({ undici: [weakness("undici", "critical")] }))
      }
      if (url !== "/undici") return response.writeHead(404).end("{}")
      const versions = { [version]: { name: "undici", version } }
      return response.end(JSON.stringify({ name: "undici", "dist-tags": { latest: version }, versions }))
    })
    assert.isFalse(found.isFine, found.text)
    assert.include(found.text, "critical: undici: Something bad (GHSA-aaaa-bbbb-cccc)")
  })

  it("is fine where the registry knows of nothing", async () => {
    const found = await against((_request, response) => response.end("{}"))
    assert.isTrue(found.isFine)
    assert.match(found.text, /^Audit: nothing high or critical/)
  })

  it("is skipped with a word where the registry gives none, whatever it answers", async () => {
    for (const status of [405, 404, 500]) {
      const found = await against((_request, response) => response.writeHead(status).end("no"))
      assert.isTrue(found.isFine)
      assert.match(found.text, /^Audit skipped: /)
      assert.notInclude(found.text, found.origin)
    }
  })

  it("is skipped where nobody answers, and ends what it started", async () => {
    const found = await against(() => {}, 3)
    assert.isTrue(found.isFine)
    assert.strictEqual(found.text, "Audit skipped: the registry has not answered within 3 s.")
  })

  it("is skipped without a network", async () => {
    const found = await audit({
      root,
      seconds: 60,
      allowed: [],
      // Nothing listens on this port of the discard protocol.
      environment: { npm_config_registry: "http://127.0.0.1:9/", npm_config_cache: temporaryDirectory() }
    })
    assert.isTrue(found.isFine)
    assert.match(found.lines[0]!, /^Audit skipped: .*\(ECONNREFUSED\)/)
  })
})
