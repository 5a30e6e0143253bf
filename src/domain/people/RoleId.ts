const builtInRoleIds = ["owner", "developer", "support", "finance", "auditor"] as const
export type BuiltInRoleId = (typeof builtInRoleIds)[number]

/** Whether a text can be the ID of a role: a built-in one, or one of the vendor's own. */
export const isRoleId = (text: string): boolean =>
  builtInRoleIds.some((id) => id === text) || /^role_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)
