import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { alerts, dashboard, panels, readYaml } from "../../fixtures/OpsFiles.ts"
import { root } from "../../fixtures/Program.ts"
import type { Body } from "../../fixtures/Session.ts"

const [{ datasources: [datasource] }] = readYaml("ops/grafana/provisioning/datasources/prometheus.yml") as [Body]
const [{ providers: [provider] }] = readYaml("ops/grafana/provisioning/dashboards/countersign.yml") as [Body]
const [compose] = readYaml("docker-compose.yml") as [Body]

/** Where a container has a directory of the checkout; the mounts are read-only. */
const mounted = (service: string, directory: string): string | undefined =>
  compose.services[service].volumes
    .find((volume: string) => volume.startsWith(`./${directory}:`))
    ?.match(/:(.*):ro$/)?.[1]

describe("the dashboard", () => {
  it("has panels with a title, a description, a unit and a query each, all of the provisioned source", () => {
    assert.isAtLeast(panels.length, 40)
    for (const { datasource: source, description, fieldConfig, targets, title } of panels) {
      assert.isNotEmpty(title)
      assert.isNotEmpty(description, title)
      assert.isNotEmpty(fieldConfig.defaults.unit, title)
      assert.isNotEmpty(targets, title)
      for (const place of [source, ...targets.map((target: Body) => target.datasource)]) {
        assert.deepStrictEqual(place, { type: datasource.type, uid: datasource.uid }, title)
      }
      assert.strictEqual(new Set(targets.map(({ refId }: Body) => refId)).size, targets.length, title)
    }
  })

  it("shows all that it should, each under its heading", () => {
    const rows = dashboard.panels.filter(({ type }: Body) => type === "row").map(({ title }: Body) => title)
    assert.deepStrictEqual(rows, [
      "Now",
      "Traffic and errors",
      "Latency",
      "Decisions",
      "Refused at the door",
      "Database",
      "Process",
      "Feed and deliveries",
      "Exports and sweepers",
      "Keys and checkpoints"
    ])
  })

  it("has a place and a number of its own for each panel", () => {
    const numbers = dashboard.panels.map(({ id }: Body) => id)
    assert.strictEqual(new Set(numbers).size, numbers.length)
    const taken = new Set<string>()
    for (const { gridPos: { h, w, x, y }, title } of dashboard.panels) {
      assert.isAtMost(x + w, 24, title)
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          assert.isFalse(taken.has(`${column} ${line}`), `${title} overlaps`)
          taken.add(`${column} ${line}`)
        }
      }
    }
  })

  it("draws the limits of its panels where an alert has them", () => {
    const limits: ReadonlyArray<readonly [panel: string, alert: string]> = [
      ["Failed requests", "CountersignErrorRatioHigh"],
      ["p99 of apps", "CountersignLatencyHigh"],
      ["Oldest undelivered", "CountersignWebhookBacklogOld"]
    ]
    for (const [title, name] of limits) {
      const steps = panels.find((panel) => panel.title === title).fieldConfig.defaults.thresholds.steps
      const { expr } = alerts.find(({ alert }) => alert === name)!
      assert.match(expr, new RegExp(`> ${steps.at(-1).value}\\b`), `${title}, ${name}`)
    }
  })
})

describe("docker-compose.yml", () => {
  it("has Prometheus and Grafana behind a profile, of a fixed version, open to this machine alone", () => {
    for (const name of ["prometheus", "grafana"]) {
      const { image, ports, profiles } = compose.services[name]
      assert.deepStrictEqual(profiles, ["observability"], name)
      assert.match(image, /:v?\d+\.\d+\.\d+$/, name)
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
    }
    for (const [name, { profiles }] of Object.entries<Body>(compose.services)) {
      if (name !== "prometheus" && name !== "grafana") assert.isUndefined(profiles, name)
    }
  })

  it("mounts what is there where the programs look for it", () => {
    const configuration = compose.services.prometheus.command.find((word: string) => word.startsWith("--config.file="))
    assert.strictEqual(configuration, `--config.file=${mounted("prometheus", "ops/prometheus")}/prometheus.yml`)
    assert.strictEqual(mounted("grafana", "ops/grafana/provisioning"), "/etc/grafana/provisioning")
    assert.strictEqual(mounted("grafana", "ops/grafana/dashboards"), provider.options.path)
    const home = compose.services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH
    assert.isTrue(existsSync(join(root, "ops/grafana/dashboards", home.slice(provider.options.path.length + 1))), home)
    const used = Object.values<Body>(compose.services).flatMap(({ volumes = [] }) => volumes)
      .map((volume: string) => volume.split(":")[0]!)
    for (const source of used) {
      assert.isTrue(source.startsWith("./") ? existsSync(join(root, source)) : source in compose.volumes, source)
    }
  })

  it("has Prometheus scrape the service, and Grafana ask Prometheus, under the names they have there", () => {
    const [{ scrape_configs: [job] }] = readYaml("ops/prometheus/prometheus.yml") as [Body]
    const targets = [...job.static_configs[0].targets, new URL(datasource.url).host]
    assert.deepStrictEqual(targets, ["countersign:8080", "prometheus:9090"])
    for (const target of targets) {
      const [name, port] = target.split(":")
      assert.isTrue(compose.services[name].ports.some((given: string) => given.endsWith(`:${port}`)), target)
    }
  })
})
