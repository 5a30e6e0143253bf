// Stacks of a bundle that name the lines of the source tree. Node's own support reads every map at once, which costs a
// start 0.2 s and 30 MB, and later 0.2 s more at the first stack. Here a map is read when a stack first needs it.
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const values = new Int8Array(128).fill(-1)
for (let at = 0; at < digits.length; at++) values[digits.charCodeAt(at)] = at

const comma = 44
const semicolon = 59

/** Numbers of one segment: its column, and the source, line and column it came from, all from 0. */
const width = 4

/**
 * The mappings of a source map (ECMA-426): its segments, one after the other, and for each line of the file how many
 * segments are before it.
 *
 * @param {string} mappings
 */
const decode = (mappings) => {
  const segments = new Int32Array((mappings.length / 2 + 1) * width)
  const starts = [0]
  const fields = new Int32Array(5)
  let count = 0
  let field = 0
  for (let at = 0; at <= mappings.length; at++) {
    const code = at === mappings.length ? semicolon : mappings.charCodeAt(at)
    if (code === comma || code === semicolon) {
      // A segment without a source is code that the bundler wrote.
      if (field >= width) segments.set(fields.subarray(0, width), count++ * width)
      field = 0
      if (code === semicolon) {
        starts.push(count)
        fields[0] = 0
      }
      continue
    }
    let value = 0
    let shift = 0
    for (;; at++) {
      const digit = values[mappings.charCodeAt(at)]
      value |= (digit & 31) << shift
      shift += 5
      if ((digit & 32) === 0) break
    }
    fields[field++] += (value & 1) === 1 ? -(value >>> 1) : value >>> 1
  }
  return { segments: segments.slice(0, count * width), starts }
}

/** @param {string} file */
const readMap = (file) => {
  const { mappings, sources } = JSON.parse(readFileSync(`${file}.map`, "utf8"))
  const { segments, starts } = decode(mappings)
  return {
    /** The source, line and column of a place, which counts from 1 as they do; undefined where there is none. */
    find: (line, column) => {
      let low = starts[line - 1] ?? 0
      let high = starts[line] ?? 0
      const first = low
      // The last segment that begins at the column or before it.
      while (low < high) {
        const middle = (low + high) >>> 1
        if (segments[middle * width] < column) low = middle + 1
        else high = middle
      }
      if (low === first) return undefined
      const [, source, from, at] = segments.subarray((low - 1) * width, low * width)
      return { source: sources[source], line: from + 1, column: at + 1 }
    }
  }
}

/**
 * Has every stack name the places in the sources, for the files of a directory that have a map beside them.
 *
 * @param {string} directory
 */
export const nameSources = (directory) => {
  const base = pathToFileURL(`${directory}/`).href
  const maps = new Map()
  const mapOf = (name) => {
    if (!maps.has(name)) {
      try {
        maps.set(name, readMap(fileURLToPath(base + name)))
      } catch {
        // A place in the bundle is better than none.
        maps.set(name, undefined)
      }
    }
    return maps.get(name)
  }
  const place = new RegExp(`${RegExp.escape(base)}([^/:]+\\.js):(\\d+):(\\d+)`, "g")
  const named = (text, name, line, column) => {
    const found = mapOf(name)?.find(Number(line), Number(column))
    return found === undefined ? text : `${new URL(found.source, base).href}:${found.line}:${found.column}`
  }
  Error.prepareStackTrace = (error, sites) => {
    let title
    try {
      title = Error.prototype.toString.call(error)
    } catch {
      title = "<error>"
    }
    return [title, ...sites].join("\n    at ").replaceAll(place, named)
  }
}
