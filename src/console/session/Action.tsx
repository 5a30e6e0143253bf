import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../client/api/index.ts"
import type { Countersign, ManagementScope } from "../../client/api/index.ts"
import { newKey } from "../../client/transport/IdempotencyKey.ts"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Copy } from "../design/Copy.tsx"
import { CloseButton, Dialog } from "../design/Dialog.tsx"
import { Note } from "../design/Feedback.tsx"
import { TextField } from "../design/Field.tsx"
import { curlOf, recorder } from "./Curl.ts"
import { Failure } from "./Failure.tsx"
import { ask, errorOf, may } from "./Session.ts"

/** Why it is done, as a request has it. */
type Said = { readonly reason?: string }

type ActionOptions = { readonly idempotencyKey: string } & Said

interface ActionProps<A> {
  /** The button that opens it, and what it does. */
  readonly label: string
  readonly scope: ManagementScope
  /** What will happen, in a sentence or two. */
  readonly says: ComponentChildren
  /** `said` is the reason, for what takes it beside what is entered; `options` have it too, for what takes nothing else. */
  readonly perform: (client: Countersign, options: ActionOptions, said: Said) => Promise<A>
  /** What has happened. */
  readonly done: (answer: A) => ComponentChildren
  /**
   * Called once who has done it has seen what happened, so that what shows it asks again: it may not be offered then, and
   * would go with the answer that is being read.
   */
  readonly onDone?: () => void
  /** What is entered for it. */
  readonly fields?: ComponentChildren
  /** Why it cannot be sent yet. */
  readonly isReady?: boolean
  /** Whether it is asked why. */
  readonly asksWhy?: boolean
  /** What the person types first, where something cannot be taken back. */
  readonly typed?: string | undefined
  readonly weight?: Weight
  readonly small?: boolean
  /** Whether its button is there; a dialog that is open stays, so that it can tell what has happened. */
  readonly isOffered?: boolean
}

type Stage<A> =
  | { readonly name: "closed" | "asking" | "sending" }
  | { readonly name: "failed"; readonly error: Error; readonly curl: string | undefined }
  | { readonly name: "done"; readonly answer: A; readonly curl: string | undefined }

/** Whether a refusal was decided: what is sent after it is another request, with a key of its own. */
const isDecided = (error: Error): boolean =>
  isCountersignError(error) && error.status !== undefined && error.status < 500 && ![408, 429].includes(error.status) &&
  error.code !== "IDEMPOTENCY_IN_FLIGHT"

/** What has happened, which has the focus from the form that went. */
const Outcome = ({ children }: { readonly children: ComponentChildren }) => {
  const outcome = useRef<HTMLDivElement>(null)
  useEffect(() => outcome.current?.focus(), [])
  return <div ref={outcome} class="outcome" tabIndex={-1}>{children}</div>
}

/**
 * A write: a button that asks once, says what will happen, and then what has happened, with the curl of it. Nothing is
 * shown as done before the service has said so. The idempotency key stays the same until the service has decided, so that
 * a second try cannot do it twice. The button is hidden without the scope.
 */
export function Action<A>(
  {
    asksWhy = false,
    done,
    fields,
    isOffered = true,
    isReady = true,
    label,
    onDone,
    perform,
    says,
    scope,
    small = false,
    typed,
    weight = "plain"
  }: ActionProps<A>
) {
  const [stage, setStage] = useState<Stage<A>>({ name: "closed" })
  const [entered, setEntered] = useState("")
  const [why, setWhy] = useState("")
  const key = useRef("")
  // What was typed stays, also where somebody goes on with a token that may less.
  if (!may(scope) && stage.name === "closed") return null

  const open = () => {
    key.current = newKey()
    setEntered("")
    setWhy("")
    setStage({ name: "asking" })
  }
  const close = () => {
    if (stage.name === "sending") return
    setStage({ name: "closed" })
    if (stage.name === "done") onDone?.()
  }
  const send = async () => {
    setStage({ name: "sending" })
    const { last, send } = recorder()
    const curl = () => {
      const sent = last()
      return sent === undefined ? undefined : curlOf(sent)
    }
    try {
      const said = why.trim() === "" ? {} : { reason: why.trim() }
      const options = { idempotencyKey: key.current, ...said }
      const answer = await ask((client) => perform(client, options, said), send)
      setStage({ name: "done", answer, curl: curl() })
    } catch (cause) {
      const error = errorOf(cause)
      if (isDecided(error)) key.current = newKey()
      setStage({ name: "failed", error, curl: curl() })
    }
  }
  const isHeld = typed !== undefined && entered.trim() !== typed
  const shown = stage.name === "done" || stage.name === "failed" ? stage.curl : undefined
  const curl = shown === undefined ? null : (
    <details class="more">
      <summary>Show as curl</summary>
      <Copy label="curl command" text={shown} />
    </details>
  )
  return (
    <>
      {isOffered ? <Button weight={weight} small={small} onClick={open}>{label}</Button> : null}
      {stage.name === "closed" ? null : (
        <Dialog title={label} onClose={close}>
          {stage.name === "done"
            ? (
              <>
                <Outcome>
                  <Note tone="good" title="Done">
                    <div>{done(stage.answer)}</div>
                  </Note>
                </Outcome>
                {curl}
                <div class="actions">
                  <CloseButton onClose={close} />
                </div>
              </>
            )
            : (
              <form
                onSubmit={(event) => {
                  event.preventDefault()
                  if (!isHeld && isReady && stage.name !== "sending") void send()
                }}
                class="stack wide"
              >
                <div>{says}</div>
                {fields}
                {asksWhy
                  ? (
                    <TextField
                      label="Reason (optional)"
                      value={why}
                      onChange={setWhy}
                      hint="Recorded in the activity log"
                      maxLength={500}
                      autocomplete="off"
                    />
                  )
                  : null}
                {typed === undefined ? null : (
                  <TextField
                    label={`Type ${typed} to confirm`}
                    value={entered}
                    onChange={setEntered}
                    autocomplete="off"
                  />
                )}
                {stage.name === "failed" ? <Failure error={stage.error} /> : null}
                {curl}
                <div class="actions">
                  <Button onClick={close}>Cancel</Button>
                  <Button
                    type="submit"
                    weight={weight.startsWith("danger") ? "danger main" : "main"}
                    disabled={isHeld || !isReady}
                    isBusy={stage.name === "sending"}
                  >
                    {stage.name === "sending" ? "Working…" : label}
                  </Button>
                </div>
              </form>
            )}
        </Dialog>
      )}
    </>
  )
}
