import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

/** The words about the names of devices, in one language. */
interface DeviceWords {
  readonly rename: string
  readonly renameName: (name: string) => string
  readonly newName: string
  readonly nameHelp: string
  readonly save: string
  readonly renamed: (name: string) => string
  readonly nameless: string
  readonly wrongName: string
  /** A device with a seat that stays taken until then, if it is released now. */
  readonly holds: (time: string) => string
  /** A device that was released, whose seat stays taken until then. */
  readonly isHeld: (time: string) => string
}

/** The words in every language of the portal. */
export const deviceWords: Readonly<Record<MailLanguage, DeviceWords>> = {
  en: {
    rename: "Rename",
    renameName: (name) => `Rename ${name}`,
    newName: "Name of the device",
    nameHelp: "Leave it empty to show the name that the device has itself.",
    save: "Save",
    renamed: (name) => `The device is now called ${name}.`,
    nameless: "The device is shown with its own name again.",
    wrongName: "This name cannot be used. A name has at most 255 characters and is not invisible.",
    holds: (time) => `This device can run offline. If you release it, its seat is free from ${time}.`,
    isHeld: (time) => `Released. This device can run offline until ${time}; its seat is free from then.`
  },
  de: {
    rename: "Umbenennen",
    renameName: (name) => `${name} umbenennen`,
    newName: "Name des Geräts",
    nameHelp: "Lassen Sie das Feld leer, damit das Gerät mit seinem eigenen Namen erscheint.",
    save: "Speichern",
    renamed: (name) => `Das Gerät heißt jetzt ${name}.`,
    nameless: "Das Gerät erscheint wieder mit seinem eigenen Namen.",
    wrongName: "Dieser Name ist nicht möglich. Ein Name hat höchstens 255 Zeichen und ist nicht unsichtbar.",
    holds: (time) => `Es kann offline laufen. Wenn Sie es freigeben, ist sein Platz ab ${time} frei.`,
    isHeld: (time) => `Freigegeben. Es kann bis ${time} offline laufen; ab dann ist sein Platz frei.`
  },
  fr: {
    rename: "Renommer",
    renameName: (name) => `Renommer ${name}`,
    newName: "Nom de l’appareil",
    nameHelp: "Laissez le champ vide pour afficher le nom que l’appareil a lui-même.",
    save: "Enregistrer",
    renamed: (name) => `L’appareil s’appelle maintenant ${name}.`,
    nameless: "L’appareil s’affiche de nouveau sous son propre nom.",
    wrongName: "Ce nom n’est pas possible. Un nom compte 255 caractères au plus et doit être visible.",
    holds: (time) => `Il peut fonctionner hors ligne. Si vous le libérez, sa place sera libre à partir du ${time}.`,
    isHeld: (time) => `Libéré. Il peut fonctionner hors ligne jusqu’au ${time} ; sa place sera libre ensuite.`
  },
  es: {
    rename: "Cambiar nombre",
    renameName: (name) => `Cambiar el nombre de ${name}`,
    newName: "Nombre del dispositivo",
    nameHelp: "Deje el campo vacío para mostrar el nombre que tiene el propio dispositivo.",
    save: "Guardar",
    renamed: (name) => `El dispositivo se llama ahora ${name}.`,
    nameless: "El dispositivo se muestra de nuevo con su propio nombre.",
    wrongName: "Este nombre no es posible. Un nombre tiene 255 caracteres como máximo y debe ser visible.",
    holds: (time) => `Puede funcionar sin conexión. Si lo libera, su plaza quedará libre a partir del ${time}.`,
    isHeld: (time) => `Liberado. Puede funcionar sin conexión hasta el ${time}; después su plaza quedará libre.`
  },
  ja: {
    rename: "名前を変更",
    renameName: (name) => `${name} の名前を変更`,
    newName: "デバイスの名前",
    nameHelp: "空欄にすると、デバイス自身の名前が表示されます。",
    save: "保存",
    renamed: (name) => `デバイスの名前を ${name} に変更しました。`,
    nameless: "デバイスに付けた名前を削除しました。",
    wrongName: "この名前は使用できません。255文字以内の、表示できる文字で入力してください。",
    holds: (time) => `オフラインで使用できる状態です。解除した場合、この枠は${time}から空きになります。`,
    isHeld: (time) => `解除済みです。${time}までオフラインで使用でき、その後に枠が空きます。`
  }
}

