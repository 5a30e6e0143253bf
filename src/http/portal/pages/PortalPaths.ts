/** Where the portal is. */
export const portalPath = "/portal"

/** The actions of customers on a license: the paths of forms behind {@link licensePath}. No other form changes a license. */
export const licenseActions = {
  releaseDevice: "/devices/:id/release",
  renameDevice: "/devices/:id/name",
  changeKey: "/license-key",
  issueFile: "/offline-files",
  cancelTransfer: "/transfer/cancellation",
  askTransfer: "/transfer",
  inviteUser: "/users",
  removeUser: "/users/:id/remove",
  resendInvitation: "/users/:id/invitation"
} as const

/** The name of something that customers do with a license. */
export type LicenseAction = keyof typeof licenseActions

/** The page of a license. */
export const licensePath = (licenseId: string) => `${portalPath}/licenses/${licenseId}` as const

/** Where the form of an action on a license is sent. */
export const actionOf = (licenseId: string, action: LicenseAction, id = ""): string =>
  licensePath(licenseId) + licenseActions[action].replace(":id", id)

/** The actions of customers on no license: the paths of forms behind {@link portalPath}. */
export const portalActions = {
  signIn: "/sign-in",
  askLink: "/links",
  spendLink: "/link",
  enterCode: "/code",
  signOut: "/sign-out",
  widen: "/all-licenses",
  choose: "/customers/:customer_id",
  setNotices: "/notices",
  chooseLanguage: "/language",
  acceptTransfer: "/transfer"
} as const

/** The name of something that customers do on no license. */
export type PortalAction = keyof typeof portalActions

/** The page of a link. */
export const linkPath = `${portalPath}/link` as const

/** The page of a license that is offered to somebody. */
export const transferPath = `${portalPath}/transfer` as const

/** The page on which one of several customers is chosen. */
export const customersPath = `${portalPath}/customers` as const

/** The page with the purchases of a customer. */
export const purchasesPath = `${portalPath}/purchases` as const

/** Where the stylesheet of the portal is served. */
export const portalStylesPath = "/portal/portal.css"

/** The address of the script that reads a photo of a request. */
export const requestPhotoPath = "/portal/request-photo.js"

/** The address of the page that a reader is at: what answers a form has none of its own, and is the license's page or the first one. */
export const pageAt = (method: string, url: string): string =>
  method === "GET" ? url : ofLicense.exec(url)?.[0] ?? portalPath

const ofLicense = new RegExp(`^${licensePath("[^/?]+")}`)

/** The address of a page of the portal that a form names; the first page where it names none. */
export const pageNamed = (named: string): string => {
  const base = "http://portal.invalid"
  const page = URL.canParse(named, base) ? new URL(named, base) : undefined
  return page?.origin === base && portalRouteOf(page.pathname) !== undefined ? page.pathname + page.search : portalPath
}

const routes: ReadonlyArray<string> = [
  portalPath,
  portalStylesPath,
  requestPhotoPath,
  customersPath,
  purchasesPath,
  ...Object.values(portalActions).map((path) => portalPath + path),
  licensePath(":license_id"),
  ...Object.values(licenseActions).map((path) => licensePath(":license_id") + path)
]

const patterns = routes.map((route) => ({
  route: route.replace(/:([^/]+)/g, "{$1}"),
  pattern: new RegExp(`^${route.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`)
}))

/** The route of a path of the portal, as metrics, logs and traces name it; undefined for any other path. */
export const portalRouteOf = (path: string): string | undefined =>
  path.startsWith(portalPath) ? patterns.find(({ pattern }) => pattern.test(path))?.route : undefined
