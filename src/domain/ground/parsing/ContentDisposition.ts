/**
 * A `Content-Disposition` header (RFC 6266) that has a download kept under this name. Names beyond ASCII are given in
 * both forms (RFC 8187), because old readers know only the first.
 */
export const attachment = (name: string): string => {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_")
  const extended = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${extended}`
}

/** The name in a header of {@link attachment}. */
export const attachedName = (header: string | null): string =>
  /filename="([^"]+)"/.exec(header ?? "")?.[1] ?? "download"
