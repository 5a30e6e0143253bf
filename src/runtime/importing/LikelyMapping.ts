import { csvNames } from "./CsvRows.ts"
import { isJsonFile } from "./FileText.ts"
import { firstJson, jsonNames } from "./JsonRows.ts"
import { mappingOver, noMapping } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import { ready, readyMappings } from "./MappingTable.ts"
import { neededColumns } from "./NameRules.ts"
import type { ImportSource } from "./RowReader.ts"

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
