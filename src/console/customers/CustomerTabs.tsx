import type { ComponentChildren } from "preact"
import { useFilters } from "../ground/lists/Filters.ts"

/** A tab: its name in the address, its title, and its content. */
export interface Tab {
  readonly name: string
  readonly title: string
  readonly shown: () => ComponentChildren
}

/** Tabs of a page, by its address; the first one where it names none. */
export const Tabs = ({ label, of, path }: {
  readonly label: string
  readonly path: string
  readonly of: ReadonlyArray<Tab>
}) => {
  const asked = useFilters().query["tab"] ?? ""
  const at = of.find(({ name }) => name === asked) ?? of[0]
  return (
    <>
      <nav class="tabs" aria-label={label}>
        {of.map(({ name, title }) => (
          <a
            key={name}
            href={name === "" ? path : `${path}?tab=${name}`}
            {...(name === at?.name ? { "aria-current": "page" as const } : {})}
          >
            {title}
          </a>
        ))}
      </nav>
      {at?.shown()}
    </>
  )
}
