import type { Activity, License } from "../../client/api/index.ts"

/** The operation that takes back a change of a license. */
export type Inverse = "suspend" | "reinstate"

const inverses: Readonly<Record<string, Inverse>> = {
  "license.suspended": "reinstate",
  "license.reinstated": "suspend"
}

/**
 * The activity, of those that are shown, that can be undone, and by what: the last change of whether the license is suspended, as long
 * as the license is as it left it.
 */
export const undoOf = (
  activities: ReadonlyArray<Activity>,
  { status, suspended_by }: Pick<License, "status" | "suspended_by">
): { readonly id: string; readonly by: Inverse } | undefined => {
  const last = activities.find(({ action, result_class }) =>
    result_class === "success" && (Object.hasOwn(inverses, action) || action === "license.revoked")
  )
  const by = last === undefined ? undefined : inverses[last.action]
  if (last === undefined || by === undefined || suspended_by !== undefined) return undefined
  const isAsLeft = by === "reinstate" ? status === "suspended" : status !== "suspended" && status !== "revoked"
  return isAsLeft ? { id: last.id, by } : undefined
}
