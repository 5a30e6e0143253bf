import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { LicenseStatus } from "../../../domain/licensing/licenses/License.ts"

/** The words of the portal in one language; what has a value in it is a function of it. */
export interface PortalWords {
  readonly title: string
  readonly signIn: string
  readonly signInLead: string
  readonly licenseKey: string
  readonly keyHelp: string
  readonly unknownKey: string
  readonly tooMany: string
  readonly signedOut: string
  readonly signOut: string
  readonly license: string
  readonly keyEndsWith: (last4: string) => string
  readonly states: Readonly<Record<LicenseStatus, string>>
  readonly startsAt: (date: string) => string
  readonly endsAt: (date: string) => string
  readonly endedAt: (date: string) => string
  readonly endsNever: string
  readonly awaitsActivation: string
  readonly updatesUntil: (date: string) => string
  readonly devices: string
  readonly seats: (used: string, limit: string) => string
  readonly noDevices: string
  readonly unnamed: string
  readonly lastSeen: (time: string) => string
  readonly release: string
  readonly releaseName: (name: string) => string
  readonly released: (name: string) => string
  readonly more: string
  readonly notAllowed: string
  readonly openedByVendor: string
  readonly limitReached: string
  readonly unknownDevice: string
  readonly unknownLicense: string
  readonly versions: string
  readonly releasedAt: (date: string) => string
  readonly use: string
  readonly feature: string
  readonly used: string
  readonly unlimited: string
  readonly usedOf: (used: string, limit: string) => string
  readonly resetsAt: (date: string) => string
  readonly change: string
  readonly changeLead: string
  readonly oldKey: string
  readonly endsNow: string
  readonly endsInADay: string
  readonly changed: string
  readonly newKeyLead: string
  readonly changedMeanwhile: string
  readonly offline: string
  readonly seatsTaken: string
  readonly wrongKey: string
  readonly back: string
  readonly badRequest: string
  readonly questions: string
  readonly renew: string
}

const en: PortalWords = {
  title: "Your license",
  signIn: "Sign in",
  signInLead: "Sign in with your license key to see your license and its devices.",
  licenseKey: "License key",
  keyHelp: "The key was shown or sent to you when you received the license.",
  unknownKey: "No license has this key. Check it and try again.",
  tooMany: "There were too many attempts. Wait a minute and try again.",
  signedOut: "You are signed out.",
  signOut: "Sign out",
  license: "License",
  keyEndsWith: (last4) => `The key ends with ${last4}.`,
  states: {
    active: "The license is active.",
    grace_period: "The license has expired, but still works for a short time.",
    expired: "The license has expired.",
    suspended: "The license is suspended.",
    revoked: "The license was withdrawn."
  },
  startsAt: (date) => `Valid from ${date}.`,
  endsAt: (date) => `Valid until ${date}.`,
  endedAt: (date) => `Ended on ${date}.`,
  endsNever: "Does not expire.",
  awaitsActivation: "Starts with the first activation.",
  updatesUntil: (date) => `Updates that are released until ${date} are included.`,
  devices: "Devices",
  seats: (used, limit) => `Seats in use: ${used} of ${limit}.`,
  noDevices: "No device has a seat.",
  unnamed: "Unnamed device",
  lastSeen: (time) => `Last seen ${time}`,
  release: "Release",
  releaseName: (name) => `Release ${name}`,
  released: (name) => `${name} was released. Its seat is free.`,
  more: "More devices",
  notAllowed: "Ask the vendor to release a device or to change the key.",
  openedByVendor: "The vendor made the link that opened this page. Sign out, ask for your link, and try again.",
  limitReached: "No more devices can be released at present. Try again later, or ask the vendor.",
  unknownDevice: "This device is not part of your license.",
  unknownLicense: "You do not have this license.",
  versions: "Versions",
  releasedAt: (date) => `released on ${date}`,
  use: "Usage",
  feature: "Feature",
  used: "Used",
  unlimited: "not limited",
  usedOf: (used, limit) => `${used} of ${limit}`,
  resetsAt: (date) => `until ${date}`,
  change: "Change the license key",
  changeLead: "Change the key if another person may know it. You then enter the new key on your devices.",
  oldKey: "The old key",
  endsNow: "stops working now",
  endsInADay: "stops working in 24 hours",
  changed: "The license key was changed",
  newKeyLead: "This is the new key. It is shown only now: keep it in a safe place.",
  changedMeanwhile: "The key was changed already. Sign in with the new one.",
  offline: "Machine without a network",
  seatsTaken: "Every seat is in use. Release a device first.",
  wrongKey: "This is not the key of this license.",
  back: "Back to the license",
  badRequest: "Something went wrong. Open the page again and retry.",
  questions: "Questions? You reach us at",
  renew: "Renew the license"
}

