import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { tables } from "./ConfigTable.ts"

const prefix = /^COUNTERSIGN_/i

/** Variables that commands of the command line read beside the settings. */
const ofCommands = [
  "COUNTERSIGN_URL",
  ...["COUNTERSIGN_TOKEN", "COUNTERSIGN_LICENSE_KEY", "COUNTERSIGN_PUBLISHABLE_KEY"].flatMap((
    name
  ) => [name, `${name}_FILE`])
]

const known: ReadonlyArray<string> = [
  ...tables.flatMap((rows) => Object.values(rows)).flatMap(({ isSecret, name }) =>
    isSecret === true ? [name, `${name}_FILE`] : [name]
  ),
  ...ofCommands
]

/** The known names without their prefix, which would make all of them similar. */
const byEnd = new Map(known.map((name) => [name.replace(prefix, ""), name]))

/** The longest name that is repeated, in characters. */
const longest = 64

/**
 * A warning for each variable that looks like a setting but is unknown, with the closest setting; never its value,
 * which may be a secret.
 */
export const unknownVariables = (variables: ReadonlyArray<string>): ReadonlyArray<string> =>
  variables.filter((name) => prefix.test(name) && !known.includes(name)).toSorted().map((name) => {
    const meant = nearest(name.replace(prefix, ""), [...byEnd.keys()])
    return `The variable ${name.slice(0, longest)} is no setting and has no effect. ` +
      (meant === undefined ? "--help lists all settings." : `Did you mean ${byEnd.get(meant)}?`)
  })
