import { count } from "../design/Numbers.ts"
import type { Total } from "./PageList.ts"

/** A number in words that is counted up to a limit: "37", "1,000+". */
export const upTo = ({ count: many, has_more }: Total): string => `${count(many)}${has_more ? "+" : ""}`

/** How many licenses of a product the service counts that are in use, and among how many of the newest it looks for them. */
export const usedCounted = { licenses: 1000, among: 5000 } as const

/** The licenses of a product that are in use, in words: "37", "1,000+", and "37 of the newest 5,000" where older ones were not looked at. */
export const inUse = (used: Total): string =>
  used.has_more && used.count < usedCounted.licenses
    ? `${count(used.count)} of the newest ${count(usedCounted.among)}`
    : upTo(used)

/** How many rows a list has, in words: "37 match", "1,000+ licenses". */
export const matching = (total: Total, noun: string, isFiltered: boolean): string => {
  const isOne = total.count === 1 && !total.has_more
  return isFiltered
    ? `${upTo(total)} ${isOne ? "matches" : "match"}`
    : `${upTo(total)} ${isOne ? noun : `${noun}s`}`
}
