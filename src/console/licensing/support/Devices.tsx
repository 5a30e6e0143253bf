import type { ComponentChildren } from "preact"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type { Device } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Empty } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Meter, Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Time } from "../../ground/design/Time.tsx"
import { deviceNameOf } from "../../ground/lists/DeviceName.ts"
import { useFilters } from "../../ground/lists/Filters.ts"
import { More } from "../../ground/lists/More.tsx"
import type { Pages } from "../../ground/lists/Pages.ts"
import { Rows } from "../../ground/lists/Rows.tsx"
import { SearchField } from "../../ground/lists/SearchField.tsx"
import { Action } from "../../ground/session/Action.tsx"

interface DeviceProps {
  readonly of: Device
  readonly onChange: () => void
}

const Reset = ({ of, onChange }: DeviceProps) => (
  <Action
    label="Reset"
    about={of.id}
    small
    scope="device:write"
    asksWhy="device.reset"
    says={
      <>
        <bdi class="strong">{deviceNameOf(of)}</bdi>: {consequenceOf("resetLicenseDevice")}
      </>
    }
    perform={(client, options) => client.licenses.resetDevice(of.license_id, of.id, options)}
    done={() => "Seat freed."}
    onDone={onChange}
  />
)

const Block = ({ of, onChange }: DeviceProps) => (
  <Action
    label="Block"
    about={of.id}
    small
    weight="danger"
    scope="device:write"
    asksWhy="device.blacklisted"
    says={
      <>
        <bdi class="strong">{deviceNameOf(of)}</bdi>: {consequenceOf("blacklistLicenseDevice")}
      </>
    }
    perform={(client, options) => client.licenses.blacklistDevice(of.license_id, of.id, options)}
    done={() => "Device blocked."}
    onDone={onChange}
  />
)

/** Frees a seat that stays taken because its device can run offline. */
const FreeSeat = ({ of, onChange }: DeviceProps) => (
  <Action
    label="Free seat"
    about={of.id}
    small
    weight="danger"
    scope="device:write"
    asksWhy="device.reset"
    needsWhy
    says={
      <>
        <bdi class="strong">{deviceNameOf(of)}</bdi>: {consequenceOf("freeLicenseDeviceSeat")}
      </>
    }
    perform={(client, { idempotencyKey }, { reason = "" }) =>
      client.licenses.freeDeviceSeat(of.license_id, of.id, { reason }, { idempotencyKey })}
    done={() => "Seat freed."}
    onDone={onChange}
  />
)

/** Until when the seat of a device stays taken. */
const Held = ({ of: { seat_held_until, status } }: { readonly of: Device }) =>
  seat_held_until === undefined ? null : (
    <span class="small quiet">
      {status === "active" ? "If reset, seat held until " : "Seat held until "}
      <Time at={seat_held_until} />
    </span>
  )

/** A panel about seats, with how many of them are in use. */
export const SeatsPanel = (
  { children, footer, label, most, taken, title }: {
    readonly title: string
    /** The name of the meter. */
    readonly label: string
    readonly taken: number
    readonly most: number
    readonly footer?: ComponentChildren
    readonly children: ComponentChildren
  }
) => (
  <Panel
    title={title}
    flush
    aside={<span class="small quiet">{count(taken)} of {count(most)} seats in use</span>}
    {...(footer === undefined ? {} : { footer })}
  >
    {taken === 0 ? null : (
      <div class="above">
        <Meter label={label} value={taken} of={most} />
      </div>
    )}
    {children}
  </Panel>
)

interface DevicesProps {
  readonly devices: Pages<Device>
  /** How many seats are taken, and how many there are. */
  readonly taken: number
  readonly most: number
  readonly isRevoked: boolean
  readonly onChange: () => void
}

/** How many devices are in sight without a search. */
const inSight = 8

/** A search for devices by their names, where there are many, or one was searched for. */
const FindDevice = ({ hasMore, many }: { readonly many: number; readonly hasMore: boolean }) => {
  const { query, setTyped } = useFilters()
  const text = query["device"] ?? ""
  if (text === "" && !hasMore && many <= inSight) return null
  return (
    <div class="above">
      <SearchField
        label="Device name or fingerprint"
        takesIds
        value={text}
        onSettled={(device) => setTyped({ device })}
      />
    </div>
  )
}

/** The version of the app that a device named last, in words. */
/** The hostname, where another name is shown in its place. */
const hostnameOf = ({ hostname, name }: Device) => name && hostname

const versionOf = ({ app_version }: Device) => app_version && `Version ${app_version}`

const NoDevices = () =>
  useFilters().query["device"] === undefined
    ? <Empty title="No devices yet">Devices appear here after they activate.</Empty>
    : <Empty title="No matching devices">Search matches a part of the name or fingerprint.</Empty>

/** The devices of a license, with the actions that free a seat; on a revoked license no seat is left. */
export const Devices = ({ devices, isRevoked, most, onChange, taken }: DevicesProps) => (
  <SeatsPanel
    title="Devices"
    label="Seats in use"
    taken={taken}
    most={most}
    {...(devices.hasMore || devices.error !== undefined ? { footer: <More of={devices} /> } : {})}
  >
    <FindDevice many={devices.rows?.length ?? 0} hasMore={devices.hasMore} />
    <Rows
      of={devices}
      lines={4}
      empty={<NoDevices />}
    >
      {(rows) => (
        <Table
          label="Devices"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: "Device",
              cell: (device) => (
                <TwoLines
                  first={deviceNameOf(device)}
                  second={[hostnameOf(device), versionOf(device), device.os, device.ip_address].filter(Boolean).join(
                    " · "
                  ) ||
                    device.id}
                />
              )
            },
            {
              name: "Status",
              cell: (device) => (
                <>
                  <State of={device.status} /> <Held of={device} />
                </>
              )
            },
            {
              name: "Last seen",
              cell: ({ last_seen_at }) => <Time at={last_seen_at} isQuiet />
            },
            {
              name: "",
              cell: (device) =>
                isRevoked ? null : (
                  <span class="row ends">
                    {device.status === "active" || device.status === "blacklisted"
                      ? <Reset of={device} onChange={onChange} />
                      : null}
                    {device.seat_held_until === undefined ? null : <FreeSeat of={device} onChange={onChange} />}
                    {device.status === "blacklisted" ? null : <Block of={device} onChange={onChange} />}
                  </span>
                )
            }
          ]}
        />
      )}
    </Rows>
  </SeatsPanel>
)
