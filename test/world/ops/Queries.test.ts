import { assert, beforeAll, describe, it } from "@effect/vitest"
import { opsQueries } from "../../fixtures/OpsFiles.ts"
import { readQuery } from "../../fixtures/PromQl.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"

/** What Prometheus itself adds. */
const scraped = ["job", "instance", "process", "le"]
const ofPrometheus: Readonly<Record<string, ReadonlyArray<string>>> = {
  up: [],
  ALERTS: ["alertname", "alertstate", "severity"]
}

/** What others than the service measure: node_exporter, the backup's unit for it, and kube-state-metrics. */
const ofOthers: Readonly<Record<string, ReadonlyArray<string>>> = {
  node_filesystem_avail_bytes: ["device", "fstype", "mountpoint"],
  node_filesystem_size_bytes: ["device", "fstype", "mountpoint"],
  countersign_backup_completed_timestamp_seconds: [],
  kube_cronjob_status_last_successful_time: ["cronjob", "namespace"]
}

describe("the queries of ops/ and of the runbook", () => {
  const labelsBySeries = new Map<string, Set<string>>()

  /** The labels that a series has; undefined where this run saw none of it. */
  const labelsOf = (series: string): ReadonlyArray<string> | undefined => {
    const labels = labelsBySeries.get(series)
    return labels === undefined ? undefined : [...labels, ...scraped]
  }

  beforeAll(async () => {
    const service: Service = await startService()
    const { key } = await service.issue()
    await service.license("validate", key, {})
    const { text } = await service.call("GET", "/metrics", { token: null })
    for (const [, name, labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!)
      labelsBySeries.set(name!, new Set([...labelsBySeries.get(name!) ?? [], ...names]))
    }
    for (const [name, labels] of Object.entries({ ...ofPrometheus, ...ofOthers })) {
      labelsBySeries.set(name, new Set(labels))
    }
  })

  it("are there", () => assert.isAbove(opsQueries.length, 100))

  it.each(opsQueries)("are PromQL: $where", ({ query }) => {
    assert.deepStrictEqual(readQuery(query).errors, [])
    assert.isNotEmpty(readQuery(query).asked)
  })

  it("ask for metrics that there are", () => {
    const unknown = opsQueries.flatMap(({ query, where }) =>
      readQuery(query).asked.filter(({ metric }) => !labelsBySeries.has(metric)).map(({ metric }) =>
        `${where}: ${metric}`
      )
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("choose and group by labels that their metrics have", () => {
    const wrong = opsQueries.flatMap(({ query, where }) => {
      const { asked, grouped } = readQuery(query)
      const all = asked.map(({ metric }) => labelsOf(metric))
      // A metric that this run has counted nothing for says nothing about its labels.
      const groupable = all.includes(undefined) ? undefined : new Set(all.flatMap((labels) => labels ?? []))
      return [
        ...asked.flatMap(({ labels, metric }) =>
          labels.filter((label) => labelsOf(metric)?.includes(label) === false).map((label) => `${metric}{${label}}`)
        ),
        ...grouped.filter((label) => groupable?.has(label) === false)
      ].map((label) => `${where}: ${label}`)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("say of which job: other programs of the machine have metrics of the same names", () => {
    const anybody = opsQueries.flatMap(({ query, where }) =>
      readQuery(query).asked.filter(({ labels }) => !labels.includes("job")).map(({ metric }) => `${where}: ${metric}`)
    )
    assert.deepStrictEqual(anybody, [])
  })
})
