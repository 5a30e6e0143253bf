import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

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

/** The words about signing in by mail, and about several licenses, in one language. */
export interface SignInWords {
  readonly byMail: string
  readonly byMailLead: string
  readonly email: string
  readonly sendLink: string
  readonly noEmail: string
  readonly sent: string
  readonly sentLead: string
  readonly code: string
  readonly codeLead: string
  readonly wrongCode: string
  readonly linkTitle: string
  readonly linkLead: (who: string) => string
  readonly linkOver: string
  readonly licenses: string
  readonly noLicenses: string
  readonly moreLicenses: string
  readonly unnamedProduct: string
  readonly otherLicenses: string
  readonly otherLicensesLead: string
  readonly customers: string
  readonly customersLead: string
  readonly otherCustomer: string
}

const en: SignInWords = {
  byMail: "Sign in by email",
  byMailLead: "We send a link to the address that the vendor has for you. It works once, within 15 minutes.",
  email: "Email address",
  sendLink: "Send me a link",
  noEmail: "This is not an email address.",
  sent: "Check your email",
  sentLead: "If a customer has this address, an email with a link is on its way. You can open the link on any device.",
  code: "Code from the email",
  codeLead: "Is the email on another device? Then enter its code here.",
  wrongCode: "This code is wrong or no longer works. Check it, or ask for a new link.",
  linkTitle: "Sign in to your licenses",
  linkLead: (who) => `You sign in as ${who}.`,
  linkOver: "This link was used already or no longer works. Ask for a new one.",
  licenses: "Your licenses",
  noLicenses: "You have no licenses.",
  moreLicenses: "More licenses",
  unnamedProduct: "License",
  otherLicenses: "All your licenses",
  otherLicensesLead: "We send a link to your email address. It shows all licenses that you have.",
  customers: "Whose licenses?",
  customersLead: "Several customers have your email address.",
  otherCustomer: "Licenses of another customer"
}

const de: SignInWords = {
  byMail: "Per E-Mail anmelden",
  byMailLead:
    "Wir senden einen Link an die Adresse, die der Anbieter von Ihnen hat. Er ist 15 Minuten lang gültig und funktioniert nur einmal.",
  email: "E-Mail-Adresse",
  sendLink: "Link senden",
  noEmail: "Das ist keine gültige E-Mail-Adresse.",
  sent: "Sehen Sie in Ihrem Postfach nach",
  sentLead:
    "Wenn diese Adresse zu einem Kunden gehört, ist eine E-Mail mit einem Link unterwegs. Sie können den Link auf jedem Gerät öffnen.",
  code: "Code aus der E-Mail",
  codeLead: "Ist die E-Mail auf einem anderen Gerät? Dann geben Sie hier den Code daraus ein.",
  wrongCode: "Dieser Code ist falsch oder gilt nicht mehr. Prüfen Sie ihn oder fordern Sie einen neuen Link an.",
  linkTitle: "Anmeldung zu Ihren Lizenzen",
  linkLead: (who) => `Sie melden sich als ${who} an.`,
  linkOver: "Dieser Link wurde schon verwendet oder gilt nicht mehr. Fordern Sie einen neuen an.",
  licenses: "Ihre Lizenzen",
  noLicenses: "Sie haben keine Lizenz.",
  moreLicenses: "Weitere Lizenzen",
  unnamedProduct: "Lizenz",
  otherLicenses: "Alle Ihre Lizenzen",
  otherLicensesLead: "Wir senden einen Link an Ihre E-Mail-Adresse. Er führt zu allen Ihren Lizenzen.",
  customers: "Wessen Lizenzen?",
  customersLead: "Ihre E-Mail-Adresse gehört zu mehreren Kunden.",
  otherCustomer: "Lizenzen eines anderen Kunden"
}

