import type * as Fs from "node:fs/promises"
import { longestLine } from "../../archive/ArchiveDirectory.ts"

/** The last complete line of a file, without its newline, and the offset after it; undefined where there is none. */
export const lastLine = async (
  file: Fs.FileHandle
): Promise<{ readonly end: number; readonly line: string } | undefined> => {
  const { size } = await file.stat()
  let tail = Buffer.alloc(0)
  for (let start = size; start > 0;) {
    const length = Math.min(start, 256 * 1024)
    start -= length
    const chunk = Buffer.alloc(length)
    await file.read(chunk, 0, length, start)
    tail = Buffer.concat([chunk, tail])
    if (tail.length > 2 * longestLine) return undefined
    const end = tail.lastIndexOf(10)
    const begin = end <= 0 ? -1 : tail.lastIndexOf(10, end - 1)
    if (end >= 0 && (begin >= 0 || start === 0)) {
      return { end: start + end + 1, line: tail.subarray(begin + 1, end).toString() }
    }
  }
  return undefined
}
