import type { MailLanguage } from "../../../domain/mail/MailLanguage.ts"

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
  byMailLead: "We send a link to the address that the vendor has of you. It works once, within 15 minutes.",
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
  noLicenses: "You have no license.",
  moreLicenses: "More licenses",
  unnamedProduct: "License",
  otherLicenses: "All your licenses",
  otherLicensesLead: "We send a link to your email address. It shows all licenses that you have.",
  customers: "Whose licenses?",
  customersLead: "Several customers have your email address.",
  otherCustomer: "Licenses of another customer"
}

const de: SignInWords = {
  byMail: "Mit einer Mail anmelden",
  byMailLead:
    "Wir senden einen Link an die Adresse, die der Anbieter von Ihnen hat. Er gilt einmal und innerhalb von 15 Minuten.",
  email: "Mailadresse",
  sendLink: "Link senden",
  noEmail: "Das ist keine Mailadresse.",
  sent: "Sehen Sie in Ihre Mails",
  sentLead:
    "Wenn ein Kunde diese Adresse hat, ist eine Mail mit einem Link unterwegs. Sie können den Link auf jedem Gerät öffnen.",
  code: "Code aus der Mail",
  codeLead: "Ist die Mail auf einem anderen Gerät? Dann geben Sie hier ihren Code ein.",
  wrongCode: "Dieser Code ist falsch oder gilt nicht mehr. Prüfen Sie ihn oder fordern Sie einen neuen Link an.",
  linkTitle: "Bei Ihren Lizenzen anmelden",
  linkLead: (who) => `Sie melden sich an als ${who}.`,
  linkOver: "Dieser Link wurde schon verwendet oder gilt nicht mehr. Fordern Sie einen neuen an.",
  licenses: "Ihre Lizenzen",
  noLicenses: "Sie haben keine Lizenz.",
  moreLicenses: "Weitere Lizenzen",
  unnamedProduct: "Lizenz",
  otherLicenses: "Alle Ihre Lizenzen",
  otherLicensesLead: "Wir senden einen Link an Ihre Mailadresse. Er zeigt alle Lizenzen, die Sie haben.",
  customers: "Wessen Lizenzen?",
  customersLead: "Mehrere Kunden haben Ihre Mailadresse.",
  otherCustomer: "Lizenzen eines anderen Kunden"
}

const fr: SignInWords = {
  byMail: "Se connecter par courriel",
  byMailLead:
    "Nous envoyons un lien à l’adresse que l’éditeur connaît de vous. Il fonctionne une fois, pendant 15 minutes.",
  email: "Adresse électronique",
  sendLink: "M’envoyer un lien",
  noEmail: "Ce n’est pas une adresse électronique.",
  sent: "Consultez votre messagerie",
  sentLead:
    "Si un client a cette adresse, un courriel avec un lien est en route. Vous pouvez ouvrir le lien sur n’importe quel appareil.",
  code: "Code du courriel",
  codeLead: "Le courriel est sur un autre appareil ? Saisissez alors son code ici.",
  wrongCode: "Ce code est faux ou n’est plus valable. Vérifiez-le ou demandez un nouveau lien.",
  linkTitle: "Accéder à vos licences",
  linkLead: (who) => `Vous vous connectez en tant que ${who}.`,
  linkOver: "Ce lien a déjà servi ou n’est plus valable. Demandez-en un nouveau.",
  licenses: "Vos licences",
  noLicenses: "Vous n’avez pas de licence.",
  moreLicenses: "Autres licences",
  unnamedProduct: "Licence",
  otherLicenses: "Toutes vos licences",
  otherLicensesLead: "Nous envoyons un lien à votre adresse électronique. Il montre toutes les licences que vous avez.",
  customers: "Les licences de qui ?",
  customersLead: "Plusieurs clients ont votre adresse électronique.",
  otherCustomer: "Licences d’un autre client"
}

const es: SignInWords = {
  byMail: "Iniciar sesión por correo",
  byMailLead:
    "Enviamos un enlace a la dirección que el proveedor tiene de usted. Funciona una sola vez, durante 15 minutos.",
  email: "Dirección de correo",
  sendLink: "Enviarme un enlace",
  noEmail: "Esto no es una dirección de correo.",
  sent: "Revise su correo",
  sentLead:
    "Si un cliente tiene esta dirección, va en camino un correo con un enlace. Puede abrir el enlace en cualquier dispositivo.",
  code: "Código del correo",
  codeLead: "¿El correo está en otro dispositivo? Entonces escriba aquí su código.",
  wrongCode: "Este código es incorrecto o ya no vale. Compruébelo o pida un enlace nuevo.",
  linkTitle: "Entrar a sus licencias",
  linkLead: (who) => `Inicia sesión como ${who}.`,
  linkOver: "Este enlace ya se usó o ya no vale. Pida uno nuevo.",
  licenses: "Sus licencias",
  noLicenses: "No tiene ninguna licencia.",
  moreLicenses: "Más licencias",
  unnamedProduct: "Licencia",
  otherLicenses: "Todas sus licencias",
  otherLicensesLead: "Enviamos un enlace a su dirección de correo. Muestra todas las licencias que tiene.",
  customers: "¿Las licencias de quién?",
  customersLead: "Varios clientes tienen su dirección de correo.",
  otherCustomer: "Licencias de otro cliente"
}

const ja: SignInWords = {
  byMail: "メールでサインイン",
  byMailLead: "販売元に登録されているメールアドレスにリンクをお送りします。リンクは15分以内に1回だけ使用できます。",
  email: "メールアドレス",
  sendLink: "リンクを送信",
  noEmail: "メールアドレスではありません。",
  sent: "メールをご確認ください",
  sentLead:
    "このアドレスのお客様が登録されている場合は、リンクをメールでお送りしました。リンクはどのデバイスでも開けます。",
  code: "メールに記載のコード",
  codeLead: "メールを別のデバイスで受信した場合は、そのコードをここに入力してください。",
  wrongCode: "コードが正しくないか、無効になっています。確認するか、新しいリンクを送信してください。",
  linkTitle: "ライセンスにサインイン",
  linkLead: (who) => `${who} としてサインインします。`,
  linkOver: "このリンクは使用済みか、無効になっています。新しいリンクを送信してください。",
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
