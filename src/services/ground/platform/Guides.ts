import { Context } from "effect"
import type { Effect } from "effect"

/** The guides of docs/, as they were written; the runtime reads them from its files. */
export class Guides extends Context.Service<Guides, {
  /** The path of each below docs/, such as `webhooks.md`, in order of the alphabet. */
  readonly paths: ReadonlyArray<string>

  /** The Markdown of one of {@link paths}. */
  readonly read: (path: string) => Effect.Effect<string>
}>()("countersign/services/ground/platform/Guides") {}
