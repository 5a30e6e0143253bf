import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Approval } from "../../../client/api/index.ts"
import { visibleLine } from "../../../client/api/VisibleText.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { currentTime, Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { recountAwaiting } from "../../ground/session/Load.ts"
import { soonText } from "../../ground/session/SecondLook.tsx"
import { identity, may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { ApprovalAnswer } from "./ApprovalAnswer.tsx"
import { ApprovalSubject } from "./ApprovalSubject.tsx"
import { bodyLines, hasSecret, operationText } from "./ApprovalWords.ts"
import { TeamTabs } from "./TeamTabs.tsx"

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
