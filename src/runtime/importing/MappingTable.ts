import { readFile, stat } from "node:fs/promises"
import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { csvNames } from "./CsvRows.ts"
import { isJsonFile, UnreadableFile } from "./FileText.ts"
import { firstJson, jsonNames } from "./JsonRows.ts"
import type { Mapping, MappingFile } from "./Mapping.ts"
import { mappingOver, noMapping, readMappingFile } from "./Mapping.ts"
import cryptlex from "./mappings/cryptlex.json" with { type: "json" }
import edd from "./mappings/edd.json" with { type: "json" }
import gumroad from "./mappings/gumroad.json" with { type: "json" }
import keygen from "./mappings/keygen.json" with { type: "json" }
import lemonsqueezy from "./mappings/lemonsqueezy.json" with { type: "json" }
import licenseManager from "./mappings/woocommerce-license-manager.json" with { type: "json" }
import softwareAddOn from "./mappings/woocommerce-software-add-on.json" with { type: "json" }
import { neededColumns } from "./RowReader.ts"
import type { ImportSource } from "./RowReader.ts"

/** Mappings of other systems' files, by their names. */
export const readyMappings: Readonly<Record<string, unknown>> = {
  cryptlex,
  edd,
  gumroad,
  keygen,
  lemonsqueezy,
  "woocommerce-license-manager": licenseManager,
  "woocommerce-software-add-on": softwareAddOn
}

/** The largest file of a mapping, in bytes. */
const largest = 1024 * 1024

/** A ready mapping, as it is written. */
const ready = (name: string): MappingFile => readMappingFile(readyMappings[name], name)

const noneOfThem = (name: string): string => {
  const meant = nearest(name, Object.keys(readyMappings))
  return `${JSON.stringify(name)} is neither a file nor a ready mapping.${
    meant === undefined ? ` There are: ${Object.keys(readyMappings).join(", ")}` : ` Did you mean ${meant}?`
  }`
}

const fromFile = async (path: string): Promise<MappingFile> => {
  const { size } = await stat(path).catch(() => {
    throw new UnreadableFile(noneOfThem(path))
  })
  if (size > largest) throw new UnreadableFile(`${path} is larger than a mapping may be: ${largest} bytes`)
  const read = await readFile(path, "utf8")
  let value: unknown
  try {
    value = JSON.parse(read.replace(/^\uFEFF/, ""))
  } catch (error) {
    throw new UnreadableFile(`${path} is not JSON: ${(error as Error).message}`)
  }
  return readMappingFile(value, path)
}

/** The ready mapping of a name, or the mapping in a file, with what it extends. Fails with {@link UnreadableFile}. */
export const mappingOf = async (nameOrFile: string): Promise<Mapping> => {
  if (Object.hasOwn(readyMappings, nameOrFile)) return mappingOver(noMapping, ready(nameOrFile))
  const file = await fromFile(nameOrFile)
  if (file.extends === undefined) return mappingOver(noMapping, file)
  if (!Object.hasOwn(readyMappings, file.extends)) {
    throw new UnreadableFile(`${nameOrFile}: extends: ${noneOfThem(file.extends)}`)
  }
  return mappingOver(mappingOver(noMapping, ready(file.extends)), file)
}

/** How many columns of a mapping the file has, and whether it has the deciding ones. */
const fit = (mapping: Mapping, names: ReadonlySet<string>): number => {
  const columns = [...mapping.columns]
  const key = columns.find(([, { to }]) => to === "license_key")?.[0]
  const needed = [...neededColumns(mapping), key].filter((name) => name !== undefined)
  return needed.every((name) => names.has(name))
    ? columns.filter(([name]) => names.has(name)).length / columns.length
    : 0
}

/** The name of the ready mapping whose columns a file has; undefined if none matches. */
export const likelyMapping = async (source: ImportSource): Promise<string | undefined> => {
  const isJson = await isJsonFile(source.file, source.encoding)
  const first = new Map<string | undefined, string | undefined>()
  const namesIn = async (mapping: Mapping): Promise<ReadonlyArray<string>> => {
    const of = { ...source, mapping }
    if (!isJson) return csvNames(of)
    if (!first.has(mapping.rows)) first.set(mapping.rows, await firstJson(of))
    return jsonNames(mapping, first.get(mapping.rows))
  }
  const judged: Array<{ readonly name: string; readonly fits: number }> = []
  for (const name of Object.keys(readyMappings)) {
    const mapping = mappingOver(noMapping, ready(name))
    judged.push({ name, fits: fit(mapping, new Set(await namesIn(mapping))) })
  }
  const [best] = judged.toSorted((a, b) => b.fits - a.fits)
  return best !== undefined && best.fits > 0.5 ? best.name : undefined
}
