/** 16 random bytes, in hex. */
export const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** A key that nobody else has, also where a browser's page has no `crypto.randomUUID`. */
export const newKey = (): string => crypto.randomUUID?.() ?? randomHex()
