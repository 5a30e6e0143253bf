// Lists the metrics of the service in docs/reference/operations.md, from the code (npm run docs:metrics). test/recipes.test.ts
// fails when the list is not current.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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

const line = (metric: DeclaredMetric): string =>
  `- \`${exposedName(metric)}\`, ${metric.kind}: ${metric.description ?? ""}`.replace(/\.?$/, ".")

/** The document with the current list of metrics between its markers. */
export const withMetrics = (root: string, document: string): string =>
  withGenerated(document, "metrics", declaredMetrics(root).map(line))

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const file = join(root, "docs/reference/operations.md")
  writeFileSync(file, withMetrics(root, readFileSync(file, "utf8")))
}
