import { count } from "../design/Numbers.ts"
import type { Total } from "./PageList.ts"

/** How many rows a list has, in words: "37 match", "1,000+ licenses". */
export const matching = ({ count: many, has_more }: Total, noun: string, isFiltered: boolean): string => {
  const isOne = many === 1 && !has_more
  const number = `${count(many)}${has_more ? "+" : ""}`
  return isFiltered ? `${number} ${isOne ? "matches" : "match"}` : `${number} ${isOne ? noun : `${noun}s`}`
}
