import type { Device, FloatingLease } from "../../client/api/index.ts"
import { State } from "../design/Badge.tsx"
import { Empty } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Meter, Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { Time } from "../design/Time.tsx"
import { Action } from "../session/Action.tsx"
import type { Loaded } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"

const nameOf = ({ binding_key, fingerprint, hostname, pod_name }: Device): string =>
  hostname ?? pod_name ?? fingerprint ?? binding_key

interface SeatsProps {
  readonly licenseId: string
  readonly devices: Loaded<ReadonlyArray<Device>>
  readonly leases: Loaded<ReadonlyArray<FloatingLease>>
  readonly taken: number
  readonly most: number
  readonly floating: number | undefined
  readonly onChange: () => void
}

/** Who has a seat of the license, with what takes it back. */
export const Seats = ({ devices, floating, leases, licenseId, most, onChange, taken }: SeatsProps) => (
  <>
    <Panel
      title="Devices"
      flush
      aside={<span class="small quiet">{count(taken)} of {most < 0 ? "any number" : count(most)} taken</span>}
    >
      {most > 0
        ? (
          <div style={{ padding: "var(--s3) var(--s4) 0" }}>
            <Meter label="Devices" value={taken} of={most} />
          </div>
        )
        : null}
      <Loading of={devices}>
        {(rows) =>
          rows.length === 0
            ? <Empty title="No device yet">The first activation of an app takes a seat here.</Empty>
            : (
              <Table
                label="Devices"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "Device",
                    cell: (device) => (
                      <span class="two">
                        <bdi class="strong clip">{nameOf(device)}</bdi>
                        <span class="small quiet clip">
                          {[device.os, device.ip_address].filter(Boolean).join(" · ") || device.id}
                        </span>
                      </span>
                    )
                  },
                  { name: "State", cell: ({ status }) => <State of={status} /> },
                  {
                    name: "Last seen",
                    cell: ({ last_seen_at }) => (
                      <span class="quiet">
                        <Time at={last_seen_at} />
                      </span>
                    )
                  },
                  {
                    name: "",
                    cell: (device) => (
                      <span class="row" style={{ justifyContent: "flex-end" }}>
                        {device.status === "active" || device.status === "blacklisted"
                          ? (
                            <Action
                              label="Reset"
                              small
                              scope="device:write"
                              says={
                                <>
                                  The seat of <bdi class="strong">{nameOf(device)}</bdi>{" "}
                                  becomes free{device.status === "blacklisted" ? " and the block is lifted" : ""}. The
                                  device may come back by activating again.
                                </>
                              }
                              perform={(client, options) => client.licenses.resetDevice(licenseId, device.id, options)}
                              done={() => "The seat is free."}
                              onDone={onChange}
                            />
                          )
                          : null}
                        {device.status === "blacklisted" ? null : (
                          <Action
                            label="Block"
                            small
                            weight="danger"
                            scope="device:write"
                            says={
                              <>
                                <bdi class="strong">{nameOf(device)}</bdi>{" "}
                                loses its seat and is refused from its next call on, until somebody resets it.
                              </>
                            }
                            perform={(client, options) =>
                              client.licenses.blacklistDevice(licenseId, device.id, options)}
                            done={() => "The device is blocked."}
                            onDone={onChange}
                          />
                        )}
                      </span>
                    )
                  }
                ]}
              />
            )}
      </Loading>
    </Panel>
    {floating === undefined ? null : (
      <Panel
        title="Floating seats"
        flush
        aside={<span class="small quiet">{count(leases.data?.length ?? 0)} of {count(floating)} taken</span>}
      >
        <Loading of={leases}>
          {(rows) =>
            rows.length === 0 ? <Empty title="No seat is taken now" /> : (
              <Table
                label="Floating seats"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "Device",
                    cell: ({ device_id }) => {
                      const device = devices.data?.find(({ id }) => id === device_id)
                      return <bdi class="strong clip">{device === undefined ? device_id : nameOf(device)}</bdi>
                    }
                  },
                  { name: "State", cell: ({ status }) => <State of={status} /> },
                  { name: "Since", cell: ({ checked_out_at }) => <Time at={checked_out_at} /> },
                  { name: "Until", cell: ({ expires_at }) => <Time at={expires_at} /> },
                  {
                    name: "",
                    cell: ({ id }) => (
                      <Action
                        label="Release"
                        small
                        scope="license:write"
                        says="The seat becomes free at once. The app that holds it learns so at its next heartbeat."
                        perform={(client, options) => client.licenses.releaseLease(licenseId, id, options)}
                        done={() => "The seat is free."}
                        onDone={onChange}
                      />
                    )
                  }
                ]}
              />
            )}
        </Loading>
      </Panel>
    )}
  </>
)
