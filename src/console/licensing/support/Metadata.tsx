import type { ComponentChildren } from "preact"

/** Metadata as facts. Callers wrote them, so each value has its own text direction. */
export const metadataFacts = (
  metadata: Readonly<Record<string, unknown>>
): ReadonlyArray<readonly [string, ComponentChildren]> =>
  Object.entries(metadata).map(([name, value]) => [
    name,
    <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
  ])
