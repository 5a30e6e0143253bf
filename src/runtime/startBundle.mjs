// The bundles that `npm start` and the command line run instead of the source tree, in a third of the processor time: 30
// files to find and compile instead of 1,200. They are made after `npm ci` (build/startBundle.mjs) and belong to what they
// were made from: whoever changes a line runs the source tree, until they are made again.
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { loadPart } from "./bundleParts.mjs"
import { nameSources } from "./sourceStacks.mjs"

/** The checkout. */
const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Where the bundle of a program is; each has its own, so that neither loads the other's parts. In node_modules it belongs
 * to whoever installed the code, and is gone with it.
 *
 * @param {"main" | "cli"} program
 */
export const directoryOf = (program) =>
  join(root, "node_modules/.cache", program === "main" ? "countersign-start" : "countersign-cli")

/** Where it is kept what the client was made from, of which git keeps only that (build/clientContract.ts). */
export const contractRecord = join(root, "node_modules/.cache/countersign-contract")

/** The file in it that names what it was made from. */
export const record = "sources.json"

/** What npm has installed, in its own words. */
export const packages = "node_modules/.package-lock.json"

/**
 * A hash of the content of files, which are named from the checkout; undefined where one of them is missing.
 *
 * @param {ReadonlyArray<string>} paths
 * @returns {string | undefined}
 */
export const digest = (paths) => {
  try {
    const pieces = paths.flatMap((path) => {
      const content = readFileSync(join(root, path))
      return [Buffer.from(`${path} ${content.length}\n`), content]
    })
    return hash("sha256", Buffer.concat(pieces))
  } catch {
    return undefined
  }
}

/**
 * The size of each file and the time of its last change, as numbers; undefined where one is missing. A file that keeps
 * both is the same: no program can set the time of change (ctime), as Git relies on for its index.
 *
 * @param {ReadonlyArray<string>} paths
 * @returns {ReadonlyArray<number> | undefined}
 */
export const stamps = (paths) => {
  try {
    return paths.flatMap((path) => {
      const { ctimeMs, size } = statSync(join(root, path))
      return [size, ctimeMs]
    })
  } catch {
    return undefined
  }
}

/**
 * What a bundle was made of, and what the files looked like then or when they were last read.
 *
 * @typedef {{ paths: ReadonlyArray<string>, stamps: ReadonlyArray<number>, digest: string }} Made
 */

/** Twice within this time, in milliseconds, a file can be changed and look the same: the clock of its file system ticks. */
const ticks = 1_000

/**
 * Writes down what files look like that were read and are the same, so that the next start need not read them.
 *
 * @param {string} directory
 * @param {Made} made
 */
const keep = (directory, made) => {
  const draft = join(directory, `${record}.${process.pid}`)
  try {
    writeFileSync(draft, JSON.stringify(made))
    renameSync(draft, join(directory, record))
  } catch {
    // Whoever runs this need not be who installed it.
  }
}

/**
 * Whether what is recorded in a directory was made of the files as they are now. To look at them takes a fifth of reading
 * them, which is done where they look different: what was copied or checked out again has other times.
 *
 * @param {string} directory
 */
export const isUnchanged = (directory) => {
  try {
    return isRecorded(directory)
  } catch {
    return false
  }
}

/** @param {string} directory */
const isRecorded = (directory) => {
  /** @type {Made} */
  const made = JSON.parse(readFileSync(join(directory, record), "utf8"))
  // Looked at before they are read: what is changed meanwhile looks different the next time.
  const now = stamps(made.paths)
  if (now === undefined) return false
  if (now.every((stamp, index) => stamp === made.stamps[index])) return true
  const isRecent = Date.now() - Math.max(...now) < ticks
  if (digest(made.paths) !== made.digest) return false
  if (!isRecent) keep(directory, { ...made, stamps: now })
  return true
}

/**
 * The bundle of a program; undefined where there is none, or where it was made from other sources or packages.
 *
 * @param {"main" | "cli"} program
 * @returns {string | undefined}
 */
export const freshProgram = (program) => {
  const directory = directoryOf(program)
  return isUnchanged(directory) ? join(directory, `${program}.js`) : undefined
}

/** Makes what the command line calls; it ends here where that fails, with the words of what makes it. */
const makeContract = () => {
  const program = join(root, "build/freshContract.mjs")
  const { status } = spawnSync(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) process.exit(1)
}

/** The source trees. */
const sources = { main: () => import("./main.ts"), cli: () => import("./cli.ts") }

/**
 * Runs the bundle of a program, or the source tree where it has changed since, or where there is no bundle (npm ci
 * --omit=dev).
 *
 * @param {"main" | "cli"} program
 */
export const runProgram = async (program) => {
  const fresh = freshProgram(program)
  if (fresh === undefined) {
    // The command line calls what the client has, which a changed declaration may not be in yet.
    if (program === "cli" && !isUnchanged(contractRecord)) makeContract()
    return await sources[program]()
  }
  loadPart(directoryOf(program), `${program}.js`)
  // Not before: a library looks at a stack while it is loaded, for which a map would be read.
  nameSources(directoryOf(program))
}