const fr: SignInWords = {
  byMail: "Se connecter par e-mail",
  byMailLead:
    "Nous envoyons un lien à l’adresse que l’éditeur a enregistrée pour vous. Il fonctionne une seule fois, pendant 15 minutes.",
  email: "Adresse e-mail",
  sendLink: "M’envoyer un lien",
  noEmail: "Ce n’est pas une adresse e-mail valable.",
  sent: "Consultez votre messagerie",
  sentLead:
    "Si cette adresse est celle d’un client, un e-mail contenant un lien est en route. Vous pouvez ouvrir le lien sur n’importe quel appareil.",
  code: "Code reçu par e-mail",
  codeLead: "L’e-mail est sur un autre appareil\u00a0? Saisissez alors ici le code qu’il contient.",
  wrongCode: "Ce code est incorrect ou n’est plus valable. Vérifiez-le ou demandez un nouveau lien.",
  linkTitle: "Accéder à vos licences",
  linkLead: (who) => `Vous vous connectez en tant que ${who}.`,
  linkOver: "Ce lien a déjà servi ou n’est plus valable. Demandez-en un nouveau.",
  licenses: "Vos licences",
  noLicenses: "Vous n’avez pas de licence.",
  moreLicenses: "Autres licences",
  unnamedProduct: "Licence",
  otherLicenses: "Toutes vos licences",
  otherLicensesLead: "Nous envoyons un lien à votre adresse e-mail. Il donne accès à toutes vos licences.",
  customers: "Les licences de quel client\u00a0?",
  customersLead: "Votre adresse e-mail est celle de plusieurs clients.",
  otherCustomer: "Licences d’un autre client"
}

const es: SignInWords = {
  byMail: "Iniciar sesión por correo",
  byMailLead:
    "Enviamos un enlace a la dirección que el proveedor tiene de usted. Funciona una sola vez, durante 15 minutos.",
  email: "Dirección de correo",
  sendLink: "Enviarme un enlace",
  noEmail: "Esta no es una dirección de correo válida.",
  sent: "Revise su correo",
  sentLead:
    "Si esta dirección es de un cliente, hay un correo con un enlace en camino. Puede abrir el enlace en cualquier dispositivo.",
  code: "Código del correo",
  codeLead: "¿El correo está en otro dispositivo? Entonces escriba aquí el código que contiene.",
  wrongCode: "Este código es incorrecto o ya no es válido. Compruébelo o pida un enlace nuevo.",
  linkTitle: "Acceder a sus licencias",
  linkLead: (who) => `Va a iniciar sesión como ${who}.`,
  linkOver: "Este enlace ya se usó o ya no es válido. Pida uno nuevo.",
  licenses: "Sus licencias",
  noLicenses: "No tiene ninguna licencia.",
  moreLicenses: "Más licencias",
  unnamedProduct: "Licencia",
  otherLicenses: "Todas sus licencias",
  otherLicensesLead: "Enviamos un enlace a su dirección de correo. Da acceso a todas sus licencias.",
  customers: "¿Las licencias de qué cliente?",
  customersLead: "Su dirección de correo es la de varios clientes.",
  otherCustomer: "Licencias de otro cliente"
}

const ja: SignInWords = {
  byMail: "メールでサインイン",
  byMailLead: "販売元に登録されているメールアドレスにリンクをお送りします。リンクは15分以内に1回だけ使用できます。",
  email: "メールアドレス",
  sendLink: "リンクを送信",
  noEmail: "メールアドレスの形式が正しくありません。",
  sent: "メールをご確認ください",
  sentLead:
    "このアドレスのお客様が登録されている場合は、リンクをメールでお送りしました。リンクはどのデバイスでも開けます。",
  code: "メールに記載のコード",
  codeLead: "メールを別のデバイスで受信した場合は、そのコードをここに入力してください。",
  wrongCode: "コードが正しくないか、無効になっています。確認するか、新しいリンクをリクエストしてください。",
  linkTitle: "ライセンスにサインイン",
  linkLead: (who) => `${who} としてサインインします。`,
  linkOver: "このリンクは使用済みか、無効になっています。新しいリンクをリクエストしてください。",
  licenses: "お客様のライセンス",
  noLicenses: "ライセンスはありません。",
  moreLicenses: "ほかのライセンス",
  unnamedProduct: "ライセンス",
  otherLicenses: "すべてのライセンス",
  otherLicensesLead: "お客様のメールアドレスにリンクをお送りします。お持ちのライセンスをすべて確認できます。",
  customers: "どのお客様のライセンスですか",
  customersLead: "このメールアドレスは複数のお客様に登録されています。",
  otherCustomer: "別のお客様のライセンス"
}

/** The words about signing in: a language without one of them does not compile. */
export const signInWords: Readonly<Record<MailLanguage, SignInWords>> = { en, de, fr, es, ja }
