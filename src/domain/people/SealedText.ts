import * as Base64Url from "effect/encoding/Base64Url"

/** The bytes that a text spells exactly in base64url; undefined where it is no such text. */
export const bytesOf = (text: string): Uint8Array | undefined => {
  const read = Base64Url.decode(text)
  return read._tag === "Success" && Base64Url.encode(read.success) === text ? read.success : undefined
}

/** Parts without dots as one text that nobody else can write. `mac` authenticates it. */
export const sealed = (parts: ReadonlyArray<string>, mac: (text: string) => Uint8Array): string => {
  const text = parts.join(".")
  return `${text}.${Base64Url.encode(mac(text))}`
}

/** The parts of a sealed text, where there are `count` of them and nobody has changed one. */
export const unsealed = (
  text: string,
  count: number,
  verifies: (text: string, mac: Uint8Array) => boolean
): ReadonlyArray<string> | undefined => {
  const parts = text.split(".")
  const mac = bytesOf(parts.at(-1) ?? "")
  const given = parts.slice(0, -1)
  return given.length === count && mac !== undefined && verifies(given.join("."), mac) ? given : undefined
}
