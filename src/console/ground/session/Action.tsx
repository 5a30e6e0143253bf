import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import type {
  Approval,
  Countersign,
  ManagementScope,
  ReasonedAction,
  SecondLookAction
} from "../../../client/api/index.ts"
import { newKey } from "../../../client/transport/Credentials.ts"
import { useCommand } from "../commands/Commands.ts"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { curlOf, recorder } from "../requests/Sent.ts"
import { ActionDone, ActionForm } from "./ActionForm.tsx"
import { AskBeforeLeaving, isDecided, useDraft, useReopened } from "./Draft.tsx"
import type { HeldDraft } from "./Draft.tsx"
import { askFor, isAsked, needsSecondPerson, waitingText } from "./SecondLook.tsx"
import { ask, errorOf, may } from "./Session.ts"

/** The reason for a write, as a request has it. */
type Reason = { readonly reason?: string }

type ActionOptions = { readonly idempotencyKey: string } & Reason

type Perform<A> = (client: Countersign, options: ActionOptions, reason: Reason) => Promise<A>

/** The fields of an action, and their values: kept while they are not sent, and forgotten by Cancel. None is without the other. */
type Input =
  | { readonly fields?: undefined; readonly draft?: undefined }
  | { readonly fields: ComponentChildren; readonly draft: HeldDraft }

interface ActionBase<A> {
  /** The button that opens it, and what it does. */
  readonly label: string
  /** The scope that it takes; none for what concerns the person alone. */
  readonly scope?: ManagementScope
  /** The consequence, in a sentence or two. */
  readonly says: ComponentChildren
  /** `options` include the reason, for calls without a body; `reason` is for the body of the others. */
  readonly perform: Perform<A>
  /** The outcome in words. */
  readonly done: (answer: A) => ComponentChildren
  /**
   * Called once the person has read the outcome, so that what shows it is loaded again. Earlier, the action might no
   * longer be offered, and would disappear together with the outcome.
   */
  readonly onDone?: () => void
  /** The ID of its subject, where a page has the same action for several. Without it, a row keeps no reason. */
  readonly about?: string
  /** Whether everything that it needs is entered. */
  readonly isReady?: boolean
  /** Whether a reason can be given; of an action that may require one, the kind of its event, and `license` of others on licenses. */
  readonly asksWhy?: boolean | ReasonedAction | "license"
  /** Whether there has to be a reason. */
  readonly needsWhy?: boolean
  /** The action that roles may need a second person for, so that the dialog says it beforehand; none where nobody is asked. */
  readonly secondLook?: SecondLookAction
  /** The steps that are left once the request is approved, of an action of several requests. */
  readonly onceApproved?: (asked: Approval) => ComponentChildren
  /** The text of the dialog's button, where that is more than the label. */
  readonly sendLabel?: string
  /** The text to type first, where something cannot be undone. */
  readonly typed?: string | undefined
  readonly weight?: Weight
  readonly small?: boolean
  /** Whether its dialog has room for a table. */
  readonly isWide?: boolean
  /** Whether its button is shown. An open dialog stays, to show the outcome. */
  readonly isOffered?: boolean
}

type ActionProps<A> = ActionBase<A> & Input

type Stage<A> =
  | { readonly name: "closed" | "asking" | "sending" }
  | { readonly name: "failed"; readonly error: Error; readonly curl: string | undefined }
  | { readonly name: "done"; readonly answer: A; readonly curl: string | undefined }
  | { readonly name: "asked"; readonly approval: Approval; readonly curl: string | undefined }

/**
 * The stages of a write. The idempotency key stays the same until the service has decided, so that a retry cannot do
 * it twice, not even after a reload where what was entered is kept.
 */
function useStages<A>({ draft, perform, secondLook }: ActionProps<A>, saved: () => void) {
  const [stage, setStage] = useState<Stage<A>>({ name: "closed" })
  // The roles may have changed since the tab asked for them: the service says whether a second person is needed.
  const [wasRefused, setRefused] = useState(false)
  const key = useRef("")
  const open = () => {
    key.current = draft?.attempt.get() ?? newKey()
    setStage({ name: "asking" })
  }
  const close = () => setStage({ name: "closed" })
  const send = async (entered: string) => {
    setStage({ name: "sending" })
    draft?.attempt.set(key.current)
    const { last, send } = recorder()
    const curl = () => {
      const sent = last()
      return sent === undefined ? undefined : curlOf(sent)
    }
    try {
      const reason = entered === "" ? {} : { reason: entered }
      const options = { idempotencyKey: key.current, ...reason }
      const answer = await ask((client) => perform(client, options, reason), send)
      saved()
      setStage({ name: "done", answer, curl: curl() })
    } catch (cause) {
      const asked = await askFor(errorOf(cause), last(), entered)
      if (!(asked instanceof Error)) {
        saved()
        return setStage({ name: "asked", approval: asked, curl: curl() })
      }
      const error = asked
      if (needsSecondPerson(error)) setRefused(true)
      if (isDecided(error)) {
        key.current = newKey()
        draft?.attempt.set(undefined)
      }
      setStage({ name: "failed", error, curl: curl() })
    }
  }
  return { stage, open, close, send, asks: isAsked(secondLook) || wasRefused }
}

