import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"

/** How each language calls the link in the foot of a notice, by which its recipient opts out. */
export const unsubscribeLabels: Readonly<Record<MailLanguage, string>> = {
  en: "Stop these notices",
  de: "Benachrichtigungen beenden",
  fr: "Ne plus recevoir ces notifications",
  es: "Dejar de recibir estos avisos",
  ja: "お知らせの配信を停止する"
}
