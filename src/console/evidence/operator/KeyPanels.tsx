import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { SigningKey } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { currentTime, Day, Time } from "../../ground/design/Time.tsx"
import { More } from "../../ground/lists/More.tsx"
import { usePages } from "../../ground/lists/Pages.ts"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { isLimited, may } from "../../ground/session/Session.ts"

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
          secondLook="rotate_signing_key"
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
