import { useLocation } from "preact-iso"
import { useRef } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { LicenseView, LicenseViewRequest } from "../../../client/api/index.ts"
import { Check, TextField } from "../../ground/design/Field.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { hrefOf, isAt, readyViews, savedOf } from "./ViewAddress.ts"

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
