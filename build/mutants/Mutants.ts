import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { codeMutations, isProgram } from "./CodeMutations.ts"
import { withMutation } from "./Mutation.ts"

/** A program with one small change. */
export interface Mutant {
  /** Stays the same as long as its line does, and how often that line stands in the file before it. */
  readonly id: string
  /** From the root of the checkout. */
  readonly path: string
  readonly line: number
  readonly operator: string
  /** The lines that change, before and after. */
  readonly before: string
  readonly after: string
  /** The whole program. */
  readonly text: string
}

const digestOf = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 8)

/** Every mutant of a program that is a program as well, each once. */
export const mutantsOf = (path: string, source: string): ReadonlyArray<Mutant> => {
  const seen = new Map<string, number>()
  const texts = new Set([source])
  return codeMutations(path, source).flatMap((mutation) => {
    const text = withMutation(source, mutation)
    if (texts.has(text) || !isProgram(path, text)) return []
    texts.add(text)
    const from = source.lastIndexOf("\n", mutation.start - 1) + 1
    const to = source.indexOf("\n", mutation.end)
    const rest = source.slice(to === -1 ? source.length : to)
    const before = source.slice(from, source.length - rest.length)
    const after = text.slice(from, text.length - rest.length)
    const key = digestOf(path, mutation.operator, before, after)
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    return [{
      id: count === 0 ? key : digestOf(key, String(count)),
      path,
      line: source.slice(0, mutation.start).split("\n").length,
      operator: mutation.operator,
      before,
      after,
      text
    }]
  })
}

/** The programs of a room, or the one program that is named. */
const programsOf = (root: string, room: string): ReadonlyArray<string> => {
  const path = room.startsWith("src/") ? room : `src/${room}`
  if (!existsSync(join(root, path))) throw new Error(`${path} is not there`)
  return statSync(join(root, path)).isFile() ? [path] : globSync(`${path}/**/*.{ts,tsx}`, { cwd: root }).toSorted()
}

export const mutantsOfRoom = (root: string, room: string): ReadonlyArray<Mutant> =>
  programsOf(root, room).flatMap((path) => mutantsOf(path, readFileSync(join(root, path), "utf8")))

/**
 * The same mutants each time. Ids are digests, so their order is chance that nobody chooses, and a mutant stays in the
 * sample when something else in the room changes.
 */
export const sampled = (mutants: ReadonlyArray<Mutant>, limit: number): ReadonlyArray<Mutant> => {
  const chosen = new Set(mutants.map(({ id }) => id).toSorted().slice(0, limit))
  return mutants.filter(({ id }) => chosen.has(id))
}
