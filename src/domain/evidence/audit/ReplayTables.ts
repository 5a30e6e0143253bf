import { membersOf } from "../../ground/parsing/JsonMembers.ts"
import type { Replayed } from "./ReplayedKinds.ts"

/** Members by name. An absent or undefined member has no value. */
export type ReplayedRow = Readonly<Record<string, unknown>>

/** The rows that the events of one resource, and of all that belongs to it, replay to. */
export type ReplayState = ReadonlyMap<Replayed, ReadonlyMap<string, ReplayedRow>>

/** The rows of a replay, by resource and id. */
export class ReplayTables {
  readonly #tables: Map<Replayed, Map<string, Record<string, unknown>>>

  /** `before` is copied: what it holds stays as it is. */
  constructor(before: ReplayState) {
    this.#tables = new Map(
      [...before].map(([resource, rows]) => [resource, new Map([...rows].map(([id, row]) => [id, { ...row }]))])
    )
  }

  of(resource: Replayed): Map<string, Record<string, unknown>> {
    const found = this.#tables.get(resource) ?? new Map()
    this.#tables.set(resource, found)
    return found
  }

  /** Changes members of a row, from the row before. Nothing is known of a resource that the log has not created. */
  change(resource: Replayed, id: string, to: (row: ReplayedRow) => ReplayedRow): void {
    const row = this.of(resource).get(id)
    if (row !== undefined) Object.assign(row, to(row))
  }

  /** Removes all rows of a resource. */
  clear(resource: Replayed): void {
    this.#tables.delete(resource)
  }

  /** Sets or clears the value of a custom field, as the event of its owner shows it. */
  setCustomField(owner: "license" | "customer", id: string, value: unknown): void {
    const field = membersOf(value)
    const key = `${id}/${String(field["definition_id"])}`
    if (field["cleared"] === true) this.of("custom_field_value").delete(key)
    else this.of("custom_field_value").set(key, { ...field, [`${owner}_id`]: id })
  }

  all(): ReplayState {
    return this.#tables
  }
}
