import type { CustomerErasure } from "../../client/api/index.ts"
import { count, some } from "../ground/design/Numbers.ts"

/** The effect of an erasure in words; `hasMore` is of licenses that were not counted. */
export const erasureText = (
  { custom_field_values, events, exports, notes, reasons, users }: Pick<
    CustomerErasure,
    "custom_field_values" | "events" | "exports" | "notes" | "reasons" | "users"
  >,
  licenses: number,
  hasMore: boolean
): string => {
  const stay = hasMore
    ? `More than ${count(licenses)} licenses stay without the name and email`
    : licenses === 0
    ? "There is no license"
    : `${some(licenses, "license stays", "licenses stay")} without the name and email`
  const lost = events === 0
    ? "no event has personal data"
    : `${some(events, "event loses", "events lose")} personal data`
  const more = [
    [exports, "export expires", "exports expire"],
    [notes, "note is deleted", "notes are deleted"],
    [custom_field_values, "custom field value is deleted", "custom field values are deleted"],
    [users, "user of a license is forgotten", "users of licenses are forgotten"],
    [reasons, "reason is removed", "reasons are removed"]
  ] as const
  const said = more.flatMap(([many, one, several]) => many === 0 ? [] : [` ${some(many, one, several)}.`])
  return `${stay}; ${lost}.${said.join("")}`
}
