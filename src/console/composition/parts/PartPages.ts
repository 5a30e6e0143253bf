import type { ComponentType } from "preact"
import type { PagePath } from "./PagePaths.ts"

/** The name of a part of the console: what its paths have behind `/console/`. */
export type PartName = PagePath extends infer Path ?
  Path extends `/console/${infer Name}` ? Name extends `${infer First}/${string}` ? First : Name
  : never
  : never

/** The pages of a part, by their paths. */
export type PartPages<Name extends PartName = PartName> = {
  readonly [Path in PagePath as Path extends `/console/${Name}` | `/console/${Name}/${string}` ? Path : never]:
    ComponentType
}
