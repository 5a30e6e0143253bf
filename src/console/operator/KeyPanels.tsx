import { consequenceOf } from "../../client/api/Consequence.ts"
import type { ApiKey, SigningKey } from "../../client/api/index.ts"
import { State } from "../design/Badge.tsx"
import { Id } from "../design/Copy.tsx"
import { Note } from "../design/Feedback.tsx"
import { Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { currentTime, Day, Time } from "../design/Time.tsx"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import type { Pages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { Action } from "../session/Action.tsx"
import { identity, isLimited, may } from "../session/Session.ts"

/** A year, in milliseconds. */
const year = 365 * 86_400_000

/** How many keys are loaded at a time. */
const some = 20

/** Whether a key has signed for longer than a year. */
const isOld = ({ created_at, status }: SigningKey): boolean =>
  status === "active" && currentTime() - Date.parse(created_at) > year

/** Whether the token may see the signing keys, which are of all products. */
export const maySeeSigningKeys = (): boolean => may("admin") && !isLimited()

/** Asks for the signing keys, where the token may. */
export const useSigningKeys = (): Pages<SigningKey> =>
  usePages<SigningKey>(
    "signing keys",
    (client, page, signal) => client.signingKeys.list({ limit: some, ...page }, { signal }),
    [],
    { when: maySeeSigningKeys() }
  )

/** Asks for the API keys, where the token may. */
export const useManagementKeys = (): Pages<ApiKey> =>
  usePages<ApiKey>(
    "API keys",
    (client, page, signal) => client.apiKeys.list({ limit: some, ...page }, { signal }),
    [],
    { when: may("admin") }
  )

/** The keys that sign answers, checkpoints and manifests. */
export const SigningKeysPanel = ({ of }: { readonly of: Pages<SigningKey> }) => {
  const active = of.rows?.find(({ status }) => status === "active")
  return (
    <Panel
      title="Signing keys"
      flush
      whole
      aside={
        <Action
          label="Rotate key"
          asksWhy
          small
          weight="danger"
          scope="admin"
          typed="rotate"
          says={consequenceOf("rotateSigningKey")}
          perform={(client, options) => client.signingKeys.rotate(options)}
          done={({ kid }) => (
            <span>
              <code>{kid}</code> is now the active key.
            </span>
          )}
          onDone={of.reload}
        />
      }
      footer={<More of={of} />}
    >
      {active !== undefined && isOld(active)
        ? (
          <Note tone="warn" title="Active key older than one year">
            Rotate it once all apps in use fetch public keys or include the next one.
          </Note>
        )
        : null}
      <Rows of={of} lines={2} empty={null}>
        {(keys) => (
          <Table
            label="Signing keys"
            rows={keys}
            keyOf={({ kid }) => kid}
            columns={[
              { name: "Key", cell: ({ kid }) => <Id of={kid} /> },
              { name: "Status", cell: ({ status }) => <State of={status} /> },
              {
                name: "Created",
                cell: ({ created_at }) => (
                  <>
                    <Day at={created_at} />{" "}
                    <span class="quiet">
                      (<Time at={created_at} />)
                    </span>
                  </>
                )
              },
              {
                name: "Ended",
                cell: ({ retired_at, revoked_at }) =>
                  retired_at === undefined && revoked_at === undefined ? null : <Day at={revoked_at ?? retired_at} />
              }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}

const isExpired = ({ expires_at }: ApiKey): boolean =>
  expires_at !== undefined && Date.parse(expires_at) <= currentTime()

const stateOf = (key: ApiKey): string => key.is_active ? "active" : isExpired(key) ? "expired" : "revoked"

/** The credentials of this API, other than the first one. */
export const ManagementKeysPanel = ({ of }: { readonly of: Pages<ApiKey> }) => {
  return (
    <Panel title="API keys" flush whole footer={<More of={of} />}>
      <Rows
        of={of}
        empty={
          <p class="empty">
            No API keys. Everyone uses the admin token. Create one key per person or program so you can revoke each
            separately.
          </p>
        }
      >
        {(keys) => (
          <Table
            label="API keys"
            rows={keys}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Key",
                cell: ({ key_prefix, name }) => (
                  <span class="two">
                    <span class="row">
                      <bdi class="strong clip">{name}</bdi>
                      {identity.value?.key_prefix === key_prefix ? <span class="tiny quiet">this token</span> : null}
                    </span>
                    <code class="tiny quiet">{key_prefix}…</code>
                  </span>
                )
              },
              { name: "Status", cell: (key) => <State of={stateOf(key)} /> },
              {
                name: "Scopes",
                cell: ({ product_ids, scopes }) => (
                  <span class="two">
                    <span class="small clip scopes" title={scopes.join(", ")}>{scopes.join(", ")}</span>
                    {product_ids === undefined
                      ? null
                      : (
                        <span class="tiny quiet" title={product_ids.join(", ")}>
                          limited to {product_ids.length === 1 ? "1 product" : `${product_ids.length} products`}
                        </span>
                      )}
                  </span>
                )
              },
              {
                name: "Last used",
                cell: ({ last_used_at }) =>
                  last_used_at === undefined ? <span class="quiet">never used</span> : <Time at={last_used_at} />
              },
              {
                name: "Expires",
                cell: ({ expires_at }) =>
                  expires_at === undefined ? <span class="quiet">never expires</span> : <Day at={expires_at} />
              },
              {
                name: "",
                cell: ({ id, is_active, key_prefix, name }) => (
                  <span class="row ends">
                    <Action
                      label="Revoke"
                      asksWhy
                      small
                      weight="danger"
                      isOffered={is_active}
                      scope="admin"
                      typed={key_prefix}
                      says={
                        <>
                          <bdi class="strong">{name}</bdi>: {consequenceOf("revokeAPIKey")}
                          {identity.value?.key_prefix === key_prefix
                            ? " You are signed in with this key."
                            : ""}
                        </>
                      }
                      perform={(client, options) => client.apiKeys.revoke(id, options)}
                      done={() => (
                        <span>
                          <bdi class="strong">{name}</bdi> revoked.
                        </span>
                      )}
                      onDone={of.reload}
                    />
                  </span>
                )
              }
            ]}
          />
        )}
      </Rows>
    </Panel>
  )
}
