import { amountText } from "../../../client/transport/Amounts.ts"

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 })

/** A number with its thousands apart and, below zero, a minus sign as wide as a plus. */
export const count = (value: number): string => whole.format(value).replace("-", "−")

/** An amount of a feature with its decimal places, exact, and its thousands apart: 150 with 2 of them reads 1.50. */
export const amount = (value: number, decimals = 0): string => {
  const [whole = "", places] = amountText(Math.abs(value), decimals).split(".")
  return `${value < 0 ? "−" : ""}${count(Number(whole))}${places === undefined ? "" : `.${places}`}`
}

/** A number in few signs, such as 12.3K. */
export const shortly = (value: number): string => short.format(value)

/** A count with its noun: "1 device", "2 devices". */
export const some = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