const de: PortalWords = {
  title: "Ihre Lizenz",
  signIn: "Anmelden",
  signInLead: "Melden Sie sich mit Ihrem Lizenzschlüssel an, um Ihre Lizenz und Ihre Geräte zu sehen.",
  licenseKey: "Lizenzschlüssel",
  keyHelp: "Sie haben ihn zusammen mit der Lizenz erhalten.",
  unknownKey: "Zu diesem Schlüssel gibt es keine Lizenz. Prüfen Sie ihn und versuchen Sie es noch einmal.",
  tooMany: "Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.",
  signedOut: "Sie sind abgemeldet.",
  signOut: "Abmelden",
  license: "Lizenz",
  keyEndsWith: (last4) => `Der Schlüssel endet auf ${last4}.`,
  states: {
    active: "Die Lizenz ist aktiv.",
    grace_period: "Die Lizenz ist abgelaufen, funktioniert aber noch für kurze Zeit.",
    expired: "Die Lizenz ist abgelaufen.",
    suspended: "Die Lizenz ist vorübergehend gesperrt.",
    revoked: "Die Lizenz wurde widerrufen."
  },
  startsAt: (date) => `Gültig ab ${date}.`,
  endsAt: (date) => `Gültig bis ${date}.`,
  endedAt: (date) => `Abgelaufen am ${date}.`,
  endsNever: "Sie läuft nicht ab.",
  awaitsActivation: "Gültig ab der ersten Aktivierung.",
  updatesUntil: (date) => `Updates, die bis zum ${date} erscheinen, sind enthalten.`,
  devices: "Geräte",
  seats: (used, limit) => `Belegte Plätze: ${used} von ${limit}.`,
  noDevices: "Kein Gerät belegt einen Platz.",
  unnamed: "Gerät ohne Namen",
  lastSeen: (time) => `Zuletzt gesehen: ${time}`,
  release: "Freigeben",
  releaseName: (name) => `${name} freigeben`,
  released: (name) => `${name} wurde freigegeben. Der Platz ist frei.`,
  more: "Weitere Geräte",
  notAllowed: "Um ein Gerät freizugeben oder den Schlüssel zu ändern, wenden Sie sich an den Anbieter.",
  openedByVendor:
    "Den Link zu dieser Seite hat der Anbieter erstellt. Melden Sie sich ab, fordern Sie selbst einen Link an und versuchen Sie es noch einmal.",
  limitReached:
    "Zurzeit können keine weiteren Geräte freigegeben werden. Versuchen Sie es später noch einmal oder wenden Sie sich an den Anbieter.",
  unknownDevice: "Dieses Gerät gehört nicht zu Ihrer Lizenz.",
  unknownLicense: "Diese Lizenz gehört nicht Ihnen.",
  versions: "Versionen",
  releasedAt: (date) => `erschienen am ${date}`,
  use: "Nutzung",
  feature: "Funktion",
  used: "Genutzt",
  unlimited: "nicht begrenzt",
  usedOf: (used, limit) => `${used} von ${limit}`,
  resetsAt: (date) => `bis ${date}`,
  change: "Lizenzschlüssel ändern",
  changeLead:
    "Ändern Sie den Schlüssel, wenn ihn jemand anders kennen könnte. Danach geben Sie auf Ihren Geräten den neuen ein.",
  oldKey: "Der alte Schlüssel",
  endsNow: "gilt ab sofort nicht mehr",
  endsInADay: "gilt noch 24 Stunden",
  changed: "Der Lizenzschlüssel wurde geändert",
  newKeyLead: "Das ist der neue Schlüssel. Er wird nur jetzt angezeigt: Bewahren Sie ihn sicher auf.",
  changedMeanwhile: "Der Schlüssel wurde schon geändert. Melden Sie sich mit dem neuen an.",
  offline: "Rechner ohne Netz",
  seatsTaken: "Alle Plätze sind belegt. Geben Sie zuerst ein Gerät frei.",
  wrongKey: "Das ist nicht der Schlüssel dieser Lizenz.",
  back: "Zurück zur Lizenz",
  badRequest: "Das hat nicht geklappt. Öffnen Sie die Seite neu und versuchen Sie es noch einmal.",
  questions: "Fragen? Sie erreichen uns unter",
  renew: "Lizenz verlängern"
}

