import type { PurchasesReport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { count } from "../../ground/design/Numbers.ts"

type Row = PurchasesReport["rows"][number]

/** The decimals of the smallest unit of a currency; two of one that is not known. */
const decimalsOf = (currency: string): number => {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/**
 * An amount as a person reads it: `49.00 EUR`. Providers state amounts in the smallest unit of the currency, FastSpring
 * alone in whole ones. Empty where there is none.
 */
export const amountText = (
  amount: string | undefined,
  { currency = "", provider }: Pick<Row, "currency" | "provider">
): string => {
  if (amount === undefined) return ""
  const decimals = currency === "" ? 2 : decimalsOf(currency)
  const value = provider === "fastspring" ? Number(amount) : Number(amount) / 10 ** decimals
  return `${value.toFixed(decimals)} ${currency.toUpperCase()}`.trim()
}

/** The numbers of purchases in each state, in words. */
export const statesText = ({ states }: PurchasesReport["summary"]): string =>
  states.map(({ count: many, state }) =>
    `${count(many)} ${state === undefined ? "not known yet" : labelOf("state", state)}`
  )
    .join(", ")
