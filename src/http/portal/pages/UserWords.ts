import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

/** The words about the people who use a license, in one language. */
export interface UserWords {
  readonly title: string
  readonly open: string
  readonly onlyByLink: string
  readonly seats: (taken: string, limit: string) => string
  readonly none: string
  readonly invited: string
  readonly active: string
  readonly lastSignIn: (time: string) => string
  readonly devices: (names: string) => string
  readonly moreDevices: (count: string) => string
  readonly more: string
  readonly invite: string
  readonly byMail: string
  readonly byWord: string
  readonly mailOff: string
  readonly send: string
  readonly isInvited: (who: string) => string
  readonly resend: string
  readonly resendTo: (who: string) => string
  readonly resent: (who: string) => string
  readonly remove: string
  readonly removeWho: (who: string) => string
  readonly removeLead: string
  readonly removed: (who: string) => string
  readonly taken: string
  readonly full: string
  readonly tooMany: string
  readonly unknown: string
  readonly changed: string
  readonly notAllowed: string
  readonly limitReached: string
}

const en: UserWords = {
  title: "Users",
  open: "See and change who uses the license",
  onlyByLink:
    "After a sign-in by email you see here who uses the license, and can change its key. All of its users have the key, so the key alone opens neither.",
  seats: (taken, limit) => `Seats for people in use: ${taken} of ${limit}.`,
  none: "The license has no users yet.",
  invited: "Invited, and not signed in yet.",
  active: "Has a seat.",
  lastSignIn: (time) => `Last sign-in: ${time}`,
  devices: (names) => `Devices: ${names}`,
  moreDevices: (count) => `${count} more`,
  more: "More users",
  invite: "Invite a person",
  byMail: "The person gets an email, and signs in to the app with this address. The first sign-in takes a seat.",
  byWord: "No email is sent. Tell the person to sign in to the app with this address. The first sign-in takes a seat.",
  mailOff: "Email is switched off, so people cannot be invited here. Ask the vendor.",
  send: "Invite",
  isInvited: (who) => `${who} is invited.`,
  resend: "Send again",
  resendTo: (who) => `Send again to ${who}`,
  resent: (who) => `The invitation goes to ${who} again.`,
  remove: "Remove",
  removeWho: (who) => `Remove ${who}`,
  removeLead:
    "The seat is free at once, and the devices of the person stop. Only a new invitation brings the person back.",
  removed: (who) => `${who} was removed.`,
  taken: "This address has a seat or an invitation already.",
  full: "Every seat is taken or promised. Remove a person first, or ask the vendor for more seats.",
  tooMany: "There were too many invitations. Try again later.",
  unknown: "This person does not use your license.",
  changed: "This has changed in the meantime. Look at the list again.",
  notAllowed: "Ask the vendor to invite or to remove people.",
  limitReached: "People with a device cannot be removed at present. Try again later, or ask the vendor."
}

const de: UserWords = {
  title: "Benutzer",
  open: "Ansehen und ändern, wer die Lizenz nutzt",
  onlyByLink:
    "Wenn Sie sich per E-Mail anmelden, sehen Sie hier, wer die Lizenz nutzt, und können ihren Schlüssel ändern. Mit dem Schlüssel allein geht das nicht, weil ihn alle haben, die die Lizenz nutzen.",
  seats: (taken, limit) => `Belegte Plätze für Personen: ${taken} von ${limit}.`,
  none: "Noch nutzt niemand die Lizenz.",
  invited: "Eingeladen und noch nicht angemeldet.",
  active: "Hat einen Platz.",
  lastSignIn: (time) => `Letzte Anmeldung: ${time}`,
  devices: (names) => `Geräte: ${names}`,
  moreDevices: (count) => `${count} weitere`,
  more: "Weitere Benutzer",
  invite: "Jemanden einladen",
  byMail:
    "Die Person erhält eine E-Mail und meldet sich mit dieser Adresse in der Anwendung an. Die erste Anmeldung belegt einen Platz.",
  byWord:
    "Es wird keine E-Mail gesendet. Bitten Sie die Person, sich mit dieser Adresse in der Anwendung anzumelden. Die erste Anmeldung belegt einen Platz.",
  mailOff:
    "Der Versand von E-Mail ist ausgeschaltet, deshalb kann hier niemand eingeladen werden. Wenden Sie sich an den Anbieter.",
  send: "Einladen",
  isInvited: (who) => `${who} ist eingeladen.`,
  resend: "Erneut senden",
  resendTo: (who) => `Einladung an ${who} erneut senden`,
  resent: (who) => `Die Einladung geht erneut an ${who}.`,
  remove: "Entfernen",
  removeWho: (who) => `${who} entfernen`,
  removeLead:
    "Der Platz ist sofort frei, und die Geräte der Person funktionieren nicht mehr. Nur eine neue Einladung bringt die Person zurück.",
  removed: (who) => `${who} wurde entfernt.`,
  taken: "Diese Adresse hat schon einen Platz oder eine Einladung.",
  full:
    "Alle Plätze sind belegt oder vergeben. Entfernen Sie zuerst jemanden oder bitten Sie den Anbieter um weitere Plätze.",
  tooMany: "Das waren zu viele Einladungen. Versuchen Sie es später erneut.",
  unknown: "Diese Person nutzt Ihre Lizenz nicht.",
  changed: "Das hat sich inzwischen geändert. Sehen Sie sich die Liste noch einmal an.",
  notAllowed: "Wenden Sie sich an den Anbieter, um jemanden einzuladen oder zu entfernen.",
  limitReached:
    "Zurzeit kann niemand mit einem Gerät entfernt werden. Versuchen Sie es später erneut oder wenden Sie sich an den Anbieter."
}

