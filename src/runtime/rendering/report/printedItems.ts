import { amountText } from "../../../client/transport/Amounts.ts"
import { amounts } from "./totals.ts"

/** Digits in groups of three: the same on every machine, whatever its language. */
export const grouped = (value: number | bigint | string): string => {
  const [whole = "", part] = String(value).split(".")
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")
  return part === undefined ? digits : `${digits}.${part}`
}

/** A figure of a column, or its total, as it is printed: an amount with the decimal places of its feature. */
export const figureText = (key: string, value: number | bigint, decimals: unknown): string =>
  grouped(typeof decimals === "number" && amounts.has(key) ? amountText(value, decimals) : value)

type Member = readonly [name: string, value: unknown]

/**
 * The members of an item as the table prints its own: figures with the decimal places of their feature, and none that is
 * 0; the product by its name.
 */
export const asPrinted = (
  members: ReadonlyArray<Member>,
  names: Readonly<Record<string, string>>
): ReadonlyArray<Member> => {
  const decimals = members.find(([name]) => name === "decimals")?.[1]
  return members.filter(([name, value]) => name !== "decimals" && value !== 0).map(([name, value]): Member =>
    typeof value === "number"
      ? [name, figureText(name, value, decimals)]
      : [name === "product_id" && names[String(value)] !== undefined ? "product" : name, names[String(value)] ?? value]
  )
}
