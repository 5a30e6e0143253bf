import { subsetProgram } from "./fontFiles.ts"

/** What we use of HarfBuzz's subsetter. Numbers are addresses in its memory. */
interface Subsetter {
  readonly memory: WebAssembly.Memory
  readonly malloc: (size: number) => number
  readonly free: (address: number) => void
  readonly hb_blob_create: (data: number, length: number, mode: number, user: number, destroy: number) => number
  readonly hb_blob_destroy: (blob: number) => void
  readonly hb_blob_get_data: (blob: number, length: number) => number
  readonly hb_blob_get_length: (blob: number) => number
  readonly hb_face_create: (blob: number, index: number) => number
  readonly hb_face_destroy: (face: number) => void
  readonly hb_face_reference_blob: (face: number) => number
  readonly hb_set_add: (set: number, value: number) => void
  readonly hb_subset_input_create_or_fail: () => number
  readonly hb_subset_input_destroy: (input: number) => void
  readonly hb_subset_input_glyph_set: (input: number) => number
  readonly hb_subset_input_set: (input: number, kind: number) => number
  readonly hb_subset_input_set_flags: (input: number, flags: number) => void
  readonly hb_subset_input_pin_axis_location: (input: number, face: number, axis: number, value: number) => number
  readonly hb_subset_or_fail: (face: number, input: number) => number
  readonly _initialize?: () => void
}

/** Drops hints, and the tables for shaping, because the text is shaped already. Glyphs keep their numbers. */
const flags = 0x1 | 0x2 | 0x200
const dropTableSet = 3
const readOnly = 1

const tagOf = (tag: string): number => tag.split("").reduce((number, letter) => (number << 8) | letter.charCodeAt(0), 0)
const dropped = ["GSUB", "GPOS", "GDEF", "name", "STAT", "OS/2", "meta", "DSIG", "BASE", "vhea", "vmtx", "VORG", "VVAR"]
  .map(tagOf)

let loaded: Promise<Subsetter> | undefined

const load = async (): Promise<Subsetter> => {
  const { instance } = await WebAssembly.instantiate(subsetProgram() as BufferSource)
  const subsetter = instance.exports as unknown as Subsetter
  subsetter._initialize?.()
  return subsetter
}

/** The TrueType font with these glyphs alone, at one weight of its axis. The same bytes come out on any machine. */
export const subsetFont = async (
  font: Uint8Array,
  glyphs: Iterable<number>,
  weight: number
): Promise<Uint8Array> => {
  loaded ??= load()
  const hb = await loaded
  const data = hb.malloc(font.length)
  new Uint8Array(hb.memory.buffer).set(font, data)
  const blob = hb.hb_blob_create(data, font.length, readOnly, 0, 0)
  const face = hb.hb_face_create(blob, 0)
  hb.hb_blob_destroy(blob)
  const input = hb.hb_subset_input_create_or_fail()
  const wanted = hb.hb_subset_input_glyph_set(input)
  for (const glyph of glyphs) hb.hb_set_add(wanted, glyph)
  const drop = hb.hb_subset_input_set(input, dropTableSet)
  for (const tag of dropped) hb.hb_set_add(drop, tag)
  hb.hb_subset_input_set_flags(input, flags)
  hb.hb_subset_input_pin_axis_location(input, face, tagOf("wght"), weight)
  const subset = hb.hb_subset_or_fail(face, input)
  hb.hb_subset_input_destroy(input)
  if (subset === 0) throw new Error("A font could not be subset")
  const result = hb.hb_face_reference_blob(subset)
  const start = hb.hb_blob_get_data(result, 0)
  const bytes = new Uint8Array(hb.memory.buffer).slice(start, start + hb.hb_blob_get_length(result))
  hb.hb_blob_destroy(result)
  hb.hb_face_destroy(subset)
  hb.hb_face_destroy(face)
  hb.free(data)
  return bytes
}
