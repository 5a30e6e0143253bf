import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Environment } from "../../../client/api/index.ts"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { momentOf } from "../../ground/design/Time.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { environment, isBesideLive, showEnvironment } from "../../ground/session/Environment.ts"
import { beginVisit, identity, isLimited, signOut } from "../../ground/session/Session.ts"
import { forgetCheckpoint } from "./Checkpoint.ts"
import { clockMoves, clockMoveView } from "./ClockMove.ts"

/** The timeout of a move and of a reset, in milliseconds: years of due work happen before the answer. */
const patience = 600_000

const aMonth = { by: "P1M", date: "" }

const MoveClock = ({ of }: { readonly of: Environment }) => {
  const draft = useDraft("clock", aMonth)
  const { by, date } = draft.values
  const { asksDate, request, wrong } = clockMoveView({ by, date }, of.now)
  return (
    <Action
      label="Move clock"
      small
      scope="admin"
      says={consequenceOf("moveEnvironmentClock")}
      fields={
        <div class="filters">
          <Choice label="Move clock by" value={by} onChange={(by) => draft.set({ by })} options={clockMoves} />
          {asksDate
            ? (
              <TextField
                label="Date"
                type="date"
                value={date}
                onChange={(date) => draft.set({ date })}
                wrong={wrong}
                hint="Start of the day in UTC"
                required
              />
            )
            : null}
        </div>
      }
      draft={draft}
      isReady={request !== undefined}
      perform={async (client, options) => {
        const moved = await client.environment.moveClock(request ?? {}, { ...options, timeoutMs: patience })
        showEnvironment({ ...of, now: moved.now, clock_moved: true })
        return moved
      }}
      done={({ events, now }) => `${some(events, "event")} happened. The clock is at ${momentOf(now)}.`}
      onDone={beginVisit}
    />
  )
}

const Reset = ({ of }: { readonly of: Environment }) => {
  const isDeletedToo = identity.value?.kind === "management_key"
  return (
    <Action
      label="Reset"
      small
      weight="danger"
      scope="admin"
      typed={of.name}
      says={`${consequenceOf("resetEnvironment")}${
        isDeletedToo ? " Your API key is deleted too: sign in with the admin token afterwards." : ""
      }`}
      perform={async (client, options) => {
        const fresh = await client.environment.reset({ ...options, timeoutMs: patience })
        forgetCheckpoint()
        showEnvironment(fresh)
        if (isDeletedToo) signOut(`The ${of.name} environment was reset, and your API key was deleted with it.`)
        return fresh
      }}
      done={() => `The ${of.name} environment is empty.`}
      onDone={beginVisit}
    />
  )
}

/** The clock of an environment other than live, and the button that empties it. The live one has neither. */
export const EnvironmentPanel = () => {
  const of = environment.value
  if (of === undefined || !isBesideLive()) return null
  return (
    <Panel
      title="Environment"
      aside={isLimited() ? null : (
        <span class="row">
          <MoveClock of={of} />
          <Reset of={of} />
        </span>
      )}
    >
      <Facts
        of={[
          ["Name", of.name],
          ["Clock", of.clock_moved ? momentOf(of.now) : "real time"]
        ]}
      />
    </Panel>
  )
}
