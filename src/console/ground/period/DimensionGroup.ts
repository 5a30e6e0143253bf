/** A dimension as what usage is grouped by, as the API calls it. */
export type DimensionGroup = `dimension.${string}`

const dimensionPrefix = "dimension."

/** The group of a dimension, as a request names it. */
export const groupOf = (dimension: string): DimensionGroup => `${dimensionPrefix}${dimension}`

/** Whether usage is grouped by a dimension. */
export const isDimensionGroup = (group: string): group is DimensionGroup => group.startsWith(dimensionPrefix)

/** The name of the dimension that usage is grouped by; undefined where it is grouped by something else. */
export const dimensionIn = (group: string): string | undefined =>
  isDimensionGroup(group) ? group.slice(dimensionPrefix.length) : undefined

/** Whether a text may be the name of a dimension. */
export const isDimension = (name: string): boolean => /^[a-z0-9_-]{1,32}$/.test(name)
