import type { Customer, License } from "../../../client/api/index.ts"
import { licenseKeyFaultIn } from "../../../client/transport/Credentials.ts"
import { isMatch } from "../../ground/commands/Commands.ts"
import type { PageCommand } from "../../ground/commands/Commands.ts"
import type { IconName } from "../../ground/design/Icon.tsx"
import { mayBeKey } from "../../ground/lists/KeyLike.ts"
import type { Found } from "./Found.ts"

/** An option of the search: a license, a customer, or the list of all licenses that match. */
export interface SearchOption {
  readonly href: string
  readonly license?: License
  readonly customer?: Customer
}

/**
 * The options for a text. The list of all licenses has the text in its URL, so it is not offered for a text that may
 * be a key; nor for the ID of a request, which the list does not know; nor while `isCurrent` is false, because the
 * shown answer belongs to an earlier text.
 */
export const searchOptions = (
  text: string,
  { customers, licenses }: Found,
  isCurrent = true
): ReadonlyArray<SearchOption> => {
  const hasList = isCurrent && licenses.length > 0 && !mayBeKey(text) && !text.startsWith("req_")
  return [
    ...licenses.map((license) => ({ href: `/console/licenses/${license.id}`, license })),
    ...customers.map((customer) => ({ href: `/console/customers/${customer.id}`, customer })),
    ...(hasList ? [{ href: `/console/licenses?q=${encodeURIComponent(text)}` }] : [])
  ]
}

/** The reason why nothing was found: a mistyped key, or a text that the search does not match. */
export const noResultsText = (text: string): string =>
  `No results. ${
    licenseKeyFaultIn(text) ??
      "Search matches words of a name or email, IDs of billing systems, and the last four characters of a key or the whole key."
  }`

/** A page that the menu leads to. */
export interface Destination {
  readonly name: string
  readonly href: string
  readonly icon: IconName
}

/** An option of the menu: a command of the open page, a page, or something that was found. */
export type MenuOption =
  | { readonly kind: "command"; readonly command: PageCommand }
  | { readonly kind: "page"; readonly page: Destination }
  | { readonly kind: "found"; readonly found: SearchOption }

/** How many commands and pages are offered for a text, so that what was found is in sight below them. */
const most = 5

/**
 * The options for a text: first the commands of the open page, then pages, then what was found. A pasted ID or key matches
 * no name, so what it finds comes first. Without a text all commands and pages are offered.
 */
export const menuOptions = (
  text: string,
  { commands, found, pages }: {
    readonly commands: ReadonlyArray<PageCommand>
    readonly pages: ReadonlyArray<Destination>
    readonly found: ReadonlyArray<SearchOption>
  }
): ReadonlyArray<MenuOption> => {
  const many = text.trim() === "" ? Infinity : most
  return [
    ...commands.filter(({ name }) => isMatch(text, name)).slice(0, many).map((command) => ({
      kind: "command" as const,
      command
    })),
    ...pages.filter(({ name }) => isMatch(text, name)).slice(0, many).map((page) => ({ kind: "page" as const, page })),
    ...found.map((found) => ({ kind: "found" as const, found }))
  ]
}

/** A name of an option that no other one has. */
export const keyOfOption = (option: MenuOption): string =>
  option.kind === "command"
    ? `command ${option.command.name}`
    : option.kind === "page"
    ? `page ${option.page.href}`
    : option.found.href
