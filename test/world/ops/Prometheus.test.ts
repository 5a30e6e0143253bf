import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { alerts, hasProgram, opsQueries, readYaml } from "../../fixtures/OpsFiles.ts"
import { root } from "../../fixtures/Program.ts"
import type { Prometheus } from "../../fixtures/Prometheus.ts"
import { startPrometheus } from "../../fixtures/Prometheus.ts"
import { readQuery } from "../../fixtures/PromQl.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

describe("ops/prometheus", () => {
  it("scrapes the job that the rules speak of, where the service answers without a credential", () => {
    const [{ scrape_configs: [job, ...more] }] = readYaml("ops/prometheus/prometheus.yml") as [Body]
    assert.isEmpty(more)
    assert.strictEqual(job.job_name, "countersign")
    assert.strictEqual(job.metrics_path, "/metrics")
    assert.notProperty(job, "authorization")
  })

  it("has rules with a severity and words", () => {
    assert.isAtLeast(alerts.length, 20)
    for (const { alert, annotations, labels } of alerts) {
      assert.include(["critical", "warning", "info"], labels["severity"], alert)
      assert.sameMembers(Object.keys(annotations), ["summary", "description", "runbook_url"], alert)
    }
  })

  it("has for each alert a case in which it fires and one in which it does not", () => {
    const [{ tests }] = readYaml("ops/prometheus/rules.test.yml") as [Body]
    const names: ReadonlyArray<string> = tests.map(({ name }: Body) => name)
    for (const { alert } of alerts) {
      assert.isTrue(names.some((name) => name.startsWith(`${alert} fires`)), alert)
      assert.isTrue(names.some((name) => name.startsWith(`${alert} does not fire`)), alert)
    }
    for (const { name, promql_expr_test: [check] = [] } of tests as ReadonlyArray<Body>) {
      if (check !== undefined) {
        assert.strictEqual(check.exp_samples.length, name.includes("does not fire") ? 0 : 1, name)
      }
    }
  })

  // Debian's package `prometheus` has promtool.
  it.skipIf(!hasProgram("promtool")).each([
    ["check config", "prometheus.yml"],
    ["check rules", "rules.yml"],
    ["test rules", "rules.test.yml"]
  ])("passes promtool %s %s, where the machine has promtool", (command, file) => {
    const { status, stderr, stdout } = spawnSync("promtool", [...command.split(" "), file], {
      cwd: join(root, "ops/prometheus"),
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stdout + stderr)
  })
})

/**
 * What may find nothing while all is well: an alert; what is shown of failures only, or of alerts that fire; and what the
 * runbook asks when an alert has come.
 */
const isOfTrouble = (where: string): boolean =>
  /^(alert|annotation|runbook) /.test(where) || mayBeEmpty.has(/^panel "(.*)" \w+$/.exec(where)?.[1] ?? "")
const mayBeEmpty = new Set(["Failed requests by route"])

describe.skipIf(!hasProgram("prometheus"))("a Prometheus that scrapes a service, where the machine has one", () => {
  let service: Service
  let prometheus: Prometheus
  let scraped: ReadonlySet<string>

  beforeAll(async () => {
    service = await startService({ as: "program" })
    prometheus = await startPrometheus(service.url)
    const scrapedOften = async (times: number) => {
      const [counted] = await prometheus.query("count_over_time(up{job=\"countersign\"}[5m])")
      return Number(counted?.value[1]) >= times
    }
    await eventually("it has scraped a service that has done nothing", () => scrapedOften(1))
    const { key, license } = await service.issue({ policy: { license_type: "consumption" } })
    // Nobody listens there: its deliveries fail.
    await service.data("POST", "/api/v1/webhooks", { name: "w", url: "http://127.0.0.1:9/" })
    await service.license("activate", key, { fingerprint: "f" })
    await service.data("POST", "/api/v1/reports/exports", {
      report_kind: "license-audit",
      format: "json",
      filters: { license_id: license.id }
    })
    // A quantile needs an observation between two scrapes.
    await eventually("it has scraped a service at work", async () => {
      await service.license("validate", key, { fingerprint: "f" })
      await service.license("validate", key, { fingerprint: "another" })
      await service.call("GET", "/api/v1/products", { token: "wrong" })
      await service.call("GET", "/readyz", { token: null })
      await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
      await service.data("POST", `/api/v1/licenses/${license.id}/reinstate`)
      return scrapedOften(6)
    })
    scraped = new Set(await prometheus.get("/label/__name__/values"))
  })

  it("reaches it", async () => {
    const [up] = await prometheus.query("up{job=\"countersign\"}")
    assert.strictEqual(up.value[1], "1")
    assert.isTrue(scraped.has("nodejs_heap_used_bytes"), "the series of the service are there")
  })

  it.each(opsQueries)("evaluates $where", async ({ query, where }) => {
    const found = await prometheus.query(query)
    const { asked } = readQuery(query)
    for (const { metric } of asked) assert.isTrue(scraped.has(metric) || metric === "ALERTS", metric)
    if (!isOfTrouble(where)) assert.isNotEmpty(found)
  })

  it("evaluates each rule without an error", async () => {
    const rules: ReadonlyArray<Body> = await eventually("all rules were evaluated", async () => {
      const { groups } = await prometheus.get("/rules")
      const all = groups.flatMap((group: Body) => group.rules)
      return all.every(({ health }: Body) => health !== "unknown") && all
    })
    assert.lengthOf(rules, alerts.length)
    assert.deepStrictEqual(
      rules.filter(({ health }) => health !== "ok").map(({ lastError, name }) => [name, lastError]),
      []
    )
  })

  it("says that the service is down once it is", async () => {
    const isActive = async () => {
      const { alerts: active } = await prometheus.get("/alerts")
      return active.some(({ labels }: Body) => labels.alertname === "CountersignDown")
    }
    assert.isFalse(await isActive())
    await service.kill("SIGKILL")
    await eventually("the alert is pending", isActive)
  })
})