const fr: PortalWords = {
  title: "Votre licence",
  signIn: "Se connecter",
  signInLead: "Connectez-vous avec votre clé de licence pour voir votre licence et ses appareils.",
  licenseKey: "Clé de licence",
  keyHelp: "Vous l’avez reçue avec la licence.",
  unknownKey: "Aucune licence ne correspond à cette clé. Vérifiez-la et réessayez.",
  tooMany: "Trop de tentatives. Attendez une minute et réessayez.",
  signedOut: "La session est fermée.",
  signOut: "Se déconnecter",
  license: "Licence",
  keyEndsWith: (last4) => `La clé se termine par ${last4}.`,
  states: {
    active: "La licence est active.",
    grace_period: "La licence a expiré, mais fonctionne encore quelque temps.",
    expired: "La licence a expiré.",
    suspended: "La licence est suspendue.",
    revoked: "La licence a été révoquée."
  },
  startsAt: (date) => `Valable à partir du ${date}.`,
  endsAt: (date) => `Valable jusqu’au ${date}.`,
  endedAt: (date) => `Expirée le ${date}.`,
  endsNever: "Sans date d’expiration.",
  awaitsActivation: "Valable à partir de la première activation.",
  updatesUntil: (date) => `Les mises à jour publiées jusqu’au ${date} sont incluses.`,
  devices: "Appareils",
  seats: (used, limit) => `Places occupées\u00a0: ${used} sur ${limit}.`,
  noDevices: "Aucun appareil n’occupe de place.",
  unnamed: "Appareil sans nom",
  lastSeen: (time) => `Dernière activité\u00a0: ${time}`,
  release: "Libérer",
  releaseName: (name) => `Libérer ${name}`,
  released: (name) => `L’appareil ${name} a été libéré. Sa place est libre.`,
  more: "Autres appareils",
  notAllowed: "Pour libérer un appareil ou changer la clé, adressez-vous à l’éditeur.",
  openedByVendor:
    "Le lien vers cette page a été créé par l’éditeur. Déconnectez-vous, demandez vous-même un lien et réessayez.",
  limitReached:
    "Aucun autre appareil ne peut être libéré pour le moment. Réessayez plus tard ou adressez-vous à l’éditeur.",
  unknownDevice: "Cet appareil ne fait pas partie de votre licence.",
  unknownLicense: "Cette licence ne fait pas partie des vôtres.",
  versions: "Versions",
  releasedAt: (date) => `publiée le ${date}`,
  use: "Utilisation",
  feature: "Fonctionnalité",
  used: "Utilisé",
  unlimited: "sans limite",
  usedOf: (used, limit) => `${used} sur ${limit}`,
  resetsAt: (date) => `jusqu’au ${date}`,
  change: "Changer la clé de licence",
  changeLead:
    "Changez la clé si une autre personne est susceptible de la connaître. Vous saisirez ensuite la nouvelle clé sur vos appareils.",
  oldKey: "L’ancienne clé",
  endsNow: "cesse de fonctionner immédiatement",
  endsInADay: "cesse de fonctionner dans 24 heures",
  changed: "La clé de licence a été changée",
  newKeyLead: "Voici la nouvelle clé. Elle n’est affichée qu’une seule fois\u00a0: conservez-la en lieu sûr.",
  changedMeanwhile: "La clé a déjà été changée. Connectez-vous avec la nouvelle.",
  offline: "Machine sans réseau",
  seatsTaken: "Toutes les places sont occupées. Libérez d’abord un appareil.",
  wrongKey: "Ce n’est pas la clé de cette licence.",
  back: "Retour à la licence",
  badRequest: "Cela n’a pas fonctionné. Rouvrez la page et réessayez.",
  questions: "Une question\u202f? Contactez-nous\u00a0:",
  renew: "Renouveler la licence"
}

