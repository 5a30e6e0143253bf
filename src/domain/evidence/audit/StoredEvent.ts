import { unescapeToken } from "effect/JsonPointer"
import { maskedUrl } from "../../delivery/webhooks/MaskedUrl.ts"
import { parseMembers } from "../../ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../ground/parsing/JsonMembers.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { familyOf } from "../../log/EventKind.ts"
import type { Commitments, Personal } from "../../log/EventLeaf.ts"

/** Stands for a personal value that was erased: it cannot be compared any more. */
export const erased: unique symbol = Symbol("erased")

/** An event as it is stored. `data` and `metadata` are JSON text. */
export interface StoredEvent {
  readonly event_type: EventKind
  readonly resource_id: string
  readonly metadata: string
  readonly data: string
  readonly commitments: Commitments | null
  readonly personal: Personal | null
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The data of an event with its personal values in their places, and {@link erased} in place of those that are gone. */
export const dataOf = (event: StoredEvent): JsonMembers => {
  const root = parseMembers(event.data)
  // Events of the first versions have the whole URL of an endpoint.
  if (familyOf(event.event_type) === "webhook" && typeof root["url"] === "string") root["url"] = maskedUrl(root["url"])
  for (const pointer of Object.keys(event.commitments ?? {})) {
    const [top, ...tokens] = pointer.slice(1).split("/").map(unescapeToken)
    const name = tokens.pop()
    if (top !== "data" || name === undefined) continue
    let holder: unknown = root
    for (const token of tokens) holder = isHolder(holder) ? holder[token] : undefined
    const kept = event.personal?.[pointer]
    if (isHolder(holder)) holder[name] = kept === undefined ? erased : kept.value
  }
  return root
}

/** The metadata of an event: the parts of the request that the state of the resource does not show. */
export const metadataOf = (event: StoredEvent): JsonMembers => parseMembers(event.metadata)
