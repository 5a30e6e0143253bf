import { assert, beforeAll, describe, it } from "@effect/vitest"
import { announcedMetrics } from "../fixtures/announcedMetrics.ts"
import type { AnnouncedMetric } from "../fixtures/announcedMetrics.ts"
import { opsQueries, readRoot } from "../fixtures/OpsFiles.ts"
import { readQuery } from "../fixtures/PromQl.ts"
import type { Service } from "../fixtures/Service.ts"
import { startService } from "../fixtures/Service.ts"

/** What Prometheus itself adds. */
const scraped = ["job", "instance", "process", "le"]
const ofPrometheus: Readonly<Record<string, AnnouncedMetric>> = {
  up: { kind: "gauge", labels: [] },
  ALERTS: { kind: "gauge", labels: ["alertname", "alertstate", "severity"] }
}

/** The metrics of the service by the list of docs/reference/operations.md, which another test holds to the code. */
const listed = new Map(
  [...readRoot("docs/reference/operations.md").matchAll(/^- `(\w+)`, (\w+):/gm)].map(([, name, kind]) => [name!, kind!])
)

/** The series that a metric of a kind has. */
const seriesOf = (name: string, kind: string): ReadonlyArray<string> =>
  kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]

describe("the queries of ops/ and of the runbook", () => {
  const labelsBySeries = new Map<string, Set<string>>()
  const known = new Set<string>()

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
    for (const [name, kind] of listed) for (const series of seriesOf(name, kind)) known.add(series)
    for (const name of labelsBySeries.keys()) known.add(name)
    for (const [name, { kind, labels }] of [...Object.entries(announcedMetrics), ...Object.entries(ofPrometheus)]) {
      for (const series of seriesOf(name, kind)) {
        known.add(series)
        if (!labelsBySeries.has(series)) labelsBySeries.set(series, new Set(labels))
      }
    }
  })

  it("are there", () => assert.isAbove(opsQueries.length, 100))

  it.each(opsQueries)("are PromQL: $where", ({ query }) => {
    assert.deepStrictEqual(readQuery(query).errors, [])
    assert.isNotEmpty(readQuery(query).asked)
  })

  it("ask for metrics that there are", () => {
    const unknown = opsQueries.flatMap(({ query, where }) =>
      readQuery(query).asked.filter(({ metric }) => !known.has(metric)).map(({ metric }) => `${where}: ${metric}`)
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

  it("are held to a list of announced metrics only while some of them are not exposed", () => {
    assert.isNotEmpty(
      Object.keys(announcedMetrics).filter((name) => !listed.has(name)),
      "all are exposed: remove test/fixtures/announcedMetrics.ts and what this file does with it"
    )
  })
})
