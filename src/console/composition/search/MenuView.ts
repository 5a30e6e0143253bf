import type { PageCommand } from "../../ground/commands/Commands.ts"
import { isMatch } from "../../ground/commands/Matching.ts"
import type { IconName } from "../../ground/design/Icon.tsx"
import type { SearchOption } from "./SearchView.ts"

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
