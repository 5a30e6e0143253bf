import { useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Approval, Countersign } from "../../../client/api/index.ts"
import { visibleLine } from "../../../client/api/Texts.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Named, SecretOnce } from "../../ground/design/Copy.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { currentTime, Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { usePages } from "../../ground/lists/Pages.ts"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { sendingBody } from "../../ground/requests/Sent.ts"
import { Action } from "../../ground/session/Action.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { recountAwaiting, useLoad } from "../../ground/session/Load.ts"
import { soonText } from "../../ground/session/SecondLook.tsx"
import { ask, errorOf, identity, may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { bodyLines, hasSecret, operationText, placeOf } from "./ApprovalWords.ts"
import { LinkOnce } from "./Invite.tsx"
import { TeamTabs } from "./TeamTabs.tsx"

/** The request once more, under the ID of its approval: it is answered as it was, and not done again. */
const answerOf = async (client: Countersign, { id, operation, params: { id: of = "" } }: Approval) => {
  const again = { idempotencyKey: id }
  switch (operation) {
    case "rotateLicenseKey":
      return { label: "New license key", text: (await client.licenses.rotateKey(of, {}, again)).license_key }
    case "createAPIKey":
      return { label: "API key", text: (await client.apiKeys.create({ name: "" }, again)).token }
    case "rotateAPIKey":
      return { label: "API key", text: (await client.apiKeys.rotate(of, {}, again)).token }
    case "invitePerson":
      return { invitation: await client.people.invite(of, again) }
    default: {
      const endpoint = await client.webhooks.update(of, {}, again)
      return { label: "Signing secret", text: "secret" in endpoint ? endpoint.secret : "" }
    }
  }
}

/** Shows the secret of what was approved to whoever asked. */
const ApprovalAnswer = ({ of }: { readonly of: Approval }) => {
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof answerOf>>>()
  const [error, setError] = useState<Error>()
  const take = () => {
    setError(undefined)
    ask((client) => answerOf(client, of), sendingBody(of.body)).then(
      setAnswer,
      (cause: unknown) => setError(errorOf(cause))
    )
  }
  if (answer !== undefined) {
    return answer.invitation === undefined
      ? <SecretOnce label={answer.label} text={answer.text} />
      : <LinkOnce name="the invited person" of={answer.invitation} />
  }
  return (
    <>
      <span class="row wraps">
        <Button small weight="main" onClick={take}>Show the secret</Button>
        <span class="small quiet">For a day, and only to you.</span>
      </span>
      {error === undefined ? null : <Failure error={error} onRetry={take} />}
    </>
  )
}

type Ask = (client: Countersign, id: string, signal: AbortSignal) => Promise<string>

const licenseName: Ask = async (client, id, signal) => {
  const license = await client.licenses.get(id, { include_names: true }, { signal })
  return [ownerOf(license), license.names?.policy].filter((part) => part !== undefined).join(" · ")
}

const customerName: Ask = async (client, id, signal) => (await client.customers.get(id, { signal })).name

const personName: Ask = async (client, id, signal) => (await client.people.get(id, { signal })).name

/** The question for the name of what a request is about; undefined where it has none, or the person may not ask. */
const askOf = (id: string): Ask | undefined =>
  id.startsWith("lic_") && may("license:read")
    ? licenseName
    : id.startsWith("cus_") && may("customer:read")
    ? customerName
    : id.startsWith("per_") && may("people:read")
    ? personName
    : undefined

/** The thing that a request is about, by its name where it has one. */
const ApprovalSubject = ({ id, of }: { readonly id: string; readonly of: Approval }) => {
  const ask = askOf(id)
  const { data, error } = useLoad(async (client, signal) => ask?.(client, id, signal), [id], {
    when: ask !== undefined
  })
  // The line of the name is there from the start, so that nothing below moves when it comes.
  const coming = ask === undefined || error !== undefined ? undefined : "…"
  return <Named id={id} name={data ?? coming} href={placeOf(of)} />
}

/** How long the answer of what was approved is kept, in milliseconds. */
const answerKept = 86_400_000

const isMine = ({ requested_by }: Approval): boolean => requested_by.id === identity.value?.id

/** The decision about a request: by another person, or its cancellation by whoever asked. */
const Decision = ({ of, onChange }: { readonly of: Approval; readonly onChange: () => void }) => {
  const what = (
    <>
      <bdi class="strong">{visibleLine(of.requested_by.name ?? "")}</bdi>: {operationText(of)}.
    </>
  )
  const reason = of.reason === undefined ? null : (
    <p class="quiet">
      Reason: <bdi>{visibleLine(of.reason)}</bdi>
    </p>
  )
  return isMine(of)
    ? (
      <Action
        label="Cancel request"
        small
        says={consequenceOf("cancelApproval")}
        perform={(client, options) => client.approvals.cancel(of.id, options)}
        done={() => "The request was canceled."}
        onDone={onChange}
      />
    )
    : (
      <>
        <Action
          label="Approve"
          small
          weight="main"
          asksWhy
          needsWhy
          says={<>{what} {consequenceOf("approveApproval")}{reason}</>}
          perform={(client, { idempotencyKey, reason = "" }) =>
            client.approvals.approve(of.id, { reason }, { idempotencyKey })}
          done={() => "Approved and done."}
          onDone={onChange}
        />
        <Action
          label="Decline"
          small
          asksWhy
          needsWhy
          says={<>{what} {consequenceOf("declineApproval")}{reason}</>}
          perform={(client, { idempotencyKey, reason = "" }) =>
            client.approvals.decline(of.id, { reason }, { idempotencyKey })}
          done={() => "The request was declined."}
          onDone={onChange}
        />
      </>
    )
}

/** Whether a state says what the second person has decided; otherwise what was approved has begun, and is not finished. */
const isDecision = (state: Approval["state"]): boolean => state === "approved" || state === "declined"

const Outcome = ({ of }: { readonly of: Approval }) => {
  const { decided_at, decided_by, decision_reason, failure, state } = of
  const isFresh = decided_at !== undefined && currentTime() - Date.parse(decided_at) < answerKept
  return (
    <>
      {failure === undefined ? null : (
        <Note tone="bad" title="Could not be done">
          <span>{failure.message} The request waits on.</span>
        </Note>
      )}
      {decided_by === undefined ? null : (
        <span class="small">
          <bdi class="strong">{visibleLine(decided_by.name ?? "")}</bdi>{" "}
          {isDecision(state) ? state : "approved, not finished"}: <bdi>{visibleLine(decision_reason ?? "")}</bdi>
        </span>
      )}
      {state === "approved" && isMine(of) && isFresh && hasSecret(of) ? <ApprovalAnswer of={of} /> : null}
    </>
  )
}

const Card = ({ mayDecide, of, onChange }: {
  readonly of: Approval
  readonly mayDecide: boolean
  readonly onChange: () => void
}) => {
  const { created_at, expires_at, params, reason, requested_by, state } = of
  return (
    <Panel
      title={operationText(of)}
      aside={
        <span class="row wraps">
          <State of={state} />
          {state === "pending" && (mayDecide || isMine(of)) ? <Decision of={of} onChange={onChange} /> : null}
        </span>
      }
    >
      <span>
        <bdi class="strong">{visibleLine(requested_by.name ?? "")}</bdi>{" "}
        (<bdi>{visibleLine(requested_by.roles?.join(", ") ?? "")}</bdi>): <bdi>{visibleLine(reason ?? "")}</bdi>
      </span>
      <Facts
        of={[
          ["On", params["id"] && <ApprovalSubject id={params["id"]} of={of} />],
          ...bodyLines(of).map(([name, value]) => [name, <bdi class="wrap">{value}</bdi>] as const),
          ["Asked", <Time at={created_at} />],
          ["Waits until", state === "pending" ? soonText(expires_at) : undefined]
        ]}
      />
      <Outcome of={of} />
    </Panel>
  )
}

const Cards = ({ empty, mayDecide, next, of, onChange }: {
  readonly of: Pages<Approval>
  readonly mayDecide: boolean
  readonly onChange: () => void
  readonly empty: string
  /** The way of the first one to here. */
  readonly next?: string
}) => (
  <>
    <Rows of={of} lines={4} empty={<Empty title={empty}>{next}</Empty>}>
      {(rows) => (
        <div class="stack">
          {rows.map((row) => (
            <Card
              key={`${row.id} ${row.state}`}
              of={row}
              mayDecide={mayDecide}
              onChange={onChange}
            />
          ))}
        </div>
      )}
    </Rows>
    <More of={of} />
  </>
)

/** Requests that wait for a second person: those that wait for this one, and all others that he or she sees. */
export const ApprovalsPage = () => {
  useTitle("Approvals")
  const isPerson = identity.value?.kind === "person"
  const awaiting = usePages<Approval>(
    "awaiting approvals",
    (client, page, signal) => client.approvals.list({ awaiting_me: true, limit: 50, ...page }, { signal }),
    [],
    { when: isPerson }
  )
  const all = usePages<Approval>(
    "approvals",
    (client, page, signal) => client.approvals.list({ limit: 50, ...page }, { signal }),
    []
  )
  const others = all.rows?.filter(({ id }) => awaiting.rows?.some((row) => row.id === id) !== true)
  // Where nobody has asked for anything, it is said once.
  const isNothing = isPerson && awaiting.rows?.length === 0 && others?.length === 0 && !all.hasMore
  const onChange = () => {
    awaiting.reload()
    all.reload()
    recountAwaiting()
  }
  return (
    <main class="page" id="main">
      <header>
        <h1>Approvals</h1>
      </header>
      {may("people:read") ? <TeamTabs /> : null}
      {isPerson
        ? (
          <Cards
            of={awaiting}
            mayDecide
            onChange={onChange}
            empty="No request waits for you"
            next="Colleagues whose role needs a second person ask for one where they act."
          />
        )
        : <Note>Only people approve. Sign in as a person to decide.</Note>}
      {isNothing ? null : (
        <>
          <h2>{isPerson ? "Other requests" : "All requests"}</h2>
          <Cards
            of={others === undefined ? all : { ...all, rows: others }}
            mayDecide={false}
            onChange={onChange}
            empty={isPerson ? "No other requests" : "No requests"}
          />
        </>
      )}
    </main>
  )
}
