import { useLocation } from "preact-iso"
import { useEffect, useRef, useState } from "preact/hooks"
import type {
  JobPreview,
  License,
  LicenseJobAction,
  LicenseJobFilter,
  LicenseJobRequest
} from "../../../client/api/index.ts"
import { newKey } from "../../../client/transport/Credentials.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Choice, NumberField, TextField, wholeOf } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import type { Ticks } from "../../ground/design/Table.tsx"
import { useSettled } from "../../ground/lists/Settled.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import type { Draft } from "../../ground/session/Draft.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { none, reasonedBy, scopeOf, ticked } from "./JobView.ts"
import type { Selected } from "./JobView.ts"

/** The input for an action, as far as it is complete. */
type Parameters = Pick<LicenseJobRequest, "renew" | "change_policy" | "tags">

interface Offered {
  readonly action: LicenseJobAction
  readonly label: string
  /** The outcome, behind the number of licenses. */
  readonly done: string
  readonly says: string
}

const offered: ReadonlyArray<Offered> = [
  {
    action: "suspend",
    label: "Suspend",
    done: "will be suspended",
    says: "Each app stops at its next check-in. Devices keep their seats."
  },
  { action: "renew", label: "Renew", done: "will be renewed", says: "Each license ends later." },
  {
    action: "change_policy",
    label: "Change policy",
    done: "will be changed",
    says: "Each license follows the terms of the new policy from its next check-in."
  },
  { action: "tag", label: "Add tag", done: "will be tagged", says: "Tags are for your team. Apps do not see them." },
  { action: "untag", label: "Remove tag", done: "will lose the tag", says: "Tags are for your team." },
  {
    action: "reinstate",
    label: "Reinstate",
    done: "will be reinstated",
    says: "Each license works again at its next check-in, unless it has expired."
  },
  {
    action: "revoke",
    label: "Revoke",
    done: "will be revoked",
    says: "Each license is disabled permanently, and its seats are freed. This cannot be undone."
  }
]

/** The number of licenses above which the number is typed first. */
const many = 100

/** The findings of a dry run, in a sentence. */
const foreseenIn = ({ done, judged, matched }: JobPreview, what: string): string =>
  `${count(matched)} ${matched === 1 ? "matches" : "match"}. ${
    judged < matched ? `Of the first ${count(judged)}, ` : ""
  }${count(done)} ${what}.`

/** A dry run: its request, and its findings. */
interface Found {
  readonly of: string
  readonly preview: JobPreview
}

const Foreseen = (
  { onFound, request, what }: {
    readonly request: LicenseJobRequest
    readonly what: string
    readonly onFound: (found: Found) => void
  }
) => {
  // Not for each letter that is typed: a dry run tries each license.
  const settled = useSettled(JSON.stringify(request), 400)
  const found = useLoad(
    async (client, signal) =>
      (await client.jobs.create({ ...request, dry_run: true }, { signal, idempotencyKey: newKey() })).preview,
    [settled]
  )
  useEffect(() => {
    if (found.data !== undefined) onFound({ of: settled, preview: found.data })
  }, [found.data])
  if (found.error !== undefined) return <Failure error={found.error} onRetry={found.reload} />
  if (found.data === undefined) return <Skeleton lines={2} />
  return (
    <Note tone={found.data.failed > 0 ? "warn" : "plain"} title={foreseenIn(found.data, what)}>
      {found.data.reasons.map(({ code, licenses, message }) => (
        <span key={`${code}${message}`}>
          {some(licenses, "license")}: {message}
        </span>
      ))}
      {found.data.of_purchases === 0 ? null : (
        <span>
          {some(found.data.of_purchases, "license is", "licenses are")}{" "}
          paid for by a purchase: the change stays until that says something else about the same thing, such as another
          price or quantity.
        </span>
      )}
    </Note>
  )
}

const blank = { days: "", policy: "", tag: "" }

/** The fields of an action, and what is entered so far; undefined while something is missing. */
const useParameters = (action: LicenseJobAction, productId: string | undefined, draft: Draft<typeof blank>) => {
  const { days, policy, tag } = draft.values
  const policies = useLoad(
    (client, signal) => client.policies.list(productId ?? "", { limit: 200 }, { signal }),
    [productId],
    { when: action === "change_policy" && productId !== undefined }
  )
  switch (action) {
    case "renew": {
      const whole = wholeOf(days, { min: 1, max: 36_500 })
      return {
        fields: (
          <NumberField
            label="Days (optional)"
            value={days}
            min={1}
            max={36_500}
            onChange={(days) => draft.set({ days })}
            hint="Without days, each license gets a further term of its policy."
          />
        ),
        entered: days.trim() === "" ? {} : whole === undefined ? undefined : { renew: { extend_by_days: whole } }
      }
    }
    case "tag":
    case "untag":
      return {
        fields: (
          <TextField
            label="Tag"
            value={tag}
            maxLength={50}
            onChange={(tag) => draft.set({ tag })}
            isFirst
            path="tags"
          />
        ),
        entered: tag.trim() === "" ? undefined : { tags: [tag.trim()] }
      }
    case "change_policy":
      return {
        fields: productId === undefined
          ? <Note>Filter the list by a product first: a policy is of one product.</Note>
          : (
            <Choice
              label="New policy"
              value={policy}
              options={[["", "Choose a policy"], ...(policies.data ?? []).map(({ id, name }) => [id, name] as const)]}
              onChange={(policy) => draft.set({ policy })}
            />
          ),
        entered: policy === "" ? undefined : { change_policy: { policy_id: policy } }
      }
    default:
      return { fields: null, entered: {} satisfies Parameters }
  }
}

