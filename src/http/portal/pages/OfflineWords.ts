import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

/** The words of the pages for machines without a network, in one language; what has a value in it is a function of it. */
export interface OfflineWords {
  readonly lead: string
  readonly open: string
  readonly request: string
  readonly requestHelp: string
  readonly requestFile: string
  readonly photo: string
  readonly photoHelp: string
  readonly photoReading: string
  readonly photoRead: string
  readonly photoFailed: string
  readonly machineName: string
  readonly takeSeat: string
  readonly noDevice: string
  readonly getFile: string
  readonly getCode: string
  readonly wrongRequest: string
  readonly notAllowed: string
  readonly made: string
  readonly madeFor: (machine: string) => string
  readonly code: string
  readonly codeLead: string
  readonly codeTooLong: string
  readonly saveFile: string
  readonly once: string
}

const en: OfflineWords = {
  lead:
    "The program on that machine shows a request, or its fingerprint. Enter it here, and take a file or a code back. The machine takes a seat.",
  open: "Get a file or a code for it",
  request: "Request or fingerprint",
  requestHelp: "Copy what the program shows, or choose one of the other ways.",
  requestFile: "Or a file with the request",
  photo: "Or a photo of its QR code",
  photoHelp: "The photo stays on this device.",
  photoReading: "Reading the photo…",
  photoRead: "The code was read into the field above.",
  photoFailed: "No QR code was found in the photo. Hold the camera straight and near, and try again.",
  machineName: "Name of the machine (optional)",
  takeSeat: "If no seat is free, release",
  noDevice: "no device",
  getFile: "Get the file",
  getCode: "Show as a QR code",
  wrongRequest: "This is not a valid request. Copy all of it again.",
  notAllowed: "This license does not allow files for machines without a network.",
  made: "The license for the machine",
  madeFor: (machine) => `This is for ${machine} and works on no other machine.`,
  code: "QR code with the license for the machine",
  codeLead: "Hold this code up to the camera of the machine.",
  codeTooLong: "This license is too long for a code that a camera can read. Use the file.",
  saveFile: "Save as a file",
  once: "The code and the file are shown only now. You can get new ones at any time."
}

const de: OfflineWords = {
  lead:
    "Das Programm auf dem Rechner zeigt eine Anfrage oder einen Fingerabdruck an. Geben Sie das hier ein und nehmen Sie eine Datei oder einen Code mit zurück. Der Rechner belegt einen Platz.",
  open: "Datei oder Code abrufen",
  request: "Anfrage oder Fingerabdruck",
  requestHelp: "Kopieren Sie, was das Programm anzeigt, oder nutzen Sie einen der anderen Wege.",
  requestFile: "Oder eine Datei mit der Anfrage",
  photo: "Oder ein Foto des QR-Codes",
  photoHelp: "Das Foto bleibt auf diesem Gerät.",
  photoReading: "Das Foto wird gelesen …",
  photoRead: "Der Code steht jetzt im Feld oben.",
  photoFailed:
    "Auf dem Foto ist kein QR-Code zu erkennen. Halten Sie die Kamera gerade und nah davor und versuchen Sie es noch einmal.",
  machineName: "Name des Rechners (optional)",
  takeSeat: "Wenn kein Platz frei ist, freigeben",
  noDevice: "kein Gerät",
  getFile: "Datei abrufen",
  getCode: "Als QR-Code anzeigen",
  wrongRequest: "Das ist keine gültige Anfrage. Kopieren Sie sie noch einmal vollständig.",
  notAllowed: "Für diese Lizenz gibt es keine Dateien für Rechner ohne Netz.",
  made: "Die Lizenz für den Rechner",
  madeFor: (machine) => `Sie ist für ${machine} bestimmt und gilt auf keinem anderen Rechner.`,
  code: "QR-Code mit der Lizenz für den Rechner",
  codeLead: "Halten Sie diesen Code vor die Kamera des Rechners.",
  codeTooLong: "Diese Lizenz ist zu lang für einen Code, den eine Kamera lesen kann. Verwenden Sie die Datei.",
  saveFile: "Als Datei speichern",
  once: "Code und Datei werden nur jetzt angezeigt. Sie können jederzeit neue abrufen."
}

