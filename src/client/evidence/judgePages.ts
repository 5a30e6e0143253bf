import { isMembers, membersOf } from "../../domain/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/parsing/JsonMembers.ts"
import type { Finding } from "./FileReport.ts"
import { open } from "./FileReport.ts"
import { figureNames } from "./statementFigures.ts"

/** The most features whose figures are named. */
const mostNamed = 20

/** A number of the smallest units of a feature, as pages print it. */
const printed = (value: number, decimals: unknown): string =>
  typeof decimals === "number" ? (value / 10 ** decimals).toFixed(decimals) : String(value)

const figuresOf = (feature: JsonMembers): string => {
  const figures = figureNames.flatMap((name) => {
    const value = feature[name]
    if (typeof value !== "number" || value === 0) return []
    return [`${name} ${name === "uses" ? value : printed(value, feature["decimals"])}`]
  })
  return `${String(feature["feature_code"])}: ${figures.join(", ") || "0"}`
}

/** The finding that nobody can compute of a document: whether its pages print the figures of the statement that is attached to it. */
export const judgePages = (snapshot: JsonMembers): ReadonlyArray<Finding> => {
  const features = membersOf(snapshot["summary"])["features"]
  const named = (Array.isArray(features) ? features.filter(isMembers) : []).slice(0, mostNamed).map(figuresOf)
  return [
    open(
      `Whether the pages print what is attached to them: compare the totals with those of the attachment. ${
        named.length === 0 ? "No feature has any." : `${named.join("; ")}.`
      }`
    )
  ]
}
