import type { ComponentChildren } from "preact"
import { LocationProvider, useLocation } from "preact-iso"
import { useLayoutEffect, useMemo } from "preact/hooks"
import { addressIn, environmentIn, pageIn } from "./Address.ts"
import type { EnvironmentName } from "./Address.ts"

let go = (address: string, isReplaced: boolean): void => {
  if (isReplaced) location.replace(address)
  else location.assign(address)
}

/** Shows an address, of any environment. */
export const showAddress = (address: string, { isReplaced = false } = {}): void => go(address, isReplaced)

/**
 * The place of the pages. They know pages by their paths alone: the environment of the address is taken away for them, and put before
 * wherever they lead. Nothing of them is drawn until the tab shows the environment of the address.
 */
export const Located = ({ children, onEnvironment, shown }: {
  readonly shown: EnvironmentName
  /** Called when the address leads to another environment, as a link, Back or a typed address may. */
  readonly onEnvironment: (name: EnvironmentName) => void
  readonly children: ComponentChildren
}) => {
  const at = useLocation()
  const name = environmentIn(at.path)
  go = at.route
  useLayoutEffect(() => {
    if (name !== shown) onEnvironment(name)
  }, [name, shown])
  const here = useMemo(() => ({
    ...at,
    url: pageIn(at.url),
    path: pageIn(at.path),
    route: (to: string, isReplaced?: boolean) => at.route(addressIn(name, to), isReplaced)
  }), [at])
  return name === shown
    ? <LocationProvider.ctx.Provider value={here}>{children}</LocationProvider.ctx.Provider>
    : null
}
