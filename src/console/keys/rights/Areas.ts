import { coversScope } from "../../../client/api/index.ts"
import type { ManagementScope } from "../../../client/api/index.ts"

/** How much of an area somebody may: nothing of it, see it, or change it. */
export type Level = "none" | "read" | "write"

/** A part of the service that has rights of its own, in the words of people. */
export interface Area {
  readonly name: string
  /** The scopes of each level that the area has. */
  readonly scopes: Readonly<Partial<Record<Exclude<Level, "none">, ReadonlyArray<ManagementScope>>>>
  /** The two levels as what somebody does. */
  readonly words: Readonly<Partial<Record<Exclude<Level, "none">, string>>>
  /** The name of the highest level, where it is not "Change". */
  readonly highest?: string
}

/** The areas, from what is sold to how it runs. */
export const areas: ReadonlyArray<Area> = [
  {
    name: "Products",
    scopes: { read: ["product:read"], write: ["product:write"] },
    words: { read: "see products and purchases", write: "change products and connect payment providers" }
  },
  {
    name: "Licenses",
    scopes: { read: ["license:read"], write: ["license:write"] },
    words: { read: "see licenses", write: "issue and change licenses" }
  },
  {
    name: "Customers",
    scopes: { read: ["customer:read"], write: ["customer:write"] },
    words: { read: "see customers", write: "change customers" }
  },
  {
    name: "Devices",
    scopes: { write: ["device:write"] },
    words: { write: "free and block devices" }
  },
  {
    name: "Events",
    scopes: { read: ["event:read"] },
    words: { read: "see events" }
  },
  {
    name: "Reports",
    scopes: { read: ["report:read"], write: ["report:read", "report:export"] },
    words: { read: "see reports", write: "export reports" },
    highest: "Export"
  },
  {
    name: "Webhooks",
    scopes: { write: ["webhook:write"] },
    words: { write: "change webhooks" }
  },
  {
    name: "People",
    scopes: { read: ["people:read"], write: ["people:write"] },
    words: { read: "see people and roles", write: "invite people and change roles" }
  },
  {
    name: "Operations",
    scopes: { read: ["ops:read"] },
    words: { read: "see the health of the service" }
  }
]

type Scopes = ReadonlyArray<ManagementScope>

const covers = (held: Scopes, needed: Scopes | undefined): boolean =>
  needed !== undefined && needed.every((scope) => coversScope(held, scope))

/** How much scopes allow of an area. */
export const levelOf = (held: Scopes, { scopes }: Area): Level =>
  covers(held, scopes.write) ? "write" : covers(held, scopes.read) ? "read" : "none"

/** Whether somebody with scopes may give others a level of an area. */
export const mayGive = (held: Scopes, area: Area, level: Level): boolean =>
  level === "none" || covers(held, area.scopes[level])

/** The scopes of some after an area was set to a level; what the area does not know stays. */
export const withLevel = (held: Scopes, area: Area, level: Level): Scopes => {
  const own = new Set([...area.scopes.read ?? [], ...area.scopes.write ?? []])
  const rest = held.filter((scope) => !own.has(scope))
  return level === "none" ? rest : [...rest, ...area.scopes[level] ?? []]
}

/** Whether scopes allow everything. */
const isEverything = (held: Scopes): boolean => held.includes("admin")

/** The things that scopes allow, and those that they do not, as what somebody does. */
export const wordsOf = (
  held: Scopes
): { readonly can: ReadonlyArray<string>; readonly cannot: ReadonlyArray<string> } => {
  const can: Array<string> = []
  const cannot: Array<string> = []
  for (const area of areas) {
    const level = levelOf(held, area)
    const { read, write } = area.words
    if (level !== "none") can.push(area.words[level] ?? "")
    if (level === "none") cannot.push(read ?? write ?? "")
    else if (level === "read" && write !== undefined) cannot.push(write)
  }
  const all = "make API keys, rotate signing keys and erase customers"
  if (isEverything(held)) can.push(all)
  else cannot.push(all)
  return { can, cannot }
}

/** The things that scopes allow, on one line. */
export const lineOf = (held: Scopes): string =>
  isEverything(held) ? "everything" : wordsOf(held).can.join(", ") || "nothing"
