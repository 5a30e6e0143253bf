import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { PortalPurchase } from "../../../domain/portal/PortalLanguage.ts"

/** The words about purchases, in one language. */
export interface PurchaseWords {
  readonly title: string
  readonly none: string
  readonly more: string
  readonly unnamed: string
  readonly number: (id: string, provider: string) => string
  readonly states: Readonly<Record<PortalPurchase["state"], string>>
  readonly boughtAt: (date: string) => string
  readonly paidThrough: (date: string) => string
  readonly endsAt: (date: string) => string
  readonly endedAt: (date: string) => string
  readonly refunds: Readonly<Record<"partial" | "full", string>>
  readonly disputed: string
  /** Units that can be used: how many of which feature, and until when. */
  readonly units: (what: string) => string
  readonly unitsUntil: (what: string, date: string) => string
  readonly manage: (provider: string) => string
  readonly onlyByLink: string
}

const en: PurchaseWords = {
  title: "Purchases",
  none: "You have no purchases.",
  more: "More purchases",
  unnamed: "Purchase",
  number: (id, provider) => `${id} at ${provider}`,
  states: {
    future: "Starts later.",
    incomplete: "The payment is not complete.",
    trialing: "Trial.",
    active: "Active.",
    past_due: "A payment is overdue.",
    unpaid: "Not paid.",
    paused: "Paused.",
    incomplete_expired: "Was never paid.",
    canceled: "Ended.",
    pending: "The payment is on its way.",
    failed: "The payment failed.",
    paid: "Paid."
  },
  boughtAt: (date) => `Bought on ${date}.`,
  paidThrough: (date) => `Paid until ${date}.`,
  endsAt: (date) => `Ends on ${date}.`,
  endedAt: (date) => `Ended on ${date}.`,
  refunds: { partial: "Partly refunded.", full: "Refunded." },
  disputed: "The payment is disputed.",
  units: (what) => `Units: ${what}.`,
  unitsUntil: (what, date) => `Units: ${what}, until ${date}.`,
  manage: (provider) => `Invoices and payment at ${provider}`,
  onlyByLink: "This is there after a sign-in by email."
}

const de: PurchaseWords = {
  title: "Käufe",
  none: "Es sind keine Käufe vorhanden.",
  more: "Weitere Käufe",
  unnamed: "Kauf",
  number: (id, provider) => `${id} bei ${provider}`,
  states: {
    future: "Beginnt später.",
    incomplete: "Die Zahlung ist nicht abgeschlossen.",
    trialing: "Testphase.",
    active: "Aktiv.",
    past_due: "Eine Zahlung ist überfällig.",
    unpaid: "Nicht bezahlt.",
    paused: "Pausiert.",
    incomplete_expired: "Wurde nie bezahlt.",
    canceled: "Beendet.",
    pending: "Die Zahlung ist unterwegs.",
    failed: "Die Zahlung ist fehlgeschlagen.",
    paid: "Bezahlt."
  },
  boughtAt: (date) => `Gekauft am ${date}.`,
  paidThrough: (date) => `Bezahlt bis zum ${date}.`,
  endsAt: (date) => `Endet am ${date}.`,
  endedAt: (date) => `Endete am ${date}.`,
  refunds: { partial: "Teilweise erstattet.", full: "Erstattet." },
  disputed: "Die Zahlung ist strittig.",
  units: (what) => `Einheiten: ${what}.`,
  unitsUntil: (what, date) => `Einheiten: ${what}, bis zum ${date}.`,
  manage: (provider) => `Rechnungen und Zahlung bei ${provider}`,
  onlyByLink: "Das sehen Sie, wenn Sie sich per E-Mail anmelden."
}

