import { isMembers, membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { figureNames } from "../statements/statementFigures.ts"
import type { Finding } from "./FileReport.ts"
import { lacking } from "./FileReport.ts"

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

/**
 * The finding of a document whose bytes no manifest signs: what is attached to it proves itself, and not the pages, which anybody may
 * have put around it.
 */
export const judgePages = (snapshot: JsonMembers): ReadonlyArray<Finding> => {
  const features = membersOf(snapshot["summary"])["features"]
  const named = (Array.isArray(features) ? features.filter(isMembers) : []).slice(0, mostNamed).map(figuresOf)
  return [
    lacking(
      `This document itself: what is said below is of the file attached to it, and its pages may say something else. Choose its manifest ` +
        `too, or compare the totals with those of the attachment. ${
          named.length === 0 ? "No feature has any." : `${named.join("; ")}.`
        }`
    )
  ]
}
