/** The longest code that is made from a name. */
const longest = 64

/** A code made from a name: its letters without accents and its digits, with dashes between; empty where it has none. */
export const codeOf = (name: string): string =>
  name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, longest).replaceAll(/^-+|-+$/g, "")
