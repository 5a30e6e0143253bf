import { consequenceOf } from "../../client/api/Consequence.ts"
import type { ApiKey } from "../../client/api/index.ts"
import { Badge, State } from "../ground/design/Badge.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Choice } from "../ground/design/Field.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { currentTime, momentOf, Time } from "../ground/design/Time.tsx"
import { oneOf, useFilters } from "../ground/lists/Filters.ts"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { SearchField } from "../ground/lists/SearchField.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { identity } from "../ground/session/Session.ts"
import { useTitle } from "../ground/session/Title.ts"
import { KeyOnce, NewKey } from "./NewKey.tsx"
import { lineOf } from "./rights/Areas.ts"
import { productsLine, useProductNames } from "./rights/ProductsField.tsx"
import { endOf, isForgotten, lifetimes, limitsLine, makerOf, stateOf } from "./UseCases.ts"

interface ActionsProps {
  readonly of: ApiKey
  readonly onChange: () => void
}

/** Whether a key is the one that the caller is signed in with. */
const isOwnKey = ({ id }: ApiKey): boolean => identity.value?.id === id

/** How long the previous key works on, in minutes. */
const overlaps: ReadonlyArray<readonly [string, string]> = [
  ["0", "At once"],
  ["60", "In an hour"],
  ["1440", "In 24 hours"],
  ["10080", "In 7 days"],
  ["43200", "In 30 days"]
]

/** Replaces a key by a new one with the same rights. */
const RotateKey = ({ of: { expires_at, id, is_active, name }, onChange }: ActionsProps) => {
  const draft = useDraft(`rotation ${id}`, { overlap: "1440", lifetime: "same" })
  const { lifetime, overlap } = draft.values
  const same = expires_at === undefined ? "As now: never" : `As now: ${momentOf(expires_at)}`
  return (
    <Action
      label="Rotate"
      draft={draft}
      about={id}
      small
      isOffered={is_active}
      scope="admin"
      says={
        <>
          <bdi class="strong">{name}</bdi>: a new key with the same rights is shown once. Both work until the previous
          one ends.
        </>
      }
      fields={
        <div class="filters">
          <Choice
            label="The previous key ends"
            value={overlap}
            options={overlaps}
            onChange={(overlap) => draft.set({ overlap })}
          />
          <Choice
            label="The new key ends"
            path="expires_at"
            value={lifetime}
            options={[["same", same], ...lifetimes]}
            onChange={(lifetime) => draft.set({ lifetime })}
          />
        </div>
      }
      secondLook="rotate_api_key"
      perform={(client, options, reason) =>
        client.apiKeys.rotate(id, {
          overlap_minutes: Number(overlap),
          ...(lifetime === "same" ? {} : { expires_at: endOf(lifetime, currentTime()) ?? null }),
          ...reason
        }, options)}
      done={({ api_key, previous, token }) => (
        <div class="stack">
          <KeyOnce name={api_key.name} token={token} />
          <span class="small">
            {previous.is_active && previous.expires_at !== undefined
              ? `The previous key works until ${momentOf(previous.expires_at)}.`
              : "The previous key has ended."}
          </span>
        </div>
      )}
      onDone={onChange}
    />
  )
}

/** Ends a key for good. */
const RevokeKey = ({ of, onChange }: ActionsProps) => (
  <Action
    label="Revoke"
    asksWhy="api_key.revoked"
    about={of.id}
    small
    weight="danger"
    isOffered={of.is_active}
    scope="admin"
    typed={of.key_prefix}
    says={
      <>
        <bdi class="strong">{of.name}</bdi>: {consequenceOf("revokeAPIKey")}
        {isOwnKey(of) ? " You are signed in with this key." : ""}
      </>
    }
    perform={(client, options) => client.apiKeys.revoke(of.id, options)}
    done={() => (
      <span>
        <bdi class="strong">{of.name}</bdi> revoked.
      </span>
    )}
    onDone={onChange}
  />
)

const states = [["true", "Active"], ["false", "Ended"], ["", "All"]] as const

/** A key that works is shown first: the filter of the page is that, unless its address has another one. */
const usual = "true"

const columns: ReadonlyArray<Column<ApiKey>> = [
  {
    name: "Name",
    cell: (key) => (
      <span class="two">
        <span class="row">
          <bdi class="strong clip">{key.name}</bdi>
          {isOwnKey(key) ? <span class="tiny quiet">this token</span> : null}
        </span>
        <code class="tiny quiet">{key.key_prefix}…</code>
      </span>
    )
  },
  {
    name: "Made by",
    cell: (key) => <bdi class="clip">{makerOf(key)}</bdi>
  },
  {
    name: "May",
    cell: (key) => {
      const limits = limitsLine(key, productsLine(key.product_ids))
      return (
        <span class="two" style={{ maxWidth: "18rem" }}>
          <span class="small clip" title={key.scopes.join(", ")}>{lineOf(key.scopes)}</span>
          {limits === undefined
            ? null
            : <bdi class="tiny quiet clip" title={key.allowed_cidrs.join(", ")}>limited to {limits}</bdi>}
        </span>
      )
    }
  },
  {
    name: "Last used",
    cell: (key) => (
      <span class="two">
        {key.last_used_at === undefined ? <span class="quiet">never used</span> : <Time at={key.last_used_at} />}
        {isForgotten(key, currentTime()) ? <Badge tone="warn">unused for 90 days</Badge> : null}
      </span>
    )
  },
  {
    name: "Ends",
    label: "Ends",
    cell: (key) =>
      !key.is_active ? <State of={stateOf(key, currentTime())} /> : key.expires_at === undefined
        ? <span class="quiet">never</span>
        : <Time at={key.expires_at} />
  }
]

/** The keys by which programs call the service. */
export const KeysPage = () => {
  const { query, set, setTyped } = useFilters()
  useTitle("API keys")
  useProductNames()
  const q = query["q"] ?? ""
  const shown = query["active"] === "all" ? "" : oneOf(query["active"], states) ?? usual
  const pages = usePages<ApiKey>(
    "API keys",
    (client, page, signal) =>
      client.apiKeys.list({
        limit: 50,
        ...(q === "" ? {} : { q }),
        ...(shown === "" ? {} : { is_active: shown === "true" }),
        ...page
      }, { signal }),
    [q, shown]
  )
  return (
    <main class="page" id="main">
      <header>
        <h1>API keys</h1>
        <NewKey onChange={pages.reload} />
      </header>
      <div class="filters" role="search" aria-label="Filters">
        <SearchField label="Name or beginning of the key" value={q} onSettled={(q) => setTyped({ q })} />
        <Choice
          label="Status"
          value={shown}
          options={states}
          onChange={(active) => set({ active: active === "" ? "all" : active === usual ? "" : active })}
        />
      </div>
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          lines={8}
          empty={q === "" && shown !== "false"
            ? (
              <Empty title="No API keys">
                Make one key for each program, so that each can be revoked alone.
              </Empty>
            )
            : <Empty title="No matching keys">Search takes a part of the name, or the beginning of the key.</Empty>}
        >
          {(rows) => (
            <Table
              label="API keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                ...columns,
                {
                  name: "",
                  cell: (key) => (
                    <span class="row ends">
                      <RotateKey of={key} onChange={pages.reload} />
                      <RevokeKey of={key} onChange={pages.reload} />
                    </span>
                  )
                }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </main>
  )
}
