import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** Makes a written file, or the renames in a directory, survive a power loss. */
const sync = async (path: string): Promise<void> => {
  const file = await Fs.open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Replaces a file atomically: it is written as `part` and then renamed. Several concurrent writers name their own
 * parts. Answers what `write` answers. A failed write leaves nothing; a killed one leaves the part, which the next
 * one overwrites.
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