const es: PortalWords = {
  title: "Su licencia",
  signIn: "Iniciar sesión",
  signInLead: "Inicie sesión con su clave de licencia para ver su licencia y sus dispositivos.",
  licenseKey: "Clave de licencia",
  keyHelp: "La recibió con la licencia.",
  unknownKey: "Ninguna licencia corresponde a esta clave. Compruébela e inténtelo de nuevo.",
  tooMany: "Hubo demasiados intentos. Espere un minuto e inténtelo de nuevo.",
  signedOut: "Ha cerrado la sesión.",
  signOut: "Cerrar sesión",
  license: "Licencia",
  keyEndsWith: (last4) => `La clave termina en ${last4}.`,
  states: {
    active: "La licencia está activa.",
    grace_period: "La licencia ha caducado, pero aún funciona durante poco tiempo.",
    expired: "La licencia ha caducado.",
    suspended: "La licencia está suspendida.",
    revoked: "La licencia ha sido revocada."
  },
  startsAt: (date) => `Válida desde el ${date}.`,
  endsAt: (date) => `Válida hasta el ${date}.`,
  endedAt: (date) => `Caducó el ${date}.`,
  endsNever: "No caduca.",
  awaitsActivation: "Válida desde la primera activación.",
  updatesUntil: (date) => `Incluye las actualizaciones publicadas hasta el ${date}.`,
  devices: "Dispositivos",
  seats: (used, limit) => `Puestos ocupados: ${used} de ${limit}.`,
  noDevices: "Ningún dispositivo ocupa un puesto.",
  unnamed: "Dispositivo sin nombre",
  lastSeen: (time) => `Visto por última vez: ${time}`,
  release: "Liberar",
  releaseName: (name) => `Liberar ${name}`,
  released: (name) => `Se ha liberado ${name}. Su puesto está libre.`,
  more: "Más dispositivos",
  notAllowed: "Para liberar un dispositivo o cambiar la clave, diríjase al proveedor.",
  openedByVendor:
    "El enlace a esta página lo creó el proveedor. Cierre la sesión, pida usted mismo un enlace e inténtelo de nuevo.",
  limitReached: "Por ahora no se pueden liberar más dispositivos. Inténtelo más tarde o diríjase al proveedor.",
  unknownDevice: "Este dispositivo no pertenece a su licencia.",
  unknownLicense: "Esta licencia no está entre las suyas.",
  versions: "Versiones",
  releasedAt: (date) => `publicada el ${date}`,
  use: "Uso",
  feature: "Función",
  used: "Usado",
  unlimited: "sin límite",
  usedOf: (used, limit) => `${used} de ${limit}`,
  resetsAt: (date) => `hasta el ${date}`,
  change: "Cambiar la clave de licencia",
  changeLead:
    "Cambie la clave si es posible que otra persona la conozca. Después introduzca la nueva en sus dispositivos.",
  oldKey: "La clave anterior",
  endsNow: "deja de funcionar de inmediato",
  endsInADay: "deja de funcionar dentro de 24 horas",
  changed: "La clave de licencia se ha cambiado",
  newKeyLead: "Esta es la nueva clave. Solo se muestra ahora: guárdela en un lugar seguro.",
  changedMeanwhile: "La clave ya se cambió. Inicie sesión con la nueva.",
  offline: "Equipo sin red",
  seatsTaken: "Todos los puestos están ocupados. Libere primero un dispositivo.",
  wrongKey: "Esta no es la clave de esta licencia.",
  back: "Volver a la licencia",
  badRequest: "No ha funcionado. Abra la página otra vez e inténtelo de nuevo.",
  questions: "¿Tiene preguntas? Contacto:",
  renew: "Renovar la licencia"
}

