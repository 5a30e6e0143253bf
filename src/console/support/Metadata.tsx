import type { ComponentChildren } from "preact"

/** Metadata as facts. Callers wrote it, so each value has a text direction of its own. */
export const metadataFacts = (
  metadata: Readonly<Record<string, unknown>>
): ReadonlyArray<readonly [string, ComponentChildren]> =>
  Object.entries(metadata).map(([name, value]) => [
    name,
    <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
  ])
