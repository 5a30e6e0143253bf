import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** What earlier runs have found here. */
export interface Remembered {
  /** By mutant: the test file that has killed it. */
  readonly killers: Record<string, string>
  /** By test file: how long it takes. */
  readonly seconds: Record<string, number>
}

const fileIn = (root: string): string => join(root, "node_modules/.cache/countersign-mutants.json")

export const remembered = (root: string): Remembered => {
  try {
    return JSON.parse(readFileSync(fileIn(root), "utf8"))
  } catch {
    return { killers: {}, seconds: {} }
  }
}

export const remember = (root: string, memory: Remembered): void => {
  mkdirSync(dirname(fileIn(root)), { recursive: true })
  writeFileSync(fileIn(root), JSON.stringify(memory))
}
