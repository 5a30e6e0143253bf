import { oneLine } from "./LiquidSandbox.ts"

/** The longest name of somebody else in a mail, in characters: more than a name has is a message. */
const longest = 60

/** The names that are addresses of pages, and so are no names. */
const address = /:\/\/|\bwww\./i

/** The places at which a mail program finds an address: a dot or an @ between what is none of both. */
const joints = /(?<=[\p{L}\p{N}])[.@](?=[\p{L}\p{N}])/gu

/**
 * A name that customers and apps give, as a mail of the vendor has it: one line, bounded, and without anything of which a mail program
 * makes a link. So nobody writes a sentence of the vendor's, or leads its customers elsewhere; undefined where it is the address of a page.
 */
export const foreignName = (name: string): string | undefined => {
  const line = oneLine(name)
  if (address.test(line)) return undefined
  const characters = Array.from(line)
  const bounded = characters.length > longest ? `${characters.slice(0, longest - 1).join("").trimEnd()}…` : line
  // A word joiner is not seen, and ends an address where one is looked for (U+2060).
  return bounded.replaceAll(joints, (joint) => `${joint}\u2060`)
}
