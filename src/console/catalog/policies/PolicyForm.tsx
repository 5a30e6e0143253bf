import { useLocation } from "preact-iso"
import { useMemo, useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign, PolicyWritten } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Choice, Findings } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { useSettled } from "../../ground/lists/Settled.ts"
import { Action } from "../../ground/session/Action.tsx"
import { AskBeforeLeaving, useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { codeOf } from "./CodeOf.ts"
import { PolicyControl } from "./PolicyControl.tsx"
import { changedIn, createBody, updateBody, wrongOf } from "./PolicyDraft.ts"
import type { FieldName, PolicyDraft } from "./PolicyDraft.ts"
import { policyGroups, presets } from "./PolicyGroups.ts"
import type { PolicyGroup } from "./PolicyGroups.ts"
import { PolicyPreviewPanel } from "./PolicyPreviewPanel.tsx"
import { PolicyReview, reachedText, RehearsalPanel } from "./PolicyReview.tsx"
import type { Effect } from "./PolicyReview.tsx"

/** The policy of a form: one that is there, with its tag, or a new one. */
export interface FormOf {
  readonly productId: string
  readonly loaded: PolicyDraft
  readonly policy: { readonly id: string; readonly etag: string | undefined } | undefined
  /** Loads the policy again. */
  readonly onChange: () => void
  /** The texts that a new policy begins with beside the defaults: those of the policy that is copied. */
  readonly copied?: Partial<PolicyDraft>
  /** The ID of that policy. */
  readonly copiedFrom?: string | undefined
}

/** How long a pause in typing is before the service is asked, in milliseconds. */
const pause = 300

type Options = { readonly idempotencyKey?: string; readonly signal?: AbortSignal }

/** Sends a draft: as a new policy, or what differs from the one that was loaded. */
const send = (
  client: Countersign,
  { loaded, policy, productId }: FormOf,
  draft: PolicyDraft,
  isDry: boolean,
  options: Options
): Promise<PolicyWritten> => {
  const dry = isDry ? { dry_run: true } : {}
  if (policy === undefined) return client.policies.create(productId, { ...createBody(draft), ...dry }, options)
  const ifMatch = isDry || policy.etag === undefined ? {} : { ifMatch: policy.etag }
  return client.policies.update(policy.id, { ...updateBody(loaded, draft), ...dry }, { ...options, ...ifMatch })
}

/** The effect that a draft would have, once nobody types; and what the service finds in it. */
const useEffectOf = (of: FormOf, draft: PolicyDraft) => {
  // The draft is another object in each rendering, and settles by its text.
  const settled = useSettled(useMemo(() => draft, [JSON.stringify(draft)]), pause)
  const wrong = wrongOf(draft)
  const { data, error } = useLoad(
    (client, signal) => send(client, of, settled, true, { signal }),
    [JSON.stringify(settled), of.policy?.etag],
    { when: wrongOf(settled).size === 0 }
  )
  const refusal = isCountersignError(error) ? error : undefined
  const effect = error === undefined ? data?.dry_run : undefined
  return {
    effect,
    hasFailed: error !== undefined && refusal?.code !== "VALIDATION_ERROR" && refusal?.code !== "CONFLICT",
    isValid: wrong.size === 0,
    findings: new Map<string, string>([
      ...(effect?.findings ?? refusal?.fields ?? []).map(({ message, path }) => [path, message] as const),
      ...(refusal?.code === "CONFLICT" ? [["code", "is taken by another policy of the product"] as const] : []),
      ...wrong
    ])
  }
}

interface GroupProps {
  readonly of: PolicyGroup
  readonly draft: PolicyDraft
  readonly changed: ReadonlyArray<FieldName>
  readonly isFound: boolean
  readonly onChange: (texts: Partial<PolicyDraft>) => void
}

const Group = ({ changed, draft, isFound, of, onChange }: GroupProps) => {
  const many = of.members.filter((name) => changed.includes(name)).length
  return (
    <details class="panel" open={(of.isOpen ?? false) || isFound}>
      <summary class="row wraps above" style={{ paddingBottom: "var(--s3)" }}>
        <h2>{of.title}</h2>
        <bdi class="grow quiet small wrap">{of.says(draft)}</bdi>
        {many === 0 ? null : <span class="small">{some(many, "change")}</span>}
      </summary>
      <div class="body stack wide above">
        {of.members.map((name) => (
          <PolicyControl
            key={name}
            name={name}
            value={draft[name]}
            onChange={(value) => onChange({ [name]: value } as Partial<PolicyDraft>)}
          />
        ))}
        <span />
      </div>
    </details>
  )
}

const Presets = ({ onChange }: Pick<GroupProps, "onChange">) => (
  <Choice
    label="How do you sell it?"
    value=""
    options={[["", "Choose to fill in the form"], ...presets.map(([name]) => [name, name] as const)]}
    onChange={(chosen) => {
      const sets = presets.find(([name]) => name === chosen)?.[1]
      if (sets !== undefined) onChange(sets as Partial<PolicyDraft>)
    }}
  />
)

/** The name of the draft that is kept: a copy of each policy has one of its own. */
const draftNameOf = ({ copiedFrom, policy, productId }: FormOf): string =>
  policy?.id ?? ["new", productId, copiedFrom].join(" ")

/** The responses to an app under a draft, and how calls of the past would have been decided under it. */
const Beside = ({ draft, effect, hasFailed, isValid, of: { loaded, policy, productId } }: {
  readonly of: FormOf
  readonly draft: PolicyDraft
  readonly effect: Effect | undefined
  readonly hasFailed: boolean
  readonly isValid: boolean
}) => (
  <aside aria-label="Preview">
    <PolicyPreviewPanel draft={draft} effect={effect} hasFailed={hasFailed} />
    {policy === undefined || !isValid
      ? null
      : <RehearsalPanel productId={productId} policyId={policy.id} change={updateBody(loaded, draft)} />}
  </aside>
)

/** The form of a policy: its rules in groups, what an app is answered, and a review before it is saved. */
export const PolicyForm = (of: FormOf) => {
  const { copied, loaded, onChange, policy, productId } = of
  const { route } = useLocation()
  const made = useRef("")
  const isNew = policy === undefined
  const { changed, discard, saved, set, values: texts } = useDraft(draftNameOf(of), loaded, copied)
  const { effect, findings, hasFailed, isValid } = useEffectOf(of, texts)
  // A field that is still empty has no mistake until somebody is about to send it.
  const [isTried, setTried] = useState(false)
  const shown = isTried
    ? findings
    : new Map([...findings].filter(([name]) => !isNew || texts[name as FieldName] !== "" || changed.includes(name)))
  const differing = isNew ? changed : changedIn(loaded, texts)
  const enter = (next: Partial<PolicyDraft>): void => {
    const isFollowing = isNew && next.name !== undefined && texts.code === codeOf(texts.name)
    set(isFollowing ? { ...next, code: codeOf(next.name ?? "") } : next)
  }
  const label = isNew
    ? "Create policy"
    : effect === undefined
    ? "Save policy"
    : `Save for ${reachedText(effect.reach)}`
  return (
    <div class="record">
      <AskBeforeLeaving isDirty={changed.length > 0} isKept />
      <div>
        <Findings.Provider value={shown}>
          {isNew ? <Presets onChange={enter} /> : null}
          {policyGroups.map((group) => (
            <Group
              key={group.title}
              of={group}
              draft={texts}
              changed={differing as ReadonlyArray<FieldName>}
              isFound={group.members.some((name) => shown.has(name))}
              onChange={enter}
            />
          ))}
        </Findings.Provider>
        <span class="row wraps" onFocusCapture={() => setTried(true)}>
          <Action
            label={label}
            weight="main"
            scope="product:write"
            isOffered={isNew || differing.length > 0}
            isReady={isValid && findings.size === 0}
            says={
              <PolicyReview
                loaded={loaded}
                draft={texts}
                changed={differing as ReadonlyArray<FieldName>}
                effect={effect}
              />
            }
            perform={async (client, options) => {
              try {
                const written = await send(client, of, texts, false, options)
                made.current = written.id
                saved()
                return written
              } catch (cause) {
                // The entered texts stay, over the policy as it is now.
                if (isCountersignError(cause, "PRECONDITION_FAILED")) onChange()
                throw cause
              }
            }}
            done={({ name }) => (
              <span>
                Policy <bdi class="strong">{name}</bdi> saved.
              </span>
            )}
            onDone={() => {
              discard()
              if (isNew) route(`/console/products/${productId}/policies/${made.current}`)
              else onChange()
            }}
          />
          {changed.length === 0 ? null : <Button onClick={discard}>Discard {some(changed.length, "change")}</Button>}
        </span>
      </div>
      <Beside of={of} draft={texts} effect={effect} hasFailed={hasFailed} isValid={isValid} />
    </div>
  )
}
