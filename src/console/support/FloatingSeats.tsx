import { consequenceOf } from "../../client/api/Consequence.ts"
import type { Device, FloatingLease } from "../../client/api/index.ts"
import { Empty } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Meter, Panel } from "../design/Panel.tsx"
import { Table } from "../design/Table.tsx"
import { Time } from "../design/Time.tsx"
import { Action } from "../session/Action.tsx"
import type { Loaded } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { deviceNameOf } from "./Devices.tsx"

interface FloatingSeatsProps {
  readonly licenseId: string
  readonly leases: Loaded<ReadonlyArray<FloatingLease>>
  /** The devices that are loaded, to name the holders. */
  readonly devices: ReadonlyArray<Device>
  readonly most: number
  readonly onChange: () => void
}

/** The floating seats that are taken now, by whom, and until when. */
export const FloatingSeats = ({ devices, leases, licenseId, most, onChange }: FloatingSeatsProps) => {
  const taken = leases.data?.length ?? 0
  return (
    <Panel
      title="Floating seats"
      flush
      aside={<span class="small quiet">{count(taken)} of {count(most)} seats in use</span>}
    >
      {taken > 0
        ? (
          <div class="above">
            <Meter label="Floating seats in use" value={taken} of={most} />
          </div>
        )
        : null}
      <Loading of={leases}>
        {(rows) =>
          rows.length === 0 ? <Empty title="No floating seats in use" /> : (
            <Table
              label="Floating seats"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "Device",
                  cell: ({ device_id, process_id }) => {
                    const device = devices.find(({ id }) => id === device_id)
                    return (
                      <span class="two">
                        <bdi class="strong clip">{device === undefined ? device_id : deviceNameOf(device)}</bdi>
                        {process_id === undefined ? null : <bdi class="small quiet clip">Process {process_id}</bdi>}
                      </span>
                    )
                  }
                },
                {
                  name: "Since",
                  cell: ({ checked_out_at }) => (
                    <span class="quiet">
                      <Time at={checked_out_at} />
                    </span>
                  )
                },
                {
                  name: "Until",
                  cell: ({ expires_at }) => (
                    <span class="quiet">
                      <Time at={expires_at} />
                    </span>
                  )
                },
                {
                  name: "",
                  cell: ({ id }) => (
                    <span class="row ends">
                      <Action
                        label="Release"
                        asksWhy
                        small
                        scope="license:write"
                        says={consequenceOf("releaseLicenseLease")}
                        perform={(client, options) => client.licenses.releaseLease(licenseId, id, options)}
                        done={() => "Seat released."}
                        onDone={onChange}
                      />
                    </span>
                  )
                }
              ]}
            />
          )}
      </Loading>
    </Panel>
  )
}
