/**
 * An amount of a feature as people read it, exact: with 2 `decimals`, 150 is `1.50`. `decimals` are those of the feature; without
 * them amounts are whole.
 */
export const amountText = (amount: number | bigint, decimals = 0): string => {
  if (decimals === 0) return String(amount)
  const digits = String(amount).replace("-", "").padStart(decimals + 1, "0")
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * The amount of a feature that a text says, such as `1.5`, as the whole number of smallest steps that the service takes: 150 with 2
 * `decimals`. Undefined where it is no number, has more places than the feature, or is beyond 2^53 - 1 steps.
 */
export const amountOf = (text: string, decimals = 0): number | undefined => {
  const [, sign = "", whole, places = ""] = /^(-?)(\d{1,16})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || /[1-9]/.test(places.slice(decimals))) return undefined
  const amount = Number(whole + places.slice(0, decimals).padEnd(decimals, "0"))
  if (!Number.isSafeInteger(amount)) return undefined
  return sign === "" || amount === 0 ? amount : -amount
}