interface BulkProps {
  readonly selected: Selected
  readonly filter: LicenseJobFilter
}

const selectionOf = ({ filter, selected }: BulkProps): LicenseJobRequest["selection"] =>
  selected.kind === "filter" ? { filter } : { ids: [...selected.ids] }

const Bulk = ({ of, ...bulk }: BulkProps & { readonly of: Offered }) => {
  const { route } = useLocation()
  const [found, setFound] = useState<Found>()
  const draft = useDraft(of.action, blank)
  const { entered, fields } = useParameters(of.action, bulk.filter.product_id, draft)
  const request = entered === undefined
    ? undefined
    : { action: of.action, selection: selectionOf(bulk), ...entered } satisfies LicenseJobRequest
  const isTag = of.action === "tag" || of.action === "untag"
  // The number that is confirmed is that of this request, and of none before it.
  const preview = found !== undefined && found.of === JSON.stringify(request) ? found.preview : undefined
  const matched = preview?.matched ?? 0
  return (
    <Action
      label={of.label}
      scope="license:write"
      says={of.says}
      small
      weight={of.action === "revoke" ? "danger" : "plain"}
      asksWhy={reasonedBy[of.action] ?? true}
      fields={
        <>
          {fields}
          {request === undefined || isTag ? null : <Foreseen request={request} what={of.done} onFound={setFound} />}
        </>
      }
      draft={draft}
      isReady={request !== undefined && (isTag || preview !== undefined && preview.done > 0)}
      typed={of.action === "revoke" || matched > many ? String(matched) : undefined}
      {...(of.action === "revoke" ? { secondLook: "revoke_license" } : {})}
      perform={async (client, { idempotencyKey }, reason) => {
        const { job } = await client.jobs.create({
          ...request!,
          ...reason,
          ...(preview === undefined ? {} : { expected_total: preview.matched })
        }, { idempotencyKey })
        route(`/console/licenses/jobs/${job!.id}`)
        return job!
      }}
      done={({ id }) => <a href={`/console/licenses/jobs/${id}`}>See what becomes of each license</a>}
    />
  )
}

/** The actions on a selection. Each counts first, and starts a job. */
const BulkActions = (bulk: BulkProps) => (
  <>
    {offered.map((of) => <Bulk key={of.action} of={of} {...bulk} />)}
  </>
)

/** A selection as a tab keeps it, with the filters that it was made under. */
interface KeptSelection {
  readonly under: string
  readonly ids: ReadonlyArray<string>
  readonly isAll: boolean
}

const nothing: KeptSelection = { under: "", ids: [], isAll: false }

/**
 * The selection of a list, which other filters and other pages empty. A reload gives it back, with the dialog that was open
 * over it.
 */
export const useSelection = (rows: ReadonlyArray<License>, nameOf: (license: License) => string, filters: object) => {
  const key = JSON.stringify(filters)
  const { saved: forget, set: keep, values: kept } = useDraft("selection", nothing)
  useEffect(() => forget, [])
  const before = useRef<string | undefined>(undefined)
  const selected: Selected = kept.under !== key
    ? none
    : kept.isAll
    ? { kind: "filter" }
    : { kind: "ids", ids: new Set(kept.ids) }
  const set = (selected: Selected) =>
    keep({
      under: key,
      isAll: selected.kind === "filter",
      ids: selected.kind === "ids" ? [...selected.ids] : []
    })
  const all = rows.map(({ id }) => id)
  const ids = selected.kind === "ids" ? selected.ids : new Set(all)
  const ticks: Ticks<License> = {
    has: ({ id }) => ids.has(id),
    toggle: ({ id }, isRange) => {
      set({ kind: "ids", ids: ticked(ids, all, id, isRange ? before.current : undefined) })
      before.current = id
    },
    toggleAll: () => set({ kind: "ids", ids: new Set(all.every((id) => ids.has(id)) ? [] : all) }),
    nameOf
  }
  return {
    selected,
    ticks,
    isEmpty: selected.kind === "ids" && ids.size === 0,
    clear: () => set(none),
    takeAll: () => set({ kind: "filter" })
  }
}

/** The scope of a selection in words, and what can be done with it. */
export const SelectionBar = (
  { filter, hasMore, loaded, of }: {
    readonly of: ReturnType<typeof useSelection>
    readonly filter: LicenseJobFilter
    readonly loaded: number
    readonly hasMore: boolean
  }
) =>
  of.isEmpty ? null : (
    <div class="selection" role="group" aria-label="Selection">
      <span class="grow row wraps">
        <span role="status">{scopeOf(of.selected, loaded, hasMore)}</span>
        {of.selected.kind === "ids" && hasMore && of.selected.ids.size === loaded
          ? <Button small weight="bare" onClick={of.takeAll}>Select all that match</Button>
          : null}
        <Button small weight="bare" onClick={of.clear}>Clear</Button>
      </span>
      <BulkActions selected={of.selected} filter={filter} />
    </div>
  )