const noReason = { reason: "" }

/** The values in the dialog of an action: its fields, and the reason. */
const useEntered = (
  { about, draft, label, small }: Pick<ActionProps<never>, "about" | "draft" | "label" | "small">
) => {
  const name = small === true && about === undefined ? undefined : `${label} ${about ?? ""}`.trim()
  const why = useDraft(name === undefined ? undefined : `${name} reason`, noReason)
  const hasReason = why.changed.length > 0
  const hasFields = (draft?.changed.length ?? 0) > 0
  const keepsFields = draft !== undefined && draft.unkept === undefined
  return {
    name: keepsFields ? `${label} ${about ?? ""}`.trim() : name,
    why,
    isEntered: hasReason || hasFields,
    isKept: (name !== undefined || !hasReason) && (keepsFields || !hasFields),
    /** Whether there is something to give back after a reload. */
    isToReopen: hasReason || keepsFields && hasFields,
    saved: () => {
      why.saved()
      draft?.saved()
    },
    forget: () => {
      why.discard()
      draft?.discard()
    }
  }
}

/**
 * A write: a button that asks once, says what will happen, and then what has happened, with the request as curl.
 * Nothing is shown as done before the service confirms it. The button is hidden without the scope. What was entered stays
 * when the dialog is closed by a slip, the page is loaded anew or the session ends, until it is sent or cancelled.
 */
export function Action<A>(props: ActionProps<A>) {
  const { done, isOffered = true, isWide = false, label, onDone, scope, small = false } = props
  const entered = useEntered(props)
  const { asks, close, open, send, stage } = useStages(props, entered.saved)
  const isAllowed = scope === undefined || may(scope)
  const isOver = stage.name === "done" || stage.name === "asked"
  const isAsking = stage.name !== "closed" && !isOver
  // The actions of rows are not offered: their names do not say of which row.
  useCommand(label, isOffered && !small && isAllowed, open)
  useReopened(entered.name, isAsking && entered.isToReopen, () => isOffered && isAllowed ? open() : undefined)
  // The input stays when the person signs in again with a token that has fewer scopes.
  if (!isAllowed && stage.name === "closed") return null
  const leave = () => {
    if (stage.name === "sending") return
    close()
    if (!isOver) return
    entered.forget()
    onDone?.()
  }
  const cancel = () => {
    if (stage.name === "sending") return
    close()
    entered.forget()
  }
  return (
    <>
      {isOffered ? <Button weight={props.weight ?? "plain"} small={small} onClick={open}>{label}</Button> : null}
      <AskBeforeLeaving isDirty={isAsking && entered.isEntered} isKept={entered.isKept} />
      {stage.name === "closed" ? null : (
        <Dialog title={label} isWide={isWide} onClose={leave}>
          {stage.name === "done"
            ? <ActionDone curl={stage.curl} onClose={leave}>{done(stage.answer)}</ActionDone>
            : stage.name === "asked"
            ? (
              <ActionDone title="Asked" curl={stage.curl} onClose={leave}>
                {waitingText(stage.approval)} {props.onceApproved?.(stage.approval)}
              </ActionDone>
            )
            : (
              <ActionForm
                {...props}
                label={asks ? "Ask for approval" : props.sendLabel ?? label}
                asksSecond={asks}
                reason={entered.why.values.reason}
                onReason={(reason) => entered.why.set({ reason })}
                isSending={stage.name === "sending"}
                error={stage.name === "failed" && !needsSecondPerson(stage.error) ? stage.error : undefined}
                curl={stage.name === "failed" ? stage.curl : undefined}
                onSend={(reason) => void send(reason)}
                onCancel={cancel}
              />
            )}
        </Dialog>
      )}
    </>
  )
}
