import type { Device, License, LicensePolicyChangeRequest } from "../../../client/api/index.ts"
import { Check, Choice } from "../../ground/design/Field.tsx"
import { deviceNameOf } from "../../ground/lists/DeviceName.ts"

type DevicesChoice = "refuse" | "keep" | "reset_newest" | "choose"

/** A change as it is chosen. */
export interface Chosen {
  readonly policyId: string
  readonly devices: DevicesChoice
  /** The devices that give their seats back, where they are chosen. */
  readonly reset: ReadonlyArray<string>
  readonly expiry: "keep" | "policy"
  readonly counters: "keep" | "restart"
  readonly overrides: "keep" | "drop"
}

/** A change of which nothing is chosen. */
export const nothing: Chosen = {
  policyId: "",
  devices: "refuse",
  reset: [],
  expiry: "keep",
  counters: "keep",
  overrides: "keep"
}

/** The request of a change. */
export const requestOf = (
  { counters, devices, expiry, overrides, policyId, reset }: Chosen
): LicensePolicyChangeRequest => ({
  policy_id: policyId,
  ...(devices === "refuse" ? {} : devices === "choose" ? { reset_device_ids: [...reset] } : { devices }),
  ...(expiry === "keep" ? {} : { expiry }),
  ...(counters === "keep" ? {} : { counters }),
  ...(overrides === "keep" ? {} : { overrides })
})

type Set = (changes: Partial<Chosen>) => void

/** The devices with a seat, to choose which stay. */
export const StayingDevices = ({ chosen, devices, set }: {
  readonly chosen: Chosen
  readonly devices: ReadonlyArray<Device>
  readonly set: Set
}) => (
  <fieldset class="field chooses-devices">
    <legend class="label">Devices that stay</legend>
    <div class="stack" style={{ gap: "var(--s1)" }}>
      {devices.map((device) => (
        <Check
          key={device.id}
          isOn={!chosen.reset.includes(device.id)}
          onChange={(stays) =>
            set({
              reset: stays ? chosen.reset.filter((id) => id !== device.id) : [...chosen.reset, device.id]
            })}
        >
          <bdi>{deviceNameOf(device)}</bdi>
        </Check>
      ))}
    </div>
  </fieldset>
)

interface PartProps {
  readonly chosen: Chosen
  readonly set: Set
}

/** The choices beside the policy: seats beyond the limit, the end, recorded usage, terms of the license. */
export const Choices = (
  { chosen, hasOverrides, isAsked, license, set }: PartProps & {
    readonly license: License
    readonly hasOverrides: boolean
    /** Whether more seats are in use than the policy has, or were. */
    readonly isAsked: boolean
  }
) => (
  <div class="filters">
    {isAsked
      ? (
        <Choice
          label="Seats beyond the limit"
          value={chosen.devices}
          onChange={(devices) => set({ devices: devices as DevicesChoice, reset: [] })}
          options={[
            ["refuse", "Choose what happens"],
            ["choose", "Choose which devices stay"],
            ["keep", "Keep all; refuse new devices"],
            ["reset_newest", "Free the newest"]
          ]}
          isLong
        />
      )
      : null}
    <Choice
      label="Expiration"
      value={chosen.expiry}
      onChange={(expiry) => set({ expiry: expiry as Chosen["expiry"] })}
      options={[
        ["keep", license.expires_at === undefined ? "No end, as now" : "As now (default)"],
        ["policy", "As issued today"]
      ]}
    />
    <Choice
      label="Recorded usage"
      value={chosen.counters}
      onChange={(counters) => set({ counters: counters as Chosen["counters"] })}
      options={[["keep", "Keep (default)"], ["restart", "Start at zero"]]}
    />
    {hasOverrides
      ? (
        <Choice
          label="Terms of this license"
          value={chosen.overrides}
          onChange={(overrides) => set({ overrides: overrides as Chosen["overrides"] })}
          options={[["keep", "Keep (default)"], ["drop", "Drop"]]}
        />
      )
      : null}
  </div>
)