/** The words about transfers of licenses to another address, in one language. */
export interface TransferWords {
  readonly title: string
  readonly lead: string
  readonly email: string
  readonly ask: string
  readonly asked: (address: string) => string
  readonly open: (address: string, time: string) => string
  readonly cancel: string
  readonly canceled: string
  readonly noOffer: string
  readonly ownAddress: string
  readonly notAllowed: string
  readonly offerTitle: string
  readonly offerLead: (owner: string, product: string, recipient: string) => string
  readonly offerEffect: (time: string) => string
  readonly accept: string
  readonly accepted: string
  readonly over: string
}

const en: TransferWords = {
  title: "Transfer the license",
  lead:
    "Hand the license to another person, who accepts it by a link in an email within three days. You have it until then. " +
    "Afterwards its devices are released, and its key no longer works.",
  email: "Email address of the new owner",
  ask: "Offer the license",
  asked: (address) => `The license was offered to ${address}.`,
  open: (address, time) => `The license is offered to ${address} until ${time}.`,
  cancel: "Cancel the offer",
  canceled: "The offer was canceled. The license stays yours.",
  noOffer: "There is no open offer of this license.",
  ownAddress: "The license belongs to this address already.",
  notAllowed: "This license cannot be transferred at present. Ask the vendor.",
  offerTitle: "A license for you",
  offerLead: (owner, product, recipient) => `${owner} wants to transfer a license for ${product} to ${recipient}.`,
  offerEffect: (time) =>
    `You can accept it until ${time}. Its devices are then released, and it gets a new license key.`,
  accept: "Accept the license",
  accepted: "The license is yours",
  over: "This link was used already, or the offer is over. Ask the owner of the license."
}

const de: TransferWords = {
  title: "Lizenz übertragen",
  lead:
    "Übertragen Sie die Lizenz einer anderen Person, die sie innerhalb von drei Tagen über einen Link in einer Nachricht annimmt. " +
    "Bis dahin gehört sie Ihnen. Danach sind ihre Geräte freigegeben und der Schlüssel funktioniert nicht mehr.",
  email: "E-Mail-Adresse der neuen Inhaberin oder des neuen Inhabers",
  ask: "Lizenz anbieten",
  asked: (address) => `Die Lizenz wurde ${address} angeboten.`,
  open: (address, time) => `Die Lizenz ist ${address} bis ${time} angeboten.`,
  cancel: "Angebot zurückziehen",
  canceled: "Das Angebot wurde zurückgezogen. Die Lizenz bleibt bei Ihnen.",
  noOffer: "Es gibt kein offenes Angebot für diese Lizenz.",
  ownAddress: "Die Lizenz gehört bereits zu dieser Adresse.",
  notAllowed: "Diese Lizenz kann zurzeit nicht übertragen werden. Fragen Sie den Anbieter.",
  offerTitle: "Eine Lizenz für Sie",
  offerLead: (owner, product, recipient) => `${owner} möchte ${recipient} eine Lizenz für ${product} übertragen.`,
  offerEffect: (time) =>
    `Sie können sie bis ${time} annehmen. Dann werden die bisherigen Geräte freigegeben, und die Lizenz erhält einen neuen Schlüssel.`,
  accept: "Lizenz annehmen",
  accepted: "Die Lizenz gehört Ihnen",
  over:
    "Dieser Link wurde schon verwendet, oder das Angebot ist beendet. Fragen Sie, wer Ihnen die Lizenz angeboten hat."
}

