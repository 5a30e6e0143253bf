// The parts of a bundle (build/scripts.ts), each a script that is loaded when another one needs it. Node keeps of a module what it
// compiles before it runs, which is none of its functions: a start compiled 3,000 of them again, in a quarter of its processor time. Of a
// script what was compiled when it is kept is there for the next start: beside the part, in node_modules, which belongs to
// whoever installed the code. Where that is not writable, nothing is kept.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { cachedDataVersionTag } from "node:v8"
import { constants, Script } from "node:vm"
import { crc32 } from "node:zlib"

/** How long after a part was compiled its code is kept, in milliseconds: a start is over, and what it ran is compiled. */
const keptAfter = 15_000

/** Before the code stands its checksum: V8 looks at the length of what it is given, and no further. */
const checksumLength = 4

/**
 * The code of a part that was kept; undefined where there is none, or not whole.
 *
 * @param {string} file
 */
const readCode = (file) => {
  try {
    const kept = readFileSync(file)
    const code = kept.subarray(checksumLength)
    return crc32(code) === kept.readUInt32LE(0) ? code : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {string} file
 * @param {Buffer} code
 */
const writeCode = (file, code) => {
  const draft = `${file}.${process.pid}`
  const checksum = Buffer.alloc(checksumLength)
  checksum.writeUInt32LE(crc32(code))
  try {
    writeFileSync(draft, Buffer.concat([checksum, code]))
    renameSync(draft, file)
  } catch {
    // Whoever runs this need not be who installed it.
    rmSync(draft, { force: true })
  }
}

/**
 * Loads a part of the bundle in a directory, and those that it needs.
 *
 * @param {string} directory
 * @param {string} main
 */
export const loadPart = (directory, main) => {
  // V8 takes no code of another version, or that was compiled under other options or for another processor.
  const ending = `.${cachedDataVersionTag().toString(16)}.code`
  const require = createRequire(pathToFileURL(join(directory, main)))
  /** What each part that was loaded exports, by its name as others write it. */
  const loaded = new Map()
  /** The parts whose code was not there. @type {Map<string, Script>} */
  const compiled = new Map()
  /** @type {NodeJS.Timeout | undefined} */
  let keeping

  const keep = () => {
    clearTimeout(keeping)
    keeping = undefined
    for (const [file, script] of compiled) writeCode(file, script.createCachedData())
    compiled.clear()
  }
  // Also at the end of a process that does not run for so long.
  process.once("exit", keep)

  /** @param {string} name */
  const compile = (name) => {
    const path = join(directory, name)
    const cachedData = readCode(path + ending)
    const script = new Script(readFileSync(path, "latin1"), {
      filename: pathToFileURL(path).href,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData })
    })
    if (cachedData === undefined || script.cachedDataRejected === true) {
      compiled.set(path + ending, script)
      keeping ??= setTimeout(keep, keptAfter).unref()
    }
    return script
  }

  /** @param {string} name */
  const load = (name) => {
    const known = loaded.get(name)
    if (known !== undefined) return known
    const exports = {}
    const url = pathToFileURL(join(directory, name)).href
    compile(name).runInThisContext()(load, async (part) => load(part), exports, url, require)
    loaded.set(name, exports)
    return exports
  }

  load(`./${main}`)
}