const ja: PortalWords = {
  title: "お客様のライセンス",
  signIn: "サインイン",
  signInLead: "ライセンスキーでサインインすると、ライセンスとデバイスを確認できます。",
  licenseKey: "ライセンスキー",
  keyHelp: "ライセンスの発行時にお知らせしたものです。",
  unknownKey: "このキーのライセンスは見つかりません。確認してもう一度お試しください。",
  tooMany: "試行回数が多すぎます。1分ほど待ってからもう一度お試しください。",
  signedOut: "サインアウトしました。",
  signOut: "サインアウト",
  license: "ライセンス",
  keyEndsWith: (last4) => `キーの末尾は ${last4} です。`,
  states: {
    active: "ライセンスは有効です。",
    grace_period: "ライセンスは期限切れですが、しばらくは使用できます。",
    expired: "ライセンスは期限切れです。",
    suspended: "ライセンスは停止中です。",
    revoked: "ライセンスは取り消されました。"
  },
  startsAt: (date) => `開始日: ${date}`,
  endsAt: (date) => `終了日: ${date}`,
  endedAt: (date) => `終了日: ${date}（終了済み）`,
  endsNever: "期限はありません。",
  awaitsActivation: "最初のアクティベーションから有効です。",
  updatesUntil: (date) => `${date} までに公開された更新を利用できます。`,
  devices: "デバイス",
  seats: (used, limit) => `${limit} 席のうち ${used} 席を使用中です。`,
  noDevices: "席を使用しているデバイスはありません。",
  unnamed: "名前のないデバイス",
  lastSeen: (time) => `最終確認: ${time}`,
  release: "解放",
  releaseName: (name) => `${name} を解放`,
  released: (name) => `${name} を解放しました。席が空きました。`,
  more: "ほかのデバイス",
  notAllowed: "デバイスの解放やキーの変更は、販売元にお問い合わせください。",
  openedByVendor:
    "このページへのリンクは販売元が作成したものです。サインアウトし、ご自身でリンクを請求してから、もう一度お試しください。",
  limitReached: "現在これ以上デバイスを解放できません。後でもう一度お試しいただくか、販売元にお問い合わせください。",
  unknownDevice: "このデバイスはお客様のライセンスに登録されていません。",
  unknownLicense: "このライセンスはお客様のものではありません。",
  versions: "バージョン",
  releasedAt: (date) => `${date} 公開`,
  use: "使用量",
  feature: "機能",
  used: "使用済み",
  unlimited: "制限なし",
  usedOf: (used, limit) => `${limit} のうち ${used}`,
  resetsAt: (date) => `${date} まで`,
  change: "ライセンスキーの変更",
  changeLead: "他人に知られたおそれがある場合は、キーを変更してください。変更後、デバイスに新しいキーを入力します。",
  oldKey: "古いキー",
  endsNow: "すぐに無効にする",
  endsInADay: "24時間後に無効にする",
  changed: "ライセンスキーを変更しました",
  newKeyLead: "新しいキーです。今だけ表示されます。安全な場所に保管してください。",
  changedMeanwhile: "キーはすでに変更されています。新しいキーでサインインしてください。",
  offline: "ネットワークのないマシン",
  seatsTaken: "すべての席が使用中です。先にデバイスを解放してください。",
  wrongKey: "このライセンスのキーではありません。",
  back: "ライセンスに戻る",
  badRequest: "処理できませんでした。ページを開き直して、もう一度お試しください。",
  questions: "お問い合わせ：",
  renew: "ライセンスを更新する"
}

/** The words of the portal: a language without one of them does not compile. */
export const portalWords: Readonly<Record<MailLanguage, PortalWords>> = { en, de, fr, es, ja }