const fr: PurchaseWords = {
  title: "Achats",
  none: "Vous n’avez aucun achat.",
  more: "Autres achats",
  unnamed: "Achat",
  number: (id, provider) => `${id} chez ${provider}`,
  states: {
    future: "Commence plus tard.",
    incomplete: "Le paiement n’est pas terminé.",
    trialing: "Période d’essai.",
    active: "Actif.",
    past_due: "Un paiement est en retard.",
    unpaid: "Non payé.",
    paused: "En pause.",
    incomplete_expired: "N’a jamais été payé.",
    canceled: "Terminé.",
    pending: "Le paiement est en cours.",
    failed: "Le paiement a échoué.",
    paid: "Payé."
  },
  boughtAt: (date) => `Acheté le ${date}.`,
  paidThrough: (date) => `Payé jusqu’au ${date}.`,
  endsAt: (date) => `Se termine le ${date}.`,
  endedAt: (date) => `S’est terminé le ${date}.`,
  refunds: { partial: "Remboursé en partie.", full: "Remboursé." },
  disputed: "Le paiement est contesté.",
  units: (what) => `Unités\u00a0: ${what}.`,
  unitsUntil: (what, date) => `Unités\u00a0: ${what}, jusqu’au ${date}.`,
  manage: (provider) => `Factures et paiement chez ${provider}`,
  onlyByLink: "Connectez-vous par e-mail pour accéder à cette page."
}

const es: PurchaseWords = {
  title: "Compras",
  none: "No tiene ninguna compra.",
  more: "Más compras",
  unnamed: "Compra",
  number: (id, provider) => `${id} en ${provider}`,
  states: {
    future: "Empieza más tarde.",
    incomplete: "El pago no se ha completado.",
    trialing: "Periodo de prueba.",
    active: "Activa.",
    past_due: "Hay un pago atrasado.",
    unpaid: "Sin pagar.",
    paused: "En pausa.",
    incomplete_expired: "Nunca se pagó.",
    canceled: "Terminada.",
    pending: "El pago está en curso.",
    failed: "El pago ha fallado.",
    paid: "Pagada."
  },
  boughtAt: (date) => `Comprada el ${date}.`,
  paidThrough: (date) => `Pagada hasta el ${date}.`,
  endsAt: (date) => `Termina el ${date}.`,
  endedAt: (date) => `Terminó el ${date}.`,
  refunds: { partial: "Reembolsada en parte.", full: "Reembolsada." },
  disputed: "El pago está en disputa.",
  units: (what) => `Unidades: ${what}.`,
  unitsUntil: (what, date) => `Unidades: ${what}, hasta el ${date}.`,
  manage: (provider) => `Facturas y pago en ${provider}`,
  onlyByLink: "Inicie sesión por correo para ver esta página."
}

const ja: PurchaseWords = {
  title: "ご購入",
  none: "ご購入はありません。",
  more: "ほかのご購入",
  unnamed: "ご購入",
  number: (id, provider) => `${provider} の番号: ${id}`,
  states: {
    future: "開始前です。",
    incomplete: "お支払いが完了していません。",
    trialing: "試用期間中です。",
    active: "有効です。",
    past_due: "お支払いが遅れています。",
    unpaid: "未払いです。",
    paused: "一時停止中です。",
    incomplete_expired: "お支払いがありませんでした。",
    canceled: "終了しました。",
    pending: "お支払いの処理中です。",
    failed: "お支払いに失敗しました。",
    paid: "お支払い済みです。"
  },
  boughtAt: (date) => `購入日: ${date}。`,
  paidThrough: (date) => `お支払い済み期間: ${date}まで。`,
  endsAt: (date) => `終了予定日: ${date}。`,
  endedAt: (date) => `終了日: ${date}。`,
  refunds: { partial: "一部返金済みです。", full: "返金済みです。" },
  disputed: "お支払いに異議が申し立てられています。",
  units: (what) => `付与数：${what}`,
  unitsUntil: (what, date) => `付与数：${what}（${date}まで）`,
  manage: (provider) => `${provider} で請求書とお支払いを管理`,
  onlyByLink: "メールでサインインすると表示されます。"
}

/** The words in every language of the portal. */
export const purchaseWords: Readonly<Record<MailLanguage, PurchaseWords>> = { en, de, fr, es, ja }
