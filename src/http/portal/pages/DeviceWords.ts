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