const fr: OfflineWords = {
  lead:
    "Le programme de cette machine affiche une demande ou son empreinte. Saisissez-la ici et repartez avec un fichier ou un code. La machine occupe une place.",
  open: "Obtenir un fichier ou un code",
  request: "Demande ou empreinte",
  requestHelp: "Copiez ce que le programme affiche, ou choisissez un autre moyen.",
  requestFile: "Ou un fichier avec la demande",
  photo: "Ou une photo du code QR",
  photoHelp: "La photo reste sur cet appareil.",
  photoReading: "Lecture de la photo…",
  photoRead: "Le contenu du code figure maintenant dans le champ ci-dessus.",
  photoFailed: "Aucun code QR n’a été trouvé sur la photo. Tenez l’appareil droit et près du code, puis réessayez.",
  machineName: "Nom de la machine (facultatif)",
  takeSeat: "Si aucune place n’est libre, libérer",
  noDevice: "aucun appareil",
  getFile: "Obtenir le fichier",
  getCode: "Afficher un code QR",
  wrongRequest: "Cette demande n’est pas valable. Copiez-la de nouveau en entier.",
  notAllowed: "Cette licence n’autorise pas de fichiers pour les machines sans réseau.",
  made: "La licence pour la machine",
  madeFor: (machine) => `Elle est destinée à ${machine} et ne fonctionne sur aucune autre machine.`,
  code: "Code QR avec la licence pour la machine",
  codeLead: "Présentez ce code à la caméra de la machine.",
  codeTooLong: "Cette licence est trop longue pour un code lisible par une caméra. Utilisez le fichier.",
  saveFile: "Enregistrer dans un fichier",
  once: "Le code et le fichier ne sont affichés qu’une seule fois. Vous pouvez en obtenir de nouveaux à tout moment."
}

const es: OfflineWords = {
  lead:
    "El programa de ese equipo muestra una solicitud o su huella. Introdúzcala aquí y llévese un archivo o un código. El equipo ocupa un puesto.",
  open: "Obtener un archivo o un código",
  request: "Solicitud o huella",
  requestHelp: "Copie lo que muestra el programa o elija otra opción.",
  requestFile: "O un archivo con la solicitud",
  photo: "O una foto del código QR",
  photoHelp: "La foto se queda en este dispositivo.",
  photoReading: "Leyendo la foto…",
  photoRead: "El contenido del código está ahora en el campo de arriba.",
  photoFailed: "No se encontró ningún código QR en la foto. Sujete la cámara recta y cerca, e inténtelo de nuevo.",
  machineName: "Nombre del equipo (opcional)",
  takeSeat: "Si no hay ningún puesto libre, liberar",
  noDevice: "ningún dispositivo",
  getFile: "Obtener el archivo",
  getCode: "Mostrar como código QR",
  wrongRequest: "Esta solicitud no es válida. Cópiela de nuevo por completo.",
  notAllowed: "Esta licencia no permite archivos para equipos sin red.",
  made: "La licencia para el equipo",
  madeFor: (machine) => `Es para ${machine} y no funciona en ningún otro equipo.`,
  code: "Código QR con la licencia para el equipo",
  codeLead: "Muestre este código a la cámara del equipo.",
  codeTooLong: "Esta licencia es demasiado larga para un código que lean las cámaras. Use el archivo.",
  saveFile: "Guardar como archivo",
  once: "El código y el archivo solo se muestran ahora. Puede obtener otros en cualquier momento."
}

const ja: OfflineWords = {
  lead:
    "そのマシンのプログラムに表示されるリクエストまたはフィンガープリントをここに入力し、取得したファイルまたはコードをマシンに渡してください。マシンは1席を使用します。",
  open: "ファイルまたはコードを取得",
  request: "リクエストまたはフィンガープリント",
  requestHelp: "プログラムの表示をコピーするか、ほかの方法を選んでください。",
  requestFile: "または、リクエストのファイル",
  photo: "または、QRコードの写真",
  photoHelp: "写真はこのデバイスから送信されません。",
  photoReading: "写真を読み取っています…",
  photoRead: "上の欄にコードを読み取りました。",
  photoFailed: "写真からQRコードを読み取れませんでした。カメラを正面から近づけて、もう一度お試しください。",
  machineName: "マシンの名前（任意）",
  takeSeat: "空席がない場合に解放するデバイス",
  noDevice: "なし",
  getFile: "ファイルを取得",
  getCode: "QRコードを表示",
  wrongRequest: "リクエストが正しくありません。全体をもう一度コピーしてください。",
  notAllowed: "このライセンスでは、ネットワークのないマシンのファイルを取得できません。",
  made: "マシンのライセンス",
  madeFor: (machine) => `${machine}専用で、ほかのマシンでは使えません。`,
  code: "マシンのライセンスのQRコード",
  codeLead: "このコードをマシンのカメラにかざしてください。",
  codeTooLong: "このライセンスは、カメラで読めるコードには長すぎます。ファイルを使ってください。",
  saveFile: "ファイルとして保存",
  once: "表示されるのは今だけです。いつでも新しく取得できます。"
}

/** The words of the pages for machines without a network, by language. */
export const offlineWords: Readonly<Record<MailLanguage, OfflineWords>> = { en, de, fr, es, ja }
