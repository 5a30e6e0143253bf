import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PagePath } from "./PagePaths.ts"
import type { PartName } from "./PartPages.ts"

type Pages = Readonly<Partial<Record<PagePath, ComponentType>>>

/** Each part is loaded with the first of its pages. The build gives it the file of its name. */
const loaders: { readonly [Name in PartName]: () => Promise<{ readonly pages: Pages }> } = {
  start: () => import("./start.ts"),
  products: () => import("./products.ts"),
  licenses: () => import("./licenses.ts"),
  customers: () => import("./customers.ts"),
  purchases: () => import("./purchases.ts"),
  activity: () => import("./activity.ts"),
  webhooks: () => import("./webhooks.ts"),
  operations: () => import("./operations.ts"),
  reports: () => import("./reports.ts"),
  people: () => import("./people.ts"),
  keys: () => import("./keys.ts"),
  settings: () => import("./settings.ts"),
  me: () => import("./me.ts"),
  join: () => import("./join.ts"),
  design: () => import("./design.ts")
}

const isPart = (name: string): name is PartName => Object.hasOwn(loaders, name)

/** The part that a path is of; undefined where it is of none. */
const partOf = (path: string): PartName | undefined => {
  const [, , name = ""] = path.split("/")
  return isPart(name) ? name : undefined
}

const loaded = new Map<PartName, Pages>()
const loading = new Map<PartName, Promise<void>>()

/** The note of this tab that the page was loaded anew for a part. */
const reloadedFor = "countersign.reloaded"

/**
 * Loads the page anew if the service has it: another version of the service may have other parts, and a browser asks only
 * once in a page for what it could not load. Answers whether it does.
 */
const reload = async (): Promise<boolean> => {
  const isServed = await fetch(location.href, { method: "HEAD" }).then(({ ok }) => ok, () => false)
  if (isServed) location.reload()
  return isServed
}

/** Loads the page anew, once for a part, where the part could not be loaded. */
const reloadOnce = async (name: PartName): Promise<boolean> => {
  if (sessionStorage.getItem(reloadedFor) === name) return false
  sessionStorage.setItem(reloadedFor, name)
  return reload()
}

const never = new Promise<never>(() => {})

const load = async (name: PartName): Promise<void> => {
  try {
    const { pages } = await loaders[name]()
    loaded.set(name, pages)
    sessionStorage.removeItem(reloadedFor)
  } catch (cause) {
    // Nothing is drawn any more where the page is about to go.
    throw await reloadOnce(name) ? await never : cause
  }
}

/** Begins to load a part, if nobody has. */
const begin = (name: PartName): Promise<void> => {
  const begun = loading.get(name) ?? load(name)
  loading.set(name, begun)
  return begun
}

/** Begins to load the part of a path, before anything is drawn. Who draws it learns of a failure. */
export const beginPart = (path: string): void => {
  const name = partOf(path)
  if (name !== undefined) begin(name).catch(() => {})
}

/** The part of the shown path, as far as it is loaded. */
export interface Part {
  /** Its pages; undefined until they are loaded. None where the path is of no part. */
  readonly pages: Pages | undefined
  readonly hasFailed: boolean
}

/** Loads the part of a path with the first of its pages. */
export const usePart = (path: string): Part => {
  const name = partOf(path)
  const [, setTurn] = useState(0)
  const [failed, setFailed] = useState<PartName>()
  const pages = name === undefined ? {} : loaded.get(name)
  useEffect(() => {
    if (name === undefined || pages !== undefined) return
    begin(name).then(() => setTurn((turn) => turn + 1), () => setFailed(name))
  }, [name])
  return { pages, hasFailed: pages === undefined && failed === name }
}

/** Tries once more to have a page whose part could not be loaded. */
export const retryPart = (): void => void reload()