const fr: TransferWords = {
  title: "Transférer la licence",
  lead:
    "Transférez la licence à une autre personne, qui l’accepte sous trois jours par un lien reçu par courriel. Elle reste à vous jusque-là. " +
    "Ensuite, ses appareils sont libérés et sa clé ne fonctionne plus.",
  email: "Adresse électronique du nouveau titulaire",
  ask: "Proposer la licence",
  asked: (address) => `La licence a été proposée à ${address}.`,
  open: (address, time) => `La licence est proposée à ${address} jusqu’au ${time}.`,
  cancel: "Annuler la proposition",
  canceled: "La proposition a été annulée. La licence reste à vous.",
  noOffer: "Il n’y a pas de proposition en cours pour cette licence.",
  ownAddress: "La licence appartient déjà à cette adresse.",
  notAllowed: "Cette licence ne peut pas être transférée pour le moment. Adressez-vous à l’éditeur.",
  offerTitle: "Une licence pour vous",
  offerLead: (owner, product, recipient) => `${owner} souhaite transférer une licence ${product} à ${recipient}.`,
  offerEffect: (time) =>
    `Vous pouvez l’accepter jusqu’au ${time}. Ses appareils sont alors libérés et elle reçoit une nouvelle clé.`,
  accept: "Accepter la licence",
  accepted: "La licence est à vous",
  over: "Ce lien a déjà été utilisé ou la proposition n’est plus valable. Adressez-vous au titulaire de la licence."
}

const es: TransferWords = {
  title: "Transferir la licencia",
  lead:
    "Transfiera la licencia a otra persona, que la acepta con un enlace por correo en un plazo de tres días. Hasta entonces es suya. " +
    "Después se liberan sus dispositivos y la clave deja de funcionar.",
  email: "Correo electrónico del nuevo titular",
  ask: "Ofrecer la licencia",
  asked: (address) => `La licencia se ofreció a ${address}.`,
  open: (address, time) => `La licencia está ofrecida a ${address} hasta el ${time}.`,
  cancel: "Cancelar la oferta",
  canceled: "La oferta se canceló. La licencia sigue siendo suya.",
  noOffer: "No hay ninguna oferta abierta de esta licencia.",
  ownAddress: "La licencia ya pertenece a esta dirección.",
  notAllowed: "Esta licencia no se puede transferir en este momento. Pregunte al proveedor.",
  offerTitle: "Una licencia para usted",
  offerLead: (owner, product, recipient) => `${owner} quiere transferir una licencia de ${product} a ${recipient}.`,
  offerEffect: (time) =>
    `Puede aceptarla hasta el ${time}. Entonces se liberan los dispositivos actuales y recibe una clave nueva.`,
  accept: "Aceptar la licencia",
  accepted: "La licencia es suya",
  over: "Este enlace ya se usó o la oferta ha terminado. Pregunte al titular de la licencia."
}

const ja: TransferWords = {
  title: "ライセンスの譲渡",
  lead:
    "ライセンスをほかの方に譲渡できます。相手の方は、メールのリンクから3日以内に承諾します。それまではお客様のものです。" +
    "承諾されると、登録済みのデバイスは解除され、現在のライセンスキーは使用できなくなります。",
  email: "新しい所有者のメールアドレス",
  ask: "譲渡を申し込む",
  asked: (address) => `${address} に譲渡を申し込みました。`,
  open: (address, time) => `${address} に譲渡を申し込んでいます（${time}まで）。`,
  cancel: "申し込みを取り消す",
  canceled: "申し込みを取り消しました。ライセンスは引き続きお客様のものです。",
  noOffer: "このライセンスには、手続き中の申し込みはありません。",
  ownAddress: "このライセンスは、すでにこのアドレスのものです。",
  notAllowed: "このライセンスは現在譲渡できません。販売元にお問い合わせください。",
  offerTitle: "ライセンスの譲渡のご案内",
  offerLead: (owner, product, recipient) =>
    `${owner} 様が ${product} のライセンスを ${recipient} 様に譲渡することを希望しています。`,
  offerEffect: (time) =>
    `${time}まで承諾できます。承諾すると、登録済みのデバイスは解除され、新しいライセンスキーが発行されます。`,
  accept: "ライセンスを受け取る",
  accepted: "ライセンスを受け取りました",
  over: "このリンクはすでに使用されたか、申し込みが終了しています。ライセンスの所有者にお問い合わせください。"
}

export const transferWords: Readonly<Record<MailLanguage, TransferWords>> = { en, de, fr, es, ja }
