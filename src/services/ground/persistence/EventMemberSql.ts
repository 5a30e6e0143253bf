import type { Schema } from "effect"
import { eventData } from "../../../domain/evidence/audit/EventData.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"

/** The type that a field is read as, and the one that JSON has it as. */
const jsonTypes = { text: "String", int8: "Number", timestamptz: "String", jsonb: "Arrays", object: "Objects" } as const

const valueOf = (member: string, as: keyof typeof jsonTypes): string =>
  as === "jsonb" || as === "object"
    ? `(data::jsonb -> '${member}')`
    : `(data::jsonb ->> '${member}')${as === "text" ? "" : `::${as}`}`

/**
 * SQL that reads a member of the `data` of events, of these kinds alone: of any other kind it is NULL. One name may
 * mean different things in different kinds, so a cast of the member of every row would fail on valid events. Throws
 * where a kind does not have the member, or has it as another type.
 */
export const eventMember = (
  kinds: ReadonlyArray<EventKind>,
  member: string,
  as: keyof typeof jsonTypes = "text"
): string => {
  for (const kind of kinds) {
    const { fields } = eventData[kind] as { readonly fields?: Readonly<Record<string, Schema.Top | undefined>> }
    const found = fields?.[member]?.ast._tag
    if (found !== jsonTypes[as]) {
      throw new TypeError(`${kind} has ${member} as ${found ?? "nothing"}, which cannot be read as ${as}`)
    }
  }
  const those = kinds.map((kind) => `'${kind}'`).join(", ")
  return `CASE WHEN event_type IN (${those}) THEN ${valueOf(member, as)} END`
}

/** SQL over an event for when rows that tell of it stand: a use that was reported, at the time at which it was. */
export const standingTime = `coalesce(${eventMember(["license.usage_recorded"], "used_at", "timestamptz")}, created_at)`
