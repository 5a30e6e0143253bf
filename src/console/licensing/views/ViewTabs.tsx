import { useLocation } from "preact-iso"
import { useRef, useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { LicenseView, LicenseViewRequest } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Dialog } from "../../ground/design/Dialog.tsx"
import { Check, TextField } from "../../ground/design/Field.tsx"
import type { useFilters } from "../../ground/lists/Filters.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { hrefOf, isAt, readyViews, savedOf } from "./ViewAddress.ts"

/** A column that can be chosen: its name in views and in the browser, and its heading. */
export interface Choosable {
  readonly key: string
  readonly name: string
}

const place = (list: string): string => `countersign.columns.${list}`

const stored = (list: string): string | undefined => {
  try {
    return localStorage.getItem(place(list)) ?? undefined
  } catch {
    // The browser keeps nothing for this page.
    return undefined
  }
}

const store = (list: string, columns: string): void => {
  try {
    localStorage.setItem(place(list), columns)
  } catch {
    // The columns stay until the page is closed.
  }
}

/**
 * The columns of a list: those of the address, which a view has brought, or else what this browser keeps, or else the usual
 * ones. What is chosen is kept in the browser, and in the address of a view.
 */
export const useColumns = (
  { list, of, usual }: {
    readonly list: string
    readonly of: ReadonlyArray<Choosable>
    readonly usual: ReadonlyArray<string>
  },
  { query, setTyped }: ReturnType<typeof useFilters>
) => {
  const [kept, setKept] = useState(() => stored(list))
  const wanted = (query["columns"] ?? kept)?.split(",") ?? usual
  const known = of.map(({ key }) => key).filter((key) => wanted.includes(key))
  const chosen = known.length === 0 ? usual : known
  const choose = (columns: ReadonlyArray<string>) => {
    const text = columns.join(",")
    if (query["view"] === undefined) {
      setKept(text)
      store(list, text)
    }
    if (query["view"] !== undefined || query["columns"] !== undefined) setTyped({ columns: text })
  }
  return { chosen, choose }
}

/** The button that chooses the columns of a list. The first one leads to the row, and stays. */
export const ColumnsButton = ({ choose, chosen, of }: {
  readonly of: ReadonlyArray<Choosable>
  readonly chosen: ReadonlyArray<string>
  readonly choose: (columns: ReadonlyArray<string>) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [, ...others] = of
  const toggle = (key: string) =>
    choose(of.map((column) => column.key).filter((each) => chosen.includes(each) !== (each === key)))
  return (
    <>
      <Button small weight="bare" onClick={() => setOpen(true)}>Columns</Button>
      {isOpen
        ? (
          <Dialog title="Columns" onClose={() => setOpen(false)}>
            <div class="stack">
              {others.map(({ key, name }) => (
                <Check key={key} isOn={chosen.includes(key)} onChange={() => toggle(key)}>{name}</Check>
              ))}
            </div>
            <div class="actions">
              <Button weight="main" onClick={() => setOpen(false)}>Close</Button>
            </div>
          </Dialog>
        )
        : null}
    </>
  )
}

/** The most views that are offered. */
const most = 200

interface Named {
  readonly name: string
  readonly isShared: boolean
}

const NameFields = ({ of, set }: { readonly of: Named; readonly set: (named: Partial<Named>) => void }) => (
  <>
    <TextField
      label="Name"
      path="name"
      value={of.name}
      maxLength={60}
      required
      isFirst
      onChange={(name) => set({ name })}
    />
    {may("license:write")
      ? (
        <Check isOn={of.isShared} onChange={(isShared) => set({ isShared })}>
          Share with all colleagues
        </Check>
      )
      : null}
  </>
)

const bodyOf = ({ isShared, name }: Named, saved: Omit<LicenseViewRequest, "name">): LicenseViewRequest => ({
  ...saved,
  name: name.trim(),
  is_shared: isShared
})

interface Saving {
  readonly saved: Omit<LicenseViewRequest, "name">
  readonly onChange: () => void
}

const blank: Named = { name: "", isShared: false }

/** Saves the list as it is shown, and leads to the view. */
const SaveView = ({ onChange, saved }: Saving) => {
  const { route } = useLocation()
  const draft = useDraft("view", blank)
  const named = draft.values
  const made = useRef<LicenseView | undefined>(undefined)
  return (
    <Action
      label="Save view"
      small
      weight="bare"
      says="A view keeps the filters, the order and the columns of the list."
      fields={<NameFields of={named} set={draft.set} />}
      draft={draft}
      isReady={named.name.trim() !== ""}
      perform={async (client, options) => {
        made.current = await client.licenseViews.create(bodyOf(named, saved), options)
        return made.current
      }}
      done={({ name }) => (
        <span>
          <bdi class="strong">{name}</bdi> saved.
        </span>
      )}
      onDone={() => {
        onChange()
        if (made.current !== undefined) route(hrefOf(made.current))
      }}
    />
  )
}

/** Changes and deletes a view of one's own, or of a colleague who has left. */
const OwnView = ({ of, onChange, saved }: Saving & { readonly of: LicenseView }) => {
  const { route } = useLocation()
  const draft = useDraft(`view ${of.id}`, { name: of.name, isShared: of.is_shared })
  const named = draft.values
  return (
    <>
      <Action
        label="Change view"
        small
        weight="bare"
        says="The view takes over the filters, the order and the columns that the list has now."
        fields={<NameFields of={named} set={draft.set} />}
        draft={draft}
        isReady={named.name.trim() !== ""}
        perform={(client, options) => client.licenseViews.update(of.id, bodyOf(named, saved), options)}
        done={({ name }) => (
          <span>
            <bdi class="strong">{name}</bdi> changed.
          </span>
        )}
        onDone={onChange}
      />
      <Action
        label="Delete view"
        small
        weight="bare"
        says={consequenceOf("deleteLicenseView")}
        perform={(client, options) => client.licenseViews.delete(of.id, options)}
        done={() => (
          <span>
            <bdi class="strong">{of.name}</bdi> deleted.
          </span>
        )}
        onDone={() => {
          onChange()
          route("/console/licenses")
        }}
      />
    </>
  )
}

/** The saved views of the list of licenses as tabs, and how the list as it is shown becomes one. */
export const ViewTabs = (
  { columns, query }: { readonly query: Readonly<Record<string, string>>; readonly columns: ReadonlyArray<string> }
) => {
  const { data: views = [], reload } = useLoad(
    (client, signal) => firstOf(client.licenseViews.list({ order: "asc", limit: most }, { signal }), most),
    []
  )
  const at = views.find(({ id }) => id === query["view"])
  const saving = { saved: savedOf(query, columns), onChange: reload }
  const links = [
    ...readyViews.map(([name, href]) => ({ name, href, isHere: isAt(query, href) })),
    ...views.map((view) => ({ name: view.name, href: hrefOf(view), isHere: view === at }))
  ]
  return (
    <div class="views row wraps">
      <nav class="tabs grow" aria-label="Views">
        {links.map(({ href, isHere, name }) => (
          <a key={href} href={href} {...(isHere ? { "aria-current": "page" as const } : {})}>
            <bdi>{name}</bdi>
          </a>
        ))}
      </nav>
      <span class="row">
        {at?.is_own === true || at?.is_left === true && may("license:write")
          ? <OwnView key={at.id} of={at} {...saving} />
          : null}
        <SaveView {...saving} />
      </span>
    </div>
  )
}
