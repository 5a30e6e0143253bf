import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../ground/parsing/StrictBytes.ts"

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
  const mac = decodeBase64Url(parts.at(-1) ?? "")
  const given = parts.slice(0, -1)
  return given.length === count && mac !== undefined && verifies(given.join("."), mac) ? given : undefined
}
