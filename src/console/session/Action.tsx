import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import type { Countersign, ManagementScope } from "../../client/api/index.ts"
import { newKey } from "../../client/transport/IdempotencyKey.ts"
import { useCommand } from "../commands/Commands.ts"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { ActionDone, ActionForm } from "./ActionForm.tsx"
import { curlOf, recorder } from "./Curl.ts"
import { ask, errorOf, may } from "./Session.ts"
import { isDecided } from "./Submission.ts"

/** The reason for a write, as a request has it. */
type Reason = { readonly reason?: string }

type ActionOptions = { readonly idempotencyKey: string } & Reason

type Perform<A> = (client: Countersign, options: ActionOptions, reason: Reason) => Promise<A>

interface ActionProps<A> {
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
  /** The fields of its input. */
  readonly fields?: ComponentChildren
  /** Whether everything that it needs is entered. */
  readonly isReady?: boolean
  /** Whether a reason can be given; with texts, whether one of these or another. */
  readonly asksWhy?: boolean | ReadonlyArray<string>
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

type Stage<A> =
  | { readonly name: "closed" | "asking" | "sending" }
  | { readonly name: "failed"; readonly error: Error; readonly curl: string | undefined }
  | { readonly name: "done"; readonly answer: A; readonly curl: string | undefined }

/**
 * The stages of a write. The idempotency key stays the same until the service has decided, so that a retry cannot do
 * it twice.
 */
function useStages<A>(perform: Perform<A>) {
  const [stage, setStage] = useState<Stage<A>>({ name: "closed" })
  const key = useRef("")
  const open = () => {
    key.current = newKey()
    setStage({ name: "asking" })
  }
  const close = () => setStage({ name: "closed" })
  const send = async (entered: string) => {
    setStage({ name: "sending" })
    const { last, send } = recorder()
    const curl = () => {
      const sent = last()
      return sent === undefined ? undefined : curlOf(sent)
    }
    try {
      const reason = entered === "" ? {} : { reason: entered }
      const options = { idempotencyKey: key.current, ...reason }
      const answer = await ask((client) => perform(client, options, reason), send)
      setStage({ name: "done", answer, curl: curl() })
    } catch (cause) {
      const error = errorOf(cause)
      if (isDecided(error)) key.current = newKey()
      setStage({ name: "failed", error, curl: curl() })
    }
  }
  return { stage, open, close, send }
}

/**
 * A write: a button that asks once, says what will happen, and then what has happened, with the request as curl.
 * Nothing is shown as done before the service confirms it. The button is hidden without the scope.
 */
export function Action<A>(
  {
    asksWhy = false,
    done,
    fields,
    isOffered = true,
    isReady = true,
    isWide = false,
    label,
    onDone,
    perform,
    says,
    scope,
    sendLabel = label,
    small = false,
    typed,
    weight = "plain"
  }: ActionProps<A>
) {
  const { close, open, send, stage } = useStages(perform)
  // The actions of rows are not offered: their names do not say of which row.
  useCommand(label, isOffered && !small && (scope === undefined || may(scope)), open)
  // The input stays when the person signs in again with a token that has fewer scopes.
  if (scope !== undefined && !may(scope) && stage.name === "closed") return null
  const leave = () => {
    if (stage.name === "sending") return
    close()
    if (stage.name === "done") onDone?.()
  }
  return (
    <>
      {isOffered ? <Button weight={weight} small={small} onClick={open}>{label}</Button> : null}
      {stage.name === "closed" ? null : (
        <Dialog title={label} isWide={isWide} onClose={leave}>
          {stage.name === "done"
            ? <ActionDone curl={stage.curl} onClose={leave}>{done(stage.answer)}</ActionDone>
            : (
              <ActionForm
                {...{ asksWhy, fields, isReady, label: sendLabel, says, typed, weight }}
                isSending={stage.name === "sending"}
                error={stage.name === "failed" ? stage.error : undefined}
                curl={stage.name === "failed" ? stage.curl : undefined}
                onSend={(reason) => void send(reason)}
                onClose={leave}
              />
            )}
        </Dialog>
      )}
    </>
  )
}
