import { Effect, Metric } from "effect"
import manifest from "../../package.json" with { type: "json" }

const buildInfo = (postgres: string) =>
  Metric.gauge("countersign_build_info", {
    description:
      "Always 1. Labels: version, Node.js version, and PostgreSQL version (empty until the database responds).",
    attributes: { version: manifest.version, node: process.version, postgres }
  })

const unknown = buildInfo("")

/** Shows the version before the database has said its own. */
export const beginBuildInfo: Effect.Effect<void> = Metric.update(unknown, 1)

/** Shows the version of the database beside those of the service. */
export const observeBuildInfo = (postgres: string): Effect.Effect<void> =>
  Effect.andThen(Metric.remove(unknown), Metric.update(buildInfo(postgres), 1))