const fr: UserWords = {
  title: "Utilisateurs",
  open: "Voir et modifier qui utilise la licence",
  onlyByLink:
    "Connectez-vous par e-mail pour voir ici qui utilise la licence et pour changer sa clé. Tous ceux qui l’utilisent ont la clé\u00a0; elle seule n’y suffit donc pas.",
  seats: (taken, limit) => `Places occupées par des personnes\u00a0: ${taken} sur ${limit}.`,
  none: "Personne n’utilise encore la licence.",
  invited: "Personne invitée, pas encore connectée.",
  active: "Occupe une place.",
  lastSignIn: (time) => `Dernière connexion\u00a0: ${time}`,
  devices: (names) => `Appareils\u00a0: ${names}`,
  moreDevices: (count) => `${count} de plus`,
  more: "Autres utilisateurs",
  invite: "Inviter une personne",
  byMail:
    "La personne reçoit un e-mail et se connecte à l’application avec cette adresse. La première connexion occupe une place.",
  byWord:
    "Aucun e-mail n’est envoyé. Demandez à la personne de se connecter à l’application avec cette adresse. La première connexion occupe une place.",
  mailOff: "Les e-mails sont désactivés, personne ne peut donc être invité ici. Adressez-vous au fournisseur.",
  send: "Inviter",
  isInvited: (who) => `Invitation enregistrée\u00a0: ${who}.`,
  resend: "Renvoyer",
  resendTo: (who) => `Renvoyer l’invitation à ${who}`,
  resent: (who) => `L’invitation est renvoyée à ${who}.`,
  remove: "Retirer",
  removeWho: (who) => `Retirer ${who}`,
  removeLead:
    "La place est libre aussitôt et les appareils de la personne ne fonctionnent plus. Seule une nouvelle invitation la fait revenir.",
  removed: (who) => `Accès retiré\u00a0: ${who}.`,
  taken: "Cette adresse a déjà une place ou une invitation.",
  full:
    "Toutes les places sont occupées ou promises. Retirez d’abord une personne ou demandez d’autres places au fournisseur.",
  tooMany: "Il y a eu trop d’invitations. Réessayez plus tard.",
  unknown: "Cette personne n’utilise pas votre licence.",
  changed: "Cela a changé entre-temps. Consultez de nouveau la liste.",
  notAllowed: "Adressez-vous au fournisseur pour inviter ou retirer une personne.",
  limitReached:
    "Pour l’instant, aucune personne avec un appareil ne peut être retirée. Réessayez plus tard ou adressez-vous au fournisseur."
}

