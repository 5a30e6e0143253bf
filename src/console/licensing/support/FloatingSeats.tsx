import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Device, FloatingLease } from "../../../client/api/index.ts"
import { Empty } from "../../ground/design/Feedback.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { deviceNameOf } from "../../ground/lists/DeviceName.ts"
import { Action } from "../../ground/session/Action.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { SeatsPanel } from "./Devices.tsx"

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
    <SeatsPanel title="Floating seats" label="Floating seats in use" taken={taken} most={most}>
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
                      <TwoLines
                        first={device === undefined ? device_id : deviceNameOf(device)}
                        second={process_id && `Process ${process_id}`}
                      />
                    )
                  }
                },
                {
                  name: "Since",
                  cell: ({ checked_out_at }) => <Time at={checked_out_at} isQuiet />
                },
                {
                  name: "Until",
                  cell: ({ expires_at }) => <Time at={expires_at} isQuiet />
                },
                {
                  name: "",
                  cell: ({ id }) => (
                    <span class="row ends">
                      <Action
                        label="Release"
                        asksWhy="lease.checked_in"
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
    </SeatsPanel>
  )
}
