import { options } from "preact"
import { addressIn, environmentIn } from "./Address.ts"

const before = options.vnode

/**
 * Every link to a page leads to the environment of the address, also where it is copied or opened in another tab. Pages write the
 * path alone: this is the one place where it becomes an address.
 */
options.vnode = (vnode) => {
  const { props, type } = vnode
  if (type === "a" && "href" in props && typeof props.href === "string") {
    Object.assign(props, { href: addressIn(environmentIn(location.pathname), props.href) })
  }
  before?.(vnode)
}
