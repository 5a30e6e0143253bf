import type { UnitMapping } from "../../../client/api/index.ts"
import { TwoLines } from "../../ground/design/Table.tsx"
import { matches, nameIn } from "./MappingChange.ts"

/** The column that says what an entry of a mapping finds. */
export const bought = {
  name: "Bought",
  cell: ({ by, name, value }: Pick<UnitMapping, "by" | "name" | "value">) => (
    <TwoLines
      first={name ?? value}
      second={`${nameIn(matches, by)}${name === undefined ? "" : `: ${value}`}`}
    />
  )
}
