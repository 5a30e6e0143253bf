import { useEffect, useState } from "preact/hooks"
import { Dialog } from "../../ground/design/Dialog.tsx"
import { Icon } from "../../ground/design/Icon.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { isBesideLive } from "../../ground/session/Environment.ts"
import { mostAwaiting, useAwaitingCount } from "../../ground/session/Load.ts"
import { may, mayOfAll } from "../../ground/session/Session.ts"
import { most, useWaitingCount } from "../../sales/purchases/WaitingCount.ts"
import { EnvironmentSwitch } from "./EnvironmentSwitch.tsx"
import { barOf, isListed, places } from "./Places.ts"
import type { Place } from "./Places.ts"

/** A number in the navigation always means that there is something to do. */
const Todo = ({ most, of }: { readonly of: number; readonly most: number }) =>
  of === 0 ? null : (
    <>
      <span class="todo" aria-hidden="true">{of >= most ? `${most}+` : of}</span>
      <span class="visually-hidden">({some(of, "needs", "need")} attention)</span>
    </>
  )

/** How many purchases wait for a person. */
const WaitingCount = ({ path }: { readonly path: string }) => <Todo of={useWaitingCount(path) ?? 0} most={most} />

/** How many requests wait for the decision of this person. */
const AwaitingCount = ({ path }: { readonly path: string }) => (
  <Todo of={useAwaitingCount(path).data ?? 0} most={mostAwaiting} />
)

/** Whether a page is of a place: what a longer path has a place of its own for is of that one. */
const isAt = (path: string, href: string): boolean =>
  path.startsWith(href) && !(href === "/console/people" && path === "/console/people/approvals")

interface LinkProps {
  readonly to: Place
  readonly path: string
  readonly isInBar: boolean
}

const PlaceLink = ({ isInBar, path, to: { href, icon, name } }: LinkProps) => (
  <a
    href={href}
    class={isInBar ? "" : "behind"}
    {...(isAt(path, href) ? { "aria-current": "page" as const } : {})}
  >
    <Icon name={icon} />
    {name}
    {href === "/console/purchases" ? <WaitingCount path={path} /> : null}
    {href === "/console/people/approvals" ? <AwaitingCount path={path} /> : null}
  </a>
)

/** The groups of the navigation, with the pages that the person may see. */
export const listedGroups = (): ReadonlyArray<readonly [group: string, ReadonlyArray<Place>]> =>
  places.map(([group, all]) => [group, all.filter((place) => isListed(place, may, mayOfAll))] as const)
    .filter(([, all]) => all.length > 0)

/** The pages that a phone's bar has no room for, in a sheet from below. */
const More = ({ groups, path }: {
  readonly groups: ReturnType<typeof listedGroups>
  readonly path: string
}) => {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path])
  return (
    <>
      <button type="button" class="more" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <Icon name="more" />More
      </button>
      {isOpen
        ? (
          <Dialog title="More" isSheet onClose={() => setIsOpen(false)}>
            {isBesideLive()
              ? <EnvironmentSwitch to="live" weight="plain" />
              : <EnvironmentSwitch to="test" weight="plain" />}
            <nav class="sheet-places" aria-label="More pages">
              {groups.map(([group, all]) => (
                <div key={group}>
                  {group === "" ? null : <h3>{group}</h3>}
                  {all.map((place) => <PlaceLink key={place.href} to={place} path={path} isInBar />)}
                </div>
              ))}
            </nav>
          </Dialog>
        )
        : null}
    </>
  )
}

/** The navigation: groups at the side, and on a phone a bar with what is opened most, and the rest behind "More". */
export const Navigation = ({ path }: { readonly path: string }) => {
  const groups = listedGroups()
  const bar = barOf(groups.flatMap(([, all]) => all))
  const behind = groups.map(([group, all]) => [group, all.filter((place) => !bar.has(place))] as const)
    .filter(([, all]) => all.length > 0)
  return (
    <nav aria-label="Console">
      {groups.map(([group, all]) => (
        <div key={group}>
          {group === "" ? null : <h2>{group}</h2>}
          {all.map((place) => <PlaceLink key={place.href} to={place} path={path} isInBar={bar.has(place)} />)}
        </div>
      ))}
      {behind.length === 0 ? null : <More groups={behind} path={path} />}
    </nav>
  )
}
