import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** Makes what was written to a path, or was renamed in a directory, survive a loss of power. */
const sync = async (path: string): Promise<void> => {
  const file = await Fs.open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Writes a file by another name first, `part`, so that it is there whole or not at all. Who may be one of several writers
 * names a part of its own. What `write` answers is answered. A write that fails leaves nothing; one that is killed leaves the part, which the next one overwrites.
 */
export const replaceFile = async <A>(
  path: string,
  write: (part: string) => Promise<A>,
  part = `${path}.part`
): Promise<A> => {
  try {
    const written = await write(part)
    await sync(part)
    await Fs.rename(part, path)
    await sync(Path.dirname(path))
    return written
  } catch (cause) {
    await Fs.rm(part, { force: true })
    throw cause
  }
}
