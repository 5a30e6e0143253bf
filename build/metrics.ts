// Lists the metrics of the service in docs/reference/operations.md, from the code and the alert rules (npm run docs:metrics). test/recipes.test.ts
// fails when the list is not current.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { withGenerated } from "./generated.ts"

/** A metric as the code declares it. */
export interface DeclaredMetric {
  /** The file and the line of the declaration. */
  readonly at: string
  readonly kind: string
  /** The name and the description; undefined where they are no literals. */
  readonly name: string | undefined
  readonly description: string | undefined
}

const declaration =
  /\bMetric\.(counter|gauge|histogram|summary|frequency|timer)\(\s*(?:"([^"]*)"(?:,\s*\{\s*description:\s*"([^"]*)")?)?/g

/** Every metric that a file under src declares, in the order of their names. */
export const declaredMetrics = (root: string): ReadonlyArray<DeclaredMetric> =>
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const text = readFileSync(join(root, "src", path), "utf8")
      return [...text.matchAll(declaration)].map(({ 1: kind = "", 2: name, 3: description, index }) => ({
        at: `src/${path}:${text.slice(0, index).split("\n").length}`,
        kind,
        name,
        description
      }))
    })
    .toSorted((a, b) => (a.name ?? "").localeCompare(b.name ?? "") || a.at.localeCompare(b.at))

/** The name under which `/metrics` shows it: Prometheus has counters end with `_total`. */
const exposedName = ({ kind, name = "" }: DeclaredMetric): string =>
  kind === "counter" && !name.endsWith("_total") ? `${name}_total` : name

/** The names of the alerts of ops/ whose queries ask for a metric, in the order of the rules. */
const alertsAbout = (root: string): (name: string) => ReadonlyArray<string> => {
  const { groups } = parse(readFileSync(join(root, "ops/prometheus/rules.yml"), "utf8")) as {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string; readonly expr: string }> }>
  }
  const rules = groups.flatMap(({ rules }) => rules)
  return (name) => {
    const asks = new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\{`)
    return rules.filter(({ expr }) => asks.test(expr)).map(({ alert }) => alert)
  }
}

const line = (metric: DeclaredMetric, alerts: ReadonlyArray<string>): string => {
  const text = `- \`${exposedName(metric)}\`, ${metric.kind}: ${metric.description ?? ""}`.replace(/\.?$/, ".")
  const links = alerts.map((alert) => `[${alert}](../runbook.md#${alert.toLowerCase()})`)
  return links.length === 0 ? text : `${text} Looked at by ${links.join(", ")}.`
}

/** The document with the current list of metrics between its markers. */
export const withMetrics = (root: string, document: string): string => {
  const about = alertsAbout(root)
  return withGenerated(
    document,
    "metrics",
    declaredMetrics(root).map((metric) => line(metric, about(exposedName(metric))))
  )
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const file = join(root, "docs/reference/operations.md")
  writeFileSync(file, withMetrics(root, readFileSync(file, "utf8")))
}