const es: UserWords = {
  title: "Usuarios",
  open: "Ver y cambiar quién usa la licencia",
  onlyByLink:
    "Inicie sesión por correo para ver aquí quién usa la licencia y para cambiar su clave. Todas las personas que la usan tienen la clave, por eso la clave sola no basta.",
  seats: (taken, limit) => `Puestos para personas ocupados: ${taken} de ${limit}.`,
  none: "Todavía nadie usa la licencia.",
  invited: "Invitación enviada, aún sin iniciar sesión.",
  active: "Ocupa un puesto.",
  lastSignIn: (time) => `Último inicio de sesión: ${time}`,
  devices: (names) => `Dispositivos: ${names}`,
  moreDevices: (count) => `${count} más`,
  more: "Más usuarios",
  invite: "Invitar a una persona",
  byMail:
    "La persona recibe un correo e inicia sesión en la aplicación con esta dirección. El primer inicio de sesión ocupa un puesto.",
  byWord:
    "No se envía ningún correo. Pida a la persona que inicie sesión en la aplicación con esta dirección. El primer inicio de sesión ocupa un puesto.",
  mailOff: "El correo está desactivado, por eso aquí no se puede invitar a nadie. Diríjase al proveedor.",
  send: "Invitar",
  isInvited: (who) => `Invitación registrada: ${who}.`,
  resend: "Enviar de nuevo",
  resendTo: (who) => `Enviar de nuevo la invitación a ${who}`,
  resent: (who) => `La invitación se envía de nuevo a ${who}.`,
  remove: "Quitar",
  removeWho: (who) => `Quitar a ${who}`,
  removeLead:
    "El puesto queda libre de inmediato y los dispositivos de la persona dejan de funcionar. Solo una nueva invitación permite que vuelva.",
  removed: (who) => `Se ha quitado a ${who}.`,
  taken: "Esta dirección ya tiene un puesto o una invitación.",
  full: "Todos los puestos están ocupados o prometidos. Quite primero a alguien o pida más puestos al proveedor.",
  tooMany: "Ha habido demasiadas invitaciones. Inténtelo más tarde.",
  unknown: "Esta persona no usa su licencia.",
  changed: "Esto ha cambiado entretanto. Consulte de nuevo la lista.",
  notAllowed: "Para invitar o quitar a personas, diríjase al proveedor.",
  limitReached:
    "Por ahora no se puede quitar a nadie que tenga un dispositivo. Inténtelo más tarde o diríjase al proveedor."
}

const ja: UserWords = {
  title: "ユーザー",
  open: "ライセンスの利用者を確認、変更する",
  onlyByLink:
    "メールでサインインすると、ライセンスの利用者がここに表示され、キーを変更できます。キーは利用者全員が持っているため、キーだけではどちらもできません。",
  seats: (taken, limit) => `利用者の席 ${limit} 席のうち ${taken} 席を使用中です。`,
  none: "まだ利用者はいません。",
  invited: "招待済み（未サインイン）",
  active: "席を使用中",
  lastSignIn: (time) => `最終サインイン: ${time}`,
  devices: (names) => `デバイス: ${names}`,
  moreDevices: (count) => `ほか ${count} 台`,
  more: "ほかのユーザー",
  invite: "利用者を招待",
  byMail: "招待のメールが届きます。このアドレスでアプリにサインインすると、最初のサインインで席が割り当てられます。",
  byWord:
    "メールは送信されません。このアドレスでアプリにサインインするよう、お伝えください。最初のサインインで席が割り当てられます。",
  mailOff: "メールが無効のため、ここでは招待できません。販売元にお問い合わせください。",
  send: "招待",
  isInvited: (who) => `${who} を招待しました。`,
  resend: "再送信",
  resendTo: (who) => `${who} への招待を再送信`,
  resent: (who) => `${who} に招待を再送信します。`,
  remove: "削除",
  removeWho: (who) => `${who} を削除`,
  removeLead: "席はすぐに空き、この利用者のデバイスは使えなくなります。戻すには、新しい招待が必要です。",
  removed: (who) => `${who} を削除しました。`,
  taken: "このアドレスには、すでに席または招待があります。",
  full: "すべての席が使用中または招待済みです。先に利用者を削除するか、販売元に席の追加をご依頼ください。",
  tooMany: "招待が多すぎます。後でもう一度お試しください。",
  unknown: "この利用者はお客様のライセンスに登録されていません。",
  changed: "状態が変わっています。一覧をもう一度ご確認ください。",
  notAllowed: "利用者の招待や削除は、販売元にお問い合わせください。",
  limitReached:
    "現在、デバイスを使用している利用者を削除できません。後でもう一度お試しいただくか、販売元にお問い合わせください。"
}

/** The words in every language of the portal. */
export const userWords: Readonly<Record<MailLanguage, UserWords>> = { en, de, fr, es, ja }
