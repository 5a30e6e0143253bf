import { momentOf } from "../../ground/design/Time.tsx"
import { environment, isBesideLive, updateEnvironment } from "../../ground/session/Environment.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { EnvironmentSwitch } from "./EnvironmentSwitch.tsx"

/** How often it asks for the clock, which somebody else may move, in milliseconds. */
const every = 30_000

/** A band at the top of every page that names the environment, unless it is live. */
export const EnvironmentBand = () => {
  const shown = environment.value
  useLoad(async (client, signal) => updateEnvironment(await client.environment.get({ signal })), [], {
    every,
    later: true,
    when: isBesideLive()
  })
  if (shown === undefined || !isBesideLive()) return null
  return (
    <div class="band" role="region" aria-label="Environment">
      <span class="band-text">
        <span class="strong capital">{shown.name} environment</span>
        {shown.clock_moved ? <time class="clip" dateTime={shown.now}>Clock: {momentOf(shown.now)}</time> : null}
      </span>
      <EnvironmentSwitch to="live" weight="plain" />
    </div>
  )
}
