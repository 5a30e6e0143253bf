import { count } from "../design/Numbers.ts"
import type { Total } from "./PageList.ts"

/** A number in words that is counted up to a limit: "37", "1,000+". */
export const upTo = ({ count: many, has_more }: Total): string => `${count(many)}${has_more ? "+" : ""}`

/** How many rows a list has, in words: "37 match", "1,000+ licenses". */
export const matching = (total: Total, noun: string, isFiltered: boolean): string => {
  const isOne = total.count === 1 && !total.has_more
  return isFiltered
    ? `${upTo(total)} ${isOne ? "matches" : "match"}`
    : `${upTo(total)} ${isOne ? noun : `${noun}s`}`
}
